// --wait of the domains commands: shows the steps of a domain until its goal, until it needs its owner, or until the
// timeout expires.
import { paint, shown, signs, type TextOptions } from '#doctor/rules/format-diagnosis.ts'
import type { Domain } from '#domains/api/schema.ts'
import type { Badge } from '../../../client/values/domain-badges.ts'
import { type Input, readDuration, UsageError } from '../command-line/command.ts'
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

/** Without what differs at every poll. */
export function withoutTimes({ certificate, check: _, checkedAt: __, ...rest }: Domain): object {
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

type Step = Domain['status']['steps'][number]

/**
 * The steps of a domain as the server tells them, one line each, then what the owner sets and why there is no certificate.
 * Without steps to come and elapsed times of running ones for output that is not redrawn.
 */
export function stepsAsLines(domain: Domain, options: TextOptions, isRedrawn = true): string[] {
  const { steps } = domain.status
  const shownSteps = isRedrawn ? steps : steps.filter(({ state }) => state !== 'waiting')
  return [
    ...shownSteps.map(({ note, state, title }) => {
      const { colour, sign } = looks[state]
      const isTimed = title === 'Certificate' && (isRedrawn || state !== 'running')
      const elapsed = isTimed ? elapsedOf(domain) : ''
      const address = title === 'Live' && state === 'done' ? `  https://${domain.host}/` : ''
      return `  ${paint(sign, colour, options)} ${title}: ${note}${elapsed}${address}`
    }),
    ...recordsToSet(domain),
    ...failureOf(domain, options),
  ]
}

const looks = {
  waiting: { sign: ' ', colour: 0 },
  running: signs.waits,
  action: signs.warns,
  done: signs.fine,
  failed: signs.blocks,
} satisfies Record<Step['state'], { sign: string; colour: number }>

function recordsToSet({ records }: Domain): string[] {
  return records
    .filter(({ state }) => state === 'required')
    .map(({ host, purpose, servers, type, value }) => {
      const { responding = 0, updated = 0 } = servers ?? {}
      const where = updated > 0 ? ` (on ${updated} of ${responding} name servers)` : ''
      const verb = purpose === 'site' ? 'Create this DNS record' : 'Set this TXT record'
      return `    ${verb}: ${shown(`${host} ${type} ${value}`)}${where}`
    })
}

function failureOf({ certificate }: Domain, { formatTime }: TextOptions): string[] {
  const { blockedReason, nextTryAt, problem, state } = certificate
  if (state !== 'blocked' && state !== 'retry_wait') return []
  const why = problem && state === 'retry_wait' ? `${problem.authority}: ${problem.detail}` : null
  const blocked =
    blockedReason === null ? 'The attempt failed.' : `It is blocked: ${blockedReason}.`
  const again = nextTryAt === null ? '' : ` Retrying at ${formatTime(Date.parse(nextTryAt))}.`
  return [`    ${shown(why ?? blocked)}${again}`]
}

/** Of the current attempt, from one second on. */
function elapsedOf({ certificate }: Domain): string {
  const ms = certificate.steps.reduce((sum, { elapsedMs }) => sum + (elapsedMs ?? 0), 0)
  const seconds = Math.floor(ms / 1000)
  const minutes = Math.floor(seconds / 60)
  if (seconds === 0) return ''
  return minutes > 0 ? `  ${minutes} min ${seconds % 60} s` : `  ${seconds} s`
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
