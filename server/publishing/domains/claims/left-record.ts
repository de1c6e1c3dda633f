// A persistent TXT record after its domain was removed: what it allows while it is left in DNS, and until when.
import { parsePersistentRecord } from '../../acme/resources/persistent-record.ts'
import { persistentNameOf } from '../database/find-challenge.ts'
import type { StoredPersistentRecord } from '../database/persistent-records.ts'

export interface LeftPersistentRecord {
  name: string
  value: string
  lastsUntil: string
  /** Whether the account that it names is being deactivated. */
  isAccountClosed: boolean
  note: string
}

export function describeLeftRecord(
  { host }: { host: string },
  { persistUntil, value }: StoredPersistentRecord,
  isAccountClosed: boolean,
  now: number,
): LeftPersistentRecord {
  const lastsUntil = new Date(persistUntil).toISOString()
  const authority = parsePersistentRecord(value)?.issuer ?? 'the certificate authority'
  const was = `It let our account at ${authority} request certificates for ${host}.`
  const left = isAccountClosed
    ? 'We close that account now, which makes the record void.'
    : persistUntil <= now
      ? 'It has expired.'
      : `We do not use it any more, and it expires on ${lastsUntil.slice(0, 10)}.`
  return {
    name: persistentNameOf(host),
    ...{ value, lastsUntil, isAccountClosed },
    note: `${was} ${left}`,
  }
}
