// What the pages derive from the state of a domain beside its status: what is offered, and what is listed first.
import type { Tone } from '../../components/values.tsx'
import type { Domain } from './domain-queries.ts'

/** Whether the certificate comes first, and DNS is switched afterwards. */
export const isMoving = ({ dns, preparation }: Domain): boolean =>
  preparation.state === 'requested' && dns !== 'ok'

/** Whether the name leads to another site, from which it can move without an error. */
export const canPrepare = (domain: Domain): boolean => {
  const { check, dns, preparation } = domain
  if (preparation.state !== 'off' || isHidden(domain)) return false
  return (
    dns === 'conflict' || (dns === 'wrong_target' && !isTypo(check?.diagnostics[0]?.difference))
  )
}

type Difference = NonNullable<Domain['check']>['diagnostics'][number]['difference'] | undefined

/** At most three characters differ from what is expected: nobody has a site there. */
const isTypo = (difference: Difference): boolean =>
  difference != null &&
  [difference.found, difference.expected].every(
    (spans) => spans.reduce((sum, { end, start }) => sum + end - start, 0) <= 3,
  )

/** Whether a problem hides what the name has: no registration, broken DNSSEC, a record at another name. */
const isHidden = ({ badge, check, dns }: Domain): boolean =>
  badge === 'fix_dns' &&
  // D02 to D05 of the diagnostics. The state of DNS may be that of an earlier check.
  (dns === 'missing' || dns === 'unchecked' || /^D0[2-5]$/.test(check?.diagnostics[0]?.code ?? ''))

/** Whether the next step is to create the record that points to us. */
export function isRecordNext({ badge, check, dns, record }: Domain): boolean {
  if (badge === 'add_dns_record' || badge === 'paused') return true
  const [first] = check?.diagnostics ?? []
  const isAsked = first?.fix?.add.some(({ type }) => type === record.type) ?? false
  return isAsked && dns !== 'ok' && (first?.severity === 'blocks' || badge === 'fix_dns')
}

const urgency: Record<Tone, number> = { danger: 0, action: 0, neutral: 1, progress: 2, success: 3 }

/** `docs2` before `docs10`. */
export const { compare: compareHosts } = new Intl.Collator('en', { numeric: true })

/** The primary first, then what needs action. */
export function compareDomains(a: Domain, b: Domain): number {
  const rankOf = ({ role, status }: Domain) => (role === 'primary' ? -1 : urgency[status.tone])
  return rankOf(a) - rankOf(b) || compareHosts(a.host, b.host)
}
