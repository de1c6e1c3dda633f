// The CAA records that bind a certificate authority for a name: at the name, past its aliases, else at the
// closest name above it (RFC 8659, section 3). An alias's target counts, the names above the target do not.
import { parentOf } from '../messages/dns-name.ts'
import { type DnsRecord, type Rcode, recordsOfType } from '../messages/exchange.ts'
import type { ResolveQuestion } from '../resolution/look-up.ts'

export interface CaaStep {
  name: string
  /** The name was reached by following the host's CNAME to our target (C03). */
  isOurTarget: boolean
  /**
   * SERVFAIL, other codes and `failure`: what is there is not known, and an authority must not issue.
   * `not-asked`: it is we who do not know.
   */
  rcode: Rcode | 'failure' | 'not-asked'
  records: (DnsRecord & { type: 'CAA' })[]
}

/**
 * From the host up to its top-level domain, until records are found or a question fails: the last step
 * decides. A step for the name where the records stand follows that of the alias that leads there.
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
