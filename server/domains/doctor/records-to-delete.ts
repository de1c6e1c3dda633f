// The DNS records to delete after a domain is removed: those that pointed to us at the last check, the verification
// record, and that of a challenge. A leftover record makes a subdomain takeover possible.
import { type DnsRecord, recordsOfType } from '#dns/messages/exchange.ts'
import type { NameFacts } from '#dns/name-servers/name-facts.ts'
import type { Evidence } from '../evidence/evidence.ts'
import type { PlainRecord } from './diagnostic.ts'
import { followChain, isSameAnswer } from './reading.ts'
import { plainRecords, recordTtlSeconds, withoutDuplicates } from './wording.ts'

/**
 * Reads the evidence of the last check (JSON). Each record once. `challenges`: the TXT records that the owner was asked
 * for, even if no check has looked for them since.
 */
export function recordsToDelete(
  kept: string | undefined,
  challenges: readonly { name: string; value: string }[],
): PlainRecord[] {
  const asked = challenges.map(({ name, value }): PlainRecord => {
    return { name, type: 'TXT', value, ttlSeconds: recordTtlSeconds }
  })
  return withoutDuplicates([...recordsInEvidence(kept), ...asked])
}

function recordsInEvidence(kept: string | undefined): PlainRecord[] {
  if (kept === undefined) return []
  const { chain, platform, servers, subject } = JSON.parse(kept) as Evidence
  const { host: own } = subject
  const pointsToUs = (record: DnsRecord): boolean =>
    record.type === 'CNAME'
      ? record.name === own && followChain(chain, own, record.target).includes(platform.host)
      : 'address' in record && platform.addresses.includes(record.address)
  const isWild = (host: NameFacts) => servers.some(({ sibling }) => isSameAnswer(host, sibling))
  const records = servers.flatMap(({ host, verification }) => [
    ...(host.kind === 'records' && !isWild(host)
      ? [...host.cname, ...host.addresses].filter(pointsToUs)
      : []),
    ...(verification?.kind === 'records'
      ? recordsOfType(verification.others, 'TXT').filter(
          ({ strings }) => strings.join('') === platform.verification?.value,
        )
      : []),
  ])
  const plain = plainRecords(records)
  return [...new Map(plain.map((record) => [`${record.type} ${record.value}`, record])).values()]
}
