// --wait of the domains commands: shows the steps of a domain until its goal, until it needs its owner, or until the
// timeout expires.
import { setTimeout as delay } from 'node:timers/promises'
import type { Domain } from '#domains/api/schema.ts'
import { type Badge, badges } from '../../../client/values/domain-badges.ts'
import { type Input, readDuration, UsageError } from '../command-line/command.ts'
import { createLiveLines } from '../command-line/progress.ts'
import { textOptions } from './diagnosis-text.ts'
import { type DomainStep, domainSteps, stepsAsLines } from './domain-steps.ts'
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
