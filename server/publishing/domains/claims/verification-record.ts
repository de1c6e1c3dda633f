// The TXT record by which a holder proves ownership of a host.
import { randomBytes } from 'node:crypto'

const label = '_animal-store'

/** An unguessable value: 128 random bits. */
export function createVerificationToken(): string {
  return `animal-store-verify=${randomBytes(16).toString('base64url')}`
}

/** The required name and value of the record. */
export function verificationRecordOf({
  host,
  verificationToken,
}: {
  host: string
  verificationToken: string
}): {
  name: string
  value: string
} {
  return { name: `${label}.${host}`, value: verificationToken }
}
