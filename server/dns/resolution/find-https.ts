// Where the HTTPS records of a host lead (RFC 9460). Browsers ask for them together with A and AAAA, and follow them first;
// certificate authorities and most other clients do not. Records of untrusted zones: what cannot be read is left out.
import { readName } from '../messages/dns-name.ts'
import { recordsOfType } from '../messages/exchange.ts'
import { ipv6Text } from '../messages/read-message.ts'
import type { ResolveQuestion } from './look-up.ts'

export interface HttpsRecord {
  /** Of the record: the host, or the end of its CNAMEs. */
  name: string
  /** 0: another name for the whole service (AliasMode). */
  priority: number
  /** The name whose addresses are used; that of the record where it is `.`. */
  target: string
  /** Addresses in the record, which browsers may use before those of the target. */
  hints: string[]
  /** Of the target, where it is another name. */
  addresses: string[]
}

const maxRecords = 2
const maxAliases = 2
const ipv4Hint = 4
const ipv6Hint = 6

export async function findHttps(
  ask: ResolveQuestion,
  host: string,
  aliases = 0,
): Promise<HttpsRecord[]> {
  const { end: name, records } = await ask({ name: host, type: 'HTTPS' })
  const read = recordsOfType(records, 'HTTPS').flatMap(({ data }) => readData(data, name) ?? [])
  // Beside one in AliasMode, others do not count (section 2.4.1).
  const alias = read.find(({ priority }) => priority === 0)
  const used = alias ? [alias] : read.toSorted((a, b) => a.priority - b.priority)
  return await Promise.all(
    used.slice(0, maxRecords).map(async ({ hints, priority, target }) => {
      const own = { name, priority, target, hints }
      if (target === name) return { ...own, addresses: [] }
      const types = ['A', 'AAAA'] as const
      const [further, ...found] = await Promise.all([
        priority === 0 && aliases < maxAliases ? findHttps(ask, target, aliases + 1) : [],
        ...types.map((type) => ask({ name: target, type })),
      ])
      const addresses = found.flatMap(({ records }) => recordsOfType(records, ...types))
      return {
        ...own,
        hints: [...hints, ...further.flatMap((each) => each.hints)],
        addresses: [
          ...addresses.map(({ address }) => address),
          ...further.flatMap((each) => each.addresses),
        ],
      }
    }),
  )
}

/** Section 2.2: priority, target, and parameters with their lengths. */
function readData(data: string, owner: string) {
  const bytes = Buffer.from(data, 'hex')
  const root = bytes[2] === 0
  const name = root ? { name: '', end: 3 } : readName(bytes, 2)
  if (bytes.length < 3 || !name) return undefined
  const hints: string[] = []
  for (let at = name.end; at < bytes.length; ) {
    const start = at + 4
    if (start > bytes.length) return undefined
    const key = bytes.readUInt16BE(at)
    at = start + bytes.readUInt16BE(at + 2)
    if (at > bytes.length) return undefined
    const size = key === ipv4Hint ? 4 : key === ipv6Hint ? 16 : 0
    for (let i = start; size > 0 && i + size <= at; i += size) {
      const address = bytes.subarray(i, i + size)
      hints.push(size === 4 ? address.join('.') : ipv6Text(address))
    }
  }
  const priority = bytes.readUInt16BE(0)
  // In AliasMode `.` says that there is no service (section 2.5.1).
  if (priority === 0 && root) return undefined
  return { priority, target: name.name || owner, hints }
}
