// What the state of a domain means to its owner: title, tone, one sentence, the steps until visitors reach the site, and what
// comes next. Made here once: the dashboard and the command line show it as it is.
import { type Badge, badges } from '../../../client/values/domain-badges.ts'
import type { Domain } from './schema.ts'

type Described = Omit<Domain, 'status'>
type Status = Domain['status']
type Progress = Omit<Status['steps'][number], 'title'>

export function statusOf(domain: Described): Status {
  return {
    ...badges[domain.badge],
    sentence: sentenceOf(domain),
    steps: stepsOf(domain),
    next: nextOf(domain),
  }
}

/** The title of the first finding, or else a sentence about the state. */
function sentenceOf(domain: Described): string {
  const { badge, certificate, check, host } = domain
  const [first] = check?.diagnostics ?? []
  const by = certificate.issuer === null ? '' : ` from ${certificate.issuer}`
  const isBlocked = first?.severity === 'blocks'
  const sentences: Partial<Record<Badge, string | false | undefined>> = {
    active:
      isBlocked || first?.severity === 'warns'
        ? first?.title
        : `Served over HTTPS. The certificate${by} renews automatically.`,
    issuing_certificate:
      !isBlocked && 'Verified. The certificate is being issued, usually within a few minutes.',
    ready_to_switch: 'The certificate is issued. Change the DNS record whenever you like.',
    switching: `${propagationOf(domain).note} point to us. Both sites serve visitors.`,
    prepare_certificate:
      !isBlocked && 'The old site keeps serving visitors. The certificate is issued first.',
    suspended: 'The plan no longer includes custom domains. The name stays reserved for you.',
    paused: 'Not verified for 30 days. Choose Resume to check it again.',
    retrying: certificate.nextTryAt !== null && `${notIssued}.`,
  }
  const sentence = sentences[badge] || first?.title
  if (sentence) return sentence
  if (check === null) return `${host} has not been checked yet.`
  return isStuck(badge) ? `${notIssued}.` : 'Waiting for the next check.'
}

const notIssued = 'The certificate could not be issued'
const isStuck = (badge: Badge): boolean => badge === 'needs_attention' || badge === 'at_risk'

/** What the owner does next, or what happens automatically. */
function nextOf({ badge, check }: Described): string {
  const [first] = check?.diagnostics ?? []
  const titles: Partial<Record<Badge, string>> = {
    active: 'Nothing to do',
    ready_to_switch: 'Change this DNS record',
    switching: 'Waiting for your name servers',
    prepare_certificate: 'Set these TXT records',
    add_dns_record: 'Create this DNS record',
    prove_ownership: 'Prove that you own the domain',
    propagating: 'Waiting for your name servers',
    suspended: 'Upgrade the plan',
    paused: 'Check the domain again',
  }
  const title = titles[badge]
  if (title !== undefined) return title
  if (first && (first.severity === 'blocks' || badge === 'fix_dns')) return first.title
  return isStuck(badge) || badge === 'retrying' ? notIssued : 'Issuing the certificate'
}

/** What has to be done until visitors reach the site at the domain, in this order. */
function stepsOf(domain: Described): Status['steps'] {
  const ownership = { title: 'Ownership', ...ownershipStep(domain) } as const
  const certificate = { title: 'Certificate', ...certificateStep(domain) } as const
  const live = { title: 'Live', ...liveStep(domain) } as const
  return isMoving(domain)
    ? [ownership, certificate, { title: 'Switch', ...switchStep(domain) }, live]
    : [{ title: 'DNS', ...dnsStep(domain) }, ownership, certificate, live]
}

/** Whether the certificate comes first, and DNS is switched afterwards. */
const isMoving = ({ dns, preparation }: Described): boolean =>
  preparation.state === 'requested' && dns !== 'ok'

function propagationOf({ check }: Described): Progress & { updated: number } {
  const { servers = [], updated = 0 } = check?.propagation ?? {}
  return { state: 'running', note: `${updated} of ${servers.length} name servers`, updated }
}

function switchStep(domain: Described): Progress {
  const { updated, ...progress } = propagationOf(domain)
  if (updated > 0) return progress
  if (domain.badge === 'ready_to_switch') return { state: 'action', note: 'Change the record' }
  return { state: 'waiting', note: 'The old site keeps serving' }
}

/** Whether a problem hides what the name has: no registration, broken DNSSEC, a record at another name. */
const isHidden = ({ badge, check, dns }: Described): boolean =>
  badge === 'fix_dns' &&
  // D02 to D05 of the diagnostics. The state of DNS may be that of an earlier check.
  (dns === 'missing' || dns === 'unchecked' || /^D0[2-5]$/.test(check?.diagnostics[0]?.code ?? ''))

function dnsStep(domain: Described): Progress {
  if (isHidden(domain)) return { state: 'failed', note: 'Fix required' }
  const { badge, check, dns } = domain
  if (badge === 'at_risk' && dns === 'ok' && check?.result === 'unknown')
    return { state: 'failed', note: 'No answer' }
  const { updated: _, ...partial } = propagationOf(domain)
  const steps: Record<Domain['dns'], Progress> = {
    unchecked: { state: 'action', note: 'Record required' },
    missing: { state: 'action', note: 'Record required' },
    conflict: { state: 'failed', note: 'Conflicting record' },
    wrong_target: { state: 'failed', note: 'Wrong value' },
    partial,
    ok: { state: 'done', note: 'Points to us' },
    drifting: { state: 'failed', note: 'Points elsewhere' },
    lost: { state: 'failed', note: 'Points elsewhere' },
  }
  return steps[domain.dns]
}

function ownershipStep(domain: Described): Progress {
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
const isFound = ({ records }: Described, purpose: Domain['records'][number]['purpose']): boolean =>
  records.some((record) => record.purpose === purpose && record.state === 'found')

function certificateStep(domain: Described): Progress {
  const { blockedBy, expiresAt, state } = domain.certificate
  const steps: Record<Domain['certificate']['state'], Progress> = {
    none: { state: domain.ownership === 'proven' ? 'running' : 'waiting', note: 'Automatic' },
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
  return isValid
    ? { state: 'done', note: `Until ${day.format(new Date(expiresAt))}` }
    : steps[state]
}

/** `22 Nov 2026`. */
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })

function liveStep(domain: Described): Progress {
  const { badge, serving } = domain
  if (serving === 'suspended') return { state: 'failed', note: 'Suspended' }
  if (isMoving(domain)) return { state: 'waiting', note: 'After the switch' }
  if (serving === 'https' || badge === 'active') return { state: 'done', note: 'Over HTTPS' }
  return { state: 'waiting', note: serving === 'http_only' ? 'HTTP only' : 'Automatic' }
}
