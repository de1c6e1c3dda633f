// The TXT record by which a holder proves ownership of a host.
import { randomBytes } from 'node:crypto'
import type { FoundDomain } from '../database/domain-row.ts'

const label = '_animal-store'

/** An unguessable value: 128 random bits. */
export function createVerificationToken(): string {
  return `animal-store-verify=${randomBytes(16).toString('base64url')}`
}

/** The required name and value of the record. */
export function verificationRecordOf({
  host,
  verificationToken,
}: Pick<FoundDomain, 'host' | 'verificationToken'>) {
  return { name: `${label}.${host}`, value: verificationToken }
}
