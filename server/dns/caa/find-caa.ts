// Finds the CAA records that apply to a name: at the name or the target of its aliases, otherwise at the closest name
// above it (RFC 8659, section 3). Names above the target of an alias do not count.
import { parentOf } from '../messages/dns-name.ts'
import { type DnsRecord, type Rcode, recordsOfType } from '../messages/exchange.ts'
import type { ResolveQuestion } from '../resolution/look-up.ts'

export interface CaaStep {
  name: string
  /** The name was reached by following the host's CNAME to our target (C03). */
  isOurTarget: boolean
  /** An authority must not issue after SERVFAIL, other error codes and `failure`. `not-asked`: not known here. */
  rcode: Rcode | 'failure' | 'not-asked'
  records: (DnsRecord & { type: 'CAA' })[]
}

/** The set that applies; `unknown`: the walk ended before a set or the top, so there may be one. */
export function caaSetIn(steps: readonly CaaStep[]): CaaStep | 'none' | 'unknown' {
  const last = steps.at(-1)
  const isWhole = last?.rcode === 'NOERROR' || last?.rcode === 'NXDOMAIN'
  return steps.find(({ records }) => records.length > 0) ?? (isWhole ? 'none' : 'unknown')
}

/**
 * From the host up to its top-level domain, until records are found or a query fails: the last step decides. An alias
 * has a step of its own before that of its target.
 */
export async function findCaa(
  resolveFromZone: ResolveQuestion,
  host: string,
  isOurTarget: (name: string) => boolean = () => false,
): Promise<CaaStep[]> {
  const steps: CaaStep[] = []
  for (let name: string | undefined = host; name; name = parentOf(name)) {
    const found = await resolveFromZone({ name, type: 'CAA' })
    const records = recordsOfType(found.records, 'CAA')
    const isAliased = found.end !== name
    if (isAliased) steps.push({ name, isOurTarget: false, rcode: 'NOERROR', records: [] })
    steps.push({
      name: found.end,
      isOurTarget: isAliased && isOurTarget(found.end),
      rcode: found.fault ? 'failure' : found.rcode,
      records,
    })
    if (found.outcome !== 'nothing' || records.length > 0) break
  }
  return steps
}
