// The TXT record by which a holder proves ownership of a host.
import { randomBytes } from 'node:crypto'
import type { FoundDomain } from '../database/domain-row.ts'

export const ownershipLabel = '_animal-store'
/** What the value of each such record starts with. */
export const ownershipPrefix = 'animal-store-verify='

/** An unguessable value: 128 random bits. */
export function createVerificationToken(): string {
  return `${ownershipPrefix}${randomBytes(16).toString('base64url')}`
}

/** The required name and value of the record. */
export function verificationRecordOf({
  host,
  verificationToken,
}: Pick<FoundDomain, 'host' | 'verificationToken'>) {
  return { name: `${ownershipLabel}.${host}`, value: verificationToken }
}
