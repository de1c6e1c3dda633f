// How the TXT record of dns-persist-01 differs from the one that is asked for.
import { parsePersistentRecord } from '../../acme/resources/persistent-record.ts'
import { likeness, type VerificationFault } from './read-verification.ts'

/** `other value`: a record of another account or authority, which may stand beside ours. */
export function faultOfRecord(
  text: string,
  wanted: { name: string; value: string },
): VerificationFault {
  const ours = parsePersistentRecord(wanted.value)
  const found = parsePersistentRecord(text)
  if (!ours || !found) return faultOfText(text, wanted)
  if (found.issuer !== ours.issuer || found.accountUri !== ours.accountUri) {
    return likeness(text, wanted)
  }
  if (found.isWildcard) return 'wildcard policy'
  // Our account had an earlier record, or its end was not copied.
  return (found.persistUntil ?? Number.POSITIVE_INFINITY) < (ours.persistUntil ?? 0)
    ? 'earlier end'
    : 'other end'
}

/** Of text that no authority accepts. */
function faultOfText(text: string, wanted: { name: string; value: string }): VerificationFault {
  const fault = likeness(text, wanted)
  if (fault !== 'other value') return fault
  const { accountUri = '' } = parsePersistentRecord(wanted.value) ?? {}
  return accountUri !== '' && text.includes(accountUri) ? 'malformed' : 'other value'
}
