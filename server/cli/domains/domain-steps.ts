// The steps of a domain from its DNS record to HTTPS, as --wait shows them.

import type { Domain } from '#domains/api/schema.ts'
import { paint, shown, signs, type TextOptions } from '#domains/doctor/terminal-text.ts'
import { describeBlocker } from '#domains/state/describe-blocker.ts'

export interface DomainStep {
  state: 'waiting' | 'running' | 'done' | 'failed'
  text: string
  /** Null where it is not measured. */
  elapsedMs: number | null
}

const certificateSteps = {
  preflight: 'Running pre-checks',
  ordering: 'Ordering the certificate',
  awaiting_record: 'Waiting for the TXT record on every name server',
  validating: 'The authority validates the domain',
} as const

/** In order. */
export function domainSteps(domain: Domain, formatTime: TextOptions['formatTime']): DomainStep[] {
  if (domain.preparation.state === 'requested' && domain.dns !== 'ok') {
    return [...recordSteps(domain), ...certificateOf(domain, formatTime), ...switchSteps(domain)]
  }
  return [dnsStep(domain), ownershipStep(domain), ...certificateOf(domain, formatTime)]
}

/** The TXT records that have to be set before DNS is switched. */
function recordSteps({ records }: Domain): DomainStep[] {
  return records
    .filter(({ purpose, state }) => purpose !== 'site' && state !== 'obsolete')
    .map(({ host, servers, state, value }) => {
      if (state === 'found') return step('done', `TXT record at ${host}`)
      const { responding = 0, updated = 0 } = servers ?? {}
      const where = updated > 0 ? ` (on ${updated} of ${responding} name servers)` : ''
      return step('running', `Set this TXT record: ${host}  ${value}${where}`)
    })
}

function switchSteps({ badge, dns, record, serving }: Domain): DomainStep[] {
  if (badge !== 'ready_to_switch' && badge !== 'switching') return []
  if (serving !== 'https') return []
  const change = `${record.name} ${record.type} ${record.value}`
  return [
    step(
      dns === 'partial' ? 'running' : 'waiting',
      dns === 'partial' ? 'DNS is being switched' : `Ready to switch. Change DNS to: ${change}`,
    ),
  ]
}

/** One line for each step, with its duration from one second on. */
export function stepsAsLines(steps: readonly DomainStep[], options: TextOptions): string[] {
  return steps.map(({ elapsedMs, state, text }) => {
    const { colour, sign } = looks[state]
    const elapsed = elapsedMs !== null && elapsedMs >= 1000 ? `  ${span(elapsedMs)}` : ''
    return `  ${paint(sign, colour, options)} ${shown(text)}${elapsed}`
  })
}

const looks = {
  waiting: { sign: ' ', colour: 0 },
  running: signs.waits,
  done: signs.fine,
  failed: signs.blocks,
} satisfies Record<DomainStep['state'], { sign: string; colour: number }>

function step(state: DomainStep['state'], text: string): DomainStep {
  return { state, text, elapsedMs: null }
}

function dnsStep({ check, dns, record }: Domain): DomainStep {
  const headline = check?.diagnostics[0]?.title
  switch (dns) {
    case 'ok':
      return step('done', 'DNS points here')
    case 'partial': {
      const { responding = 0, updated = 0 } = check?.propagation ?? {}
      return step('running', `DNS points here on ${updated} of ${responding} name servers`)
    }
    case 'unchecked':
    case 'missing':
      return step(
        'running',
        `Waiting for the DNS record: ${record.name} ${record.type} ${record.value}`,
      )
    default:
      return step('failed', headline ?? 'DNS points elsewhere')
  }
}

function ownershipStep({ badge, ownership, verification, provenBy }: Domain): DomainStep {
  if (ownership === 'proven') {
    const by = provenBy === 'txt' ? 'the TXT record' : 'where it points'
    return step('done', `Ownership is proven by ${by}`)
  }
  if (badge === 'prove_ownership')
    return step('failed', `Ownership needs a TXT record: ${verification.host}`)
  return step('waiting', 'Ownership')
}

function certificateOf(domain: Domain, formatTime: TextOptions['formatTime']): DomainStep[] {
  const { certificate, host, ownership, serving } = domain
  const { blockedBy, expiresAt, issuer, nextTryAt, problem, state } = certificate
  const taken = certificate.steps.map(
    ({ elapsedMs, state, step: name }): DomainStep => ({
      state,
      elapsedMs,
      text: certificateSteps[name],
    }),
  )
  const again = nextTryAt === null ? '' : ` Retrying at ${formatTime(Date.parse(nextTryAt))}.`
  if (serving === 'https') {
    const by = issuer === null ? '' : ` by ${issuer}`
    const until = expiresAt === null ? '' : `, until ${expiresAt.slice(0, 10)}`
    const issued = step('done', `Certificate${by}${until}`)
    const isLive = domain.preparation.state !== 'requested' || domain.dns === 'ok'
    return isLive ? [...taken, issued, step('done', `https://${host}/`)] : [...taken, issued]
  }
  if (state === 'blocked') {
    return [
      ...taken,
      step(
        'failed',
        `Certificate request blocked: ${describeBlocker(blockedBy ?? 'blocked')}.${again}`,
      ),
    ]
  }
  if (state === 'retry_wait') {
    const said = problem ? `${problem.authority}: ${problem.detail}` : 'The attempt failed.'
    return [...taken, step('waiting', `${said}${again}`)]
  }
  const begun = taken.length > 0 && ownership === 'proven'
  return begun ? taken : [step('waiting', 'Certificate')]
}

function span(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const minutes = Math.floor(seconds / 60)
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`
}
