// --wait of the domains commands: shows the steps of a domain until its goal, until it needs its owner, or until the
// timeout expires.
// The steps of a domain from its DNS record to HTTPS, as --wait shows them.
// How the terminal shows what a check found.
import { setTimeout as delay } from 'node:timers/promises'
import type { Domain } from '#domains/api/schema.ts'
import { paint, shown, signs, type TextOptions } from '#domains/doctor/format-diagnosis.ts'
import { describeBlocker } from '#domains/state/describe-blocker.ts'
import { type Badge, badges } from '../../../client/values/domain-badges.ts'
import { type Input, readDuration, UsageError } from '../command-line/command.ts'
import { createLiveLines } from '../command-line/progress.ts'
import type { Call } from './domains-client.ts'

const defaultTimeout = '30m'
const pollEveryMs = 1000
/** As often as the dashboard does while its page is open. */
const verifyEveryMs = 15_000
/** Badges that change without the owner, or as soon as the owner has created the record. */
const pendingBadges: readonly Badge[] = [
  'add_dns_record',
  'propagating',
  'prepare_certificate',
  'ready_to_switch',
  'switching',
  'issuing_certificate',
  'retrying',
]

/** The timeout in milliseconds; undefined without --wait. Throws a UsageError. */
export function readTimeout({ options }: Pick<Input, 'options'>): number | undefined {
  const { timeout, wait } = options
  if (wait === undefined) {
    if (timeout !== undefined) throw new UsageError('--timeout requires --wait')
    return undefined
  }
  const ms = readDuration(timeout ?? defaultTimeout)
  if (ms === undefined) throw new UsageError('--timeout accepts a duration such as 10m or 48h')
  return ms
}

/** Prints the steps or, with --json, one line for each change. */
export async function followDomain(
  call: Call,
  domain: Domain,
  { goal = 'active', json, timeoutMs }: { goal?: WaitGoal; json: boolean; timeoutMs: number },
): Promise<WaitResult> {
  const lines = createLiveLines(process.stdout)
  const options = textOptions()
  let last = ''
  const found = await waitForDomain(call, domain, {
    goal,
    timeoutMs,
    now: () => performance.now(),
    wait: delay,
    onPoll(seen) {
      if (!json) {
        const steps = domainSteps(seen, options.formatTime)
        lines.show(stepsAsLines(process.stdout.isTTY ? steps : steps.flatMap(taken), options))
        return
      }
      const news = JSON.stringify(withoutTimes(seen))
      if (news !== last) process.stdout.write(`${JSON.stringify(seen)}\n`)
      last = news
    },
  })
  const { badge, host } = found.domain
  if (found.result === 'timeout') {
    const what =
      typeof goal === 'object'
        ? `DNS does not have the records of ${host} yet`
        : `${host} is not ${goal === 'active' ? 'active' : 'ready'} yet`
    process.stderr.write(
      `animal-store: ${what}: ${badges[badge].title}. It continues automatically; check again with domains verify.\n`,
    )
  }
  return found
}

/** For output that is not redrawn: without steps to come and without elapsed times of running steps. */
function taken(step: DomainStep): DomainStep[] {
  if (step.state === 'waiting') return []
  return [step.state === 'running' ? { ...step, elapsedMs: null } : step]
}

/** Without what differs at every poll. */
function withoutTimes({ certificate, check: _, checkedAt: __, ...rest }: Domain): object {
  const steps = certificate.steps.map(({ state, step }) => ({ state, step }))
  return { ...rest, certificate: { ...certificate, steps } }
}

/** A check may be requested twice. */
const outages = ['unreachable', 'unavailable', 'outcome_unknown']

/** What ends the wait with success: the domain is served, its DNS can be switched, or DNS has these records. */
export type WaitGoal = 'active' | 'ready_to_switch' | { pointer: boolean; ownership: boolean }

interface DomainWait {
  /** `active` by default. */
  goal?: WaitGoal
  /** Milliseconds. */
  timeoutMs: number
  /** Called after each poll. */
  onPoll(domain: Domain): void
  /** Monotonic milliseconds. */
  now(): number
  wait(ms: number): Promise<unknown>
}

interface WaitResult {
  domain: Domain
  /** `owner`: the owner has to fix something first. */
  result: 'active' | 'owner' | 'timeout'
}

function isReached({ badge, dns, ownership }: Domain, goal: WaitGoal): boolean {
  if (typeof goal === 'string') return badge === 'active' || badge === goal
  return (dns === 'ok' || !goal.pointer) && (ownership === 'proven' || !goal.ownership)
}

/** Polls until the goal is reached, the domain needs its owner, or the timeout expires. Throws errors of the
 * server, but retries while it cannot be reached. */
export async function waitForDomain(
  call: Call,
  first: Domain,
  { goal = 'active', now, onPoll, timeoutMs, wait }: DomainWait,
): Promise<WaitResult> {
  const params = { slug: first.project, host: first.host }
  const startedAt = now()
  let verifiedAt = startedAt
  let domain = first
  for (;;) {
    onPoll(domain)
    if (isReached(domain, goal)) return { domain, result: 'active' }
    // Records that are wrong until the owner has confirmed elsewhere do not end it.
    const isPending = typeof goal === 'object' || pendingBadges.includes(domain.badge)
    if (!isPending) return { domain, result: 'owner' }
    const left = timeoutMs - (now() - startedAt)
    if (left <= 0) return { domain, result: 'timeout' }
    await wait(Math.min(pollEveryMs, left))
    const isVerified = domain.dns === 'ok' && domain.ownership === 'proven'
    const isDue = now() - verifiedAt >= verifyEveryMs
    try {
      if (!isVerified && isDue) {
        verifiedAt = now()
        domain = await call('POST /projects/{slug}/domains/{host}/verify', { params })
      } else {
        domain = await call('GET /projects/{slug}/domains/{host}', { params })
      }
    } catch (error) {
      const { code = '' } = error as { code?: string }
      if (!outages.includes(code)) throw error
      if (now() - startedAt >= timeoutMs) throw error
    }
  }
}

interface DomainStep {
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

/** Colours on a terminal unless NO_COLOR is set, lines that fit its width, times in the local time zone. */
export function textOptions(): TextOptions {
  const { columns, isTTY } = process.stdout
  return {
    ...(isTTY && columns > 0 ? { columns } : {}),
    hasColour: isTTY === true && !process.env.NO_COLOR,
    formatTime: (at) =>
      new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' }),
  }
}
