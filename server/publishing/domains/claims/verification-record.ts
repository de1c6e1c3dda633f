// The TXT record by which a holder proves that a host is his.
import { randomBytes } from 'node:crypto'

const label = '_animal-store'

/** A value that nobody else can have placed: 128 random bits. */
export function createVerificationToken(): string {
  return `animal-store-verify=${randomBytes(16).toString('base64url')}`
}

/** Where the record has to be, and what it has to say. */
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
