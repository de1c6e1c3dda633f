// What a domain's state means to its owner: the badge, one sentence, the steps to go live, and what is listed first.
import { badges } from '../../../client/values/domain-badges.ts'
import type { Tone } from '../../components/state-badge.tsx'
import { onDay, span } from '../../platform/times.ts'
import type { Domain } from './domain-queries.ts'

/** The title of the first finding, or else a sentence about the state. */
export function headlineOf({ badge, certificate, check, host }: Domain, now: number): string {
  const [first] = check?.diagnostics ?? []
  if (badge === 'active') {
    const by = certificate.issuer === null ? '' : ` from ${certificate.issuer}`
    return first && first.severity === 'warns'
      ? first.title
      : `Served over HTTPS. The certificate${by} renews automatically.`
  }
  if (badge === 'issuing_certificate' && first?.severity !== 'blocks')
    return 'Verified. The certificate is being issued, usually within a few minutes.'
  if (badge === 'ready_to_switch')
    return 'The certificate is issued. Change the DNS record whenever you like.'
  if (badge === 'switching') {
    const { servers = [], updated = 0 } = check?.propagation ?? {}
    return `${updated} of ${servers.length} name servers point to us. Both sites serve visitors.`
  }
  if (badge === 'prepare_certificate' && first?.severity !== 'blocks')
    return 'The old site keeps serving visitors. The certificate is issued first.'
  if (badge === 'suspended')
    return 'The plan no longer includes custom domains. The name stays reserved for you.'
  if (badge === 'paused') return 'Not verified for 30 days. Choose Resume to check it again.'
  if (badge === 'retrying' && certificate.nextTryAt !== null) {
    const when = new Date(certificate.nextTryAt).getTime() - now
    const next = when > 0 ? `Retrying in ${span(when)}` : 'Retrying now'
    return `The certificate could not be issued. ${next}.`
  }
  if (first) return first.title
  if (check === null) return `${host} has not been checked yet.`
  return badge === 'needs_attention' || badge === 'at_risk'
    ? 'The certificate could not be issued.'
    : 'Waiting for the next check.'
}

/** `action`: the owner has to do something. `running`: it happens automatically. */
export type StepState = 'done' | 'running' | 'action' | 'failed' | 'waiting'
export interface Step {
  title: 'DNS' | 'Ownership' | 'Certificate' | 'Switch' | 'Live'
  state: StepState
  note: string
}

/** What has to be done until visitors reach the site at the domain, in this order. */
export function stepsOf(domain: Domain): Step[] {
  if (isMoving(domain)) {
    return [
      { title: 'Ownership', ...ownershipStep(domain) },
      { title: 'Certificate', ...certificateStep(domain) },
      { title: 'Switch', ...switchStep(domain) },
      { title: 'Live', ...liveStep(domain) },
    ]
  }
  return [
    { title: 'DNS', ...dnsStep(domain) },
    { title: 'Ownership', ...ownershipStep(domain) },
    { title: 'Certificate', ...certificateStep(domain) },
    { title: 'Live', ...liveStep(domain) },
  ]
}

type Progress = Omit<Step, 'title'>

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

function switchStep({ badge, check }: Domain): Progress {
  const { servers = [], updated = 0 } = check?.propagation ?? {}
  if (updated > 0) return { state: 'running', note: `${updated} of ${servers.length} name servers` }
  if (badge === 'ready_to_switch') return { state: 'action', note: 'Change the record' }
  return { state: 'waiting', note: 'The old site keeps serving' }
}

/** Whether a problem hides what the name has: no registration, broken DNSSEC, a record at another name. */
const isHidden = ({ badge, check, dns }: Domain): boolean =>
  badge === 'fix_dns' &&
  // D02 to D05 of the diagnostics. The state of DNS may be that of an earlier check.
  (dns === 'missing' || dns === 'unchecked' || /^D0[2-5]$/.test(check?.diagnostics[0]?.code ?? ''))

function dnsStep(domain: Domain): Progress {
  const { check, dns } = domain
  if (isHidden(domain)) return { state: 'failed', note: 'Fix required' }
  const { servers = [], updated = 0 } = check?.propagation ?? {}
  const steps: Record<Domain['dns'], Progress> = {
    unchecked: { state: 'action', note: 'Record required' },
    missing: { state: 'action', note: 'Record required' },
    conflict: { state: 'failed', note: 'Conflicting record' },
    wrong_target: { state: 'failed', note: 'Wrong value' },
    partial: { state: 'running', note: `${updated} of ${servers.length} name servers` },
    ok: { state: 'done', note: 'Points to us' },
    drifting: { state: 'failed', note: 'Points elsewhere' },
    lost: { state: 'failed', note: 'Points elsewhere' },
  }
  return steps[dns]
}

function ownershipStep(domain: Domain): Progress {
  const { ownership, provenBy, verification } = domain
  if (ownership === 'proven') {
    return { state: 'done', note: provenBy === 'txt' ? 'Proven by TXT' : 'Proven' }
  }
  if (ownership !== 'unproven') return { state: 'failed', note: 'TXT record required' }
  if (isHidden(domain)) return { state: 'waiting', note: 'After DNS' }
  if (isMoving(domain) && isFound(domain, 'ownership')) return recordFound
  return verification.isRequired || isMoving(domain)
    ? { state: 'action', note: 'TXT record required' }
    : { state: 'waiting', note: 'Automatic' }
}

const recordFound: Progress = { state: 'running', note: 'TXT record found' }
const isFound = ({ records }: Domain, purpose: Domain['records'][number]['purpose']): boolean =>
  records.some((record) => record.purpose === purpose && record.state === 'found')

function certificateStep(domain: Domain): Progress {
  const { blockedBy, expiresAt, state } = domain.certificate
  const { ownership } = domain
  const steps: Record<Domain['certificate']['state'], Progress> = {
    none: { state: ownership === 'proven' ? 'running' : 'waiting', note: 'Automatic' },
    preflight: { state: 'running', note: 'Pre-checks' },
    ordering: { state: 'running', note: 'Ordering' },
    awaiting_record: isFound(domain, 'challenge')
      ? recordFound
      : { state: 'action', note: 'TXT record required' },
    validating: { state: 'running', note: 'Validating' },
    issued: { state: 'done', note: 'Issued' },
    renewing: { state: 'done', note: 'Renewing' },
    blocked: { state: 'failed', note: 'Blocked' },
    retry_wait: { state: 'failed', note: 'Retrying' },
    expired: { state: 'failed', note: 'Expired' },
  }
  if (blockedBy === 'https_off') return { state: 'done', note: 'At your proxy' }
  const isValid = expiresAt !== null && state !== 'expired'
  return isValid ? { state: 'done', note: `Until ${onDay(expiresAt)}` } : steps[state]
}

function liveStep(domain: Domain): Progress {
  const { badge, serving } = domain
  if (serving === 'suspended') return { state: 'failed', note: 'Suspended' }
  if (isMoving(domain)) return { state: 'waiting', note: 'After the switch' }
  if (serving === 'https' || badge === 'active') return { state: 'done', note: 'Over HTTPS' }
  return { state: 'waiting', note: serving === 'http_only' ? 'HTTP only' : 'Automatic' }
}

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
  const rankOf = ({ badge, role }: Domain) =>
    role === 'primary' ? -1 : urgency[badges[badge].tone]
  return rankOf(a) - rankOf(b) || compareHosts(a.host, b.host)
}
