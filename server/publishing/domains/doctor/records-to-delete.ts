// The DNS records to delete after a domain is removed: those that pointed to us at the last check, the verification
// record, and that of a challenge. A leftover record makes a subdomain takeover possible.
import type { DnsRecord } from '../../dns/messages/exchange.ts'
import type { Evidence } from '../evidence/evidence.ts'
import type { PlainRecord } from './diagnostic.ts'
import { followChain } from './reading.ts'
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
  const records = servers.flatMap(({ host, verification }) => [
    ...(host.kind === 'records' ? [...host.cname, ...host.addresses] : []),
    ...(verification?.kind === 'records' ? verification.others : []),
  ])
  const isOurs = (record: DnsRecord): boolean => {
    if (record.type === 'CNAME') {
      const { name, target } = record
      return name === subject.host && followChain(chain, name, target).includes(platform.host)
    }
    if (record.type === 'TXT') return record.strings.join('') === platform.verification?.value
    return 'address' in record && platform.addresses.includes(record.address)
  }
  const plain = plainRecords(records.filter(isOurs))
  return [...new Map(plain.map((record) => [`${record.type} ${record.value}`, record])).values()]
}
