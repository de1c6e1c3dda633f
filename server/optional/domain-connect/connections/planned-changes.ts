// What a click would change in the zone: the records that it adds, and those that the provider deletes because they
// conflict (draft-ietf-dconn-domainconnect, Conflict Detection).

import type { DnsRecord, RecordType, ServerAddress } from '#dns/messages/exchange.ts'
import { recordsOfType } from '#dns/messages/exchange.ts'
import { ask } from '#dns/queries/ask.ts'
import type { Inquiry } from '#dns/queries/inquiry.ts'
import type { TemplateGroup } from '../templates/connect-template.ts'
import type { ConnectRecord } from './schema.ts'

/** What people put at a name that was in use. Anything else there would be deleted, too. */
const typesAtHost: RecordType[] = ['A', 'AAAA', 'MX', 'TXT', 'CAA', 'HTTPS']
const maxServersTried = 2

interface ChangeFacts {
  host: string
  platformHost: string
  verification: { name: string; value: string }
  groups: readonly TemplateGroup[]
}

export function recordsToAdd({
  groups,
  host,
  platformHost,
  verification,
}: ChangeFacts): ConnectRecord[] {
  const { name, value } = verification
  return [
    ...(groups.includes('site') ? [{ name: host, type: 'CNAME', value: platformHost }] : []),
    ...(groups.includes('ownership') ? [{ name, type: 'TXT', value }] : []),
  ]
}

/** As one of the zone's servers has it now; undefined when none answers. */
export async function findConflicts(
  inquiry: Inquiry,
  servers: ServerAddress[],
  { groups, host, platformHost, verification }: ChangeFacts,
): Promise<ConnectRecord[] | undefined> {
  for (const server of servers.slice(0, maxServersTried)) {
    const found = await Promise.all([
      ...(groups.includes('site')
        ? typesAtHost.map((type) => recordsAt(inquiry, server, host, type))
        : []),
      ...(groups.includes('ownership')
        ? [recordsAt(inquiry, server, verification.name, 'TXT')]
        : []),
    ])
    if (found.some((records) => records === undefined)) continue
    const conflicts = found
      .flatMap((records) => (records ?? []).map(written))
      .filter((record) => {
        if (record.name === host) return record.type !== 'CNAME' || record.value !== platformHost
        // Proofs of others stay.
        return record.type === 'CNAME'
      })
    const byText = new Map(conflicts.map((record) => [`${record.type} ${record.value}`, record]))
    return [...byText.values()]
  }
  return undefined
}

async function recordsAt(
  inquiry: Inquiry,
  server: ServerAddress,
  name: string,
  type: RecordType,
): Promise<DnsRecord[] | undefined> {
  const { answer } = await ask(inquiry, server, { name, type })
  const isUsable = answer?.rcode === 'NOERROR' || answer?.rcode === 'NXDOMAIN'
  if (!isUsable) return undefined
  const own = answer.answers.filter((record) => record.name === name)
  return [
    ...recordsOfType(own, 'CNAME'),
    ...own.filter((record) => record.type === type && record.type !== 'CNAME'),
  ]
}

function written(record: DnsRecord): ConnectRecord {
  const { name, type } = record
  const as = (value: string) => ({ name, type, value })
  switch (record.type) {
    case 'A':
    case 'AAAA':
      return as(record.address)
    case 'CNAME':
    case 'NS':
      return as(record.target)
    case 'MX':
      return as(`${record.preference} ${record.target}`)
    case 'TXT':
      return as(record.strings.join(''))
    case 'CAA':
      return as(`${record.flags} ${record.tag} "${record.value}"`)
    case 'SOA':
      return as(record.primary)
    default:
      return as(record.data)
  }
}
