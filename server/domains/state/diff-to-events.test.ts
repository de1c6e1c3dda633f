// Which events and notifications the changes of a domain cause.
import { expect, it } from 'vitest'
import { type Change, diffToEvents, type LastNotified } from './diff-to-events.ts'
import { type DomainEvent, type DomainState, stateWhenAdded } from './domain-state.ts'
import { transition } from './transition.ts'

const minute = 60_000
const day = 24 * 60 * minute
const start = Date.UTC(2027, 0, 1)

type Happens = DomainEvent extends infer E ? (E extends DomainEvent ? Omit<E, 'at'> : never) : never

function live() {
  let state: DomainState = stateWhenAdded(start)
  let lastNotified: LastNotified = null
  let now = start
  const notices: string[] = []
  /** The changes as `type` or `type code`; `!` marks those that cause a notification. */
  function happen(event: Happens, passMs = minute): string[] {
    now += passMs
    const full = { ...event, at: now } as DomainEvent
    const after = transition(state, full)
    const step = diffToEvents({
      before: state,
      after,
      event: full,
      lastNotified,
      problem: undefined,
    })
    state = after
    lastNotified = step.lastNotified
    const said = step.changes.map(nameOf)
    notices.push(...said.filter((name) => name.startsWith('!')))
    return said
  }
  const check = (result: 'ok' | 'missing', passMs?: number): string[] =>
    happen(
      {
        type: 'checked',
        result,
        pointsToUs: result === 'ok',
        provenBy: result === 'ok' ? 'pointer' : undefined,
        isDisputed: false,
      },
      passMs,
    )
  const issue = (days = 90): string[] => {
    const [expiresAt, renewAt] = [now + days * day, now + days * day * 0.66]
    return happen({ type: 'issued', expiresAt, renewAt, lookAt: renewAt })
  }
  const fail = (passMs?: number): string[] =>
    happen({ type: 'failed', retryAt: undefined, jitter: 0 }, passMs)
  return { happen, check, issue, fail, notices }
}

function nameOf({ detail, isNotice, type }: Change): string {
  const { because, code, to } = detail
  return [(isNotice ? '!' : '') + type, because ?? code ?? to].filter(Boolean).join(' ')
}

it('reports the steps to the first certificate, and renewals', () => {
  const { check, happen, issue, notices } = live()
  expect(check('missing')).toEqual(['dns_changed missing'])
  expect(check('missing')).toEqual([])
  expect(check('ok')).toEqual(['dns_changed ok', 'verified'])
  expect(happen({ type: 'begun' })).toEqual([])
  expect(happen({ type: 'ordered' })).toEqual(['certificate_ordered'])
  expect(happen({ type: 'validating' })).toEqual([])
  expect(issue()).toEqual(['!active'])
  expect(check('ok', 6 * 60 * minute)).toEqual([])
  happen({ type: 'begun' }, 59 * day)
  happen({ type: 'ordered' })
  expect(issue()).toEqual(['renewed'])
  expect(notices).toEqual(['!active'])
})

it('notifies once of a series of failures, and of its end', () => {
  const { check, fail, happen, issue } = live()
  check('ok')
  happen({ type: 'begun' })
  expect(fail()).toEqual(['!failed'])
  expect(fail()).toEqual(['failed'])
  expect(happen({ type: 'blocked', by: 'C01' })).toEqual(['failed C01'])
  expect(happen({ type: 'blocked', by: 'C01' })).toEqual([])
  expect(happen({ type: 'verification_requested' })).toEqual([])
  expect(issue()).toEqual(['!active'])
})

it('reports a delay after 30 minutes without progress', () => {
  const { check, happen } = live()
  check('ok')
  happen({ type: 'begun' })
  happen({ type: 'ordered' })
  happen({ type: 'validating' })
  expect(happen({ type: 'tick' }, 31 * minute)).toEqual(['!failed late'])
  expect(happen({ type: 'tick' })).toEqual([])
})

it('does not notify of early renewal failures, then warns once', () => {
  const { check, fail, happen, issue, notices } = live()
  check('ok')
  issue(30)
  happen({ type: 'begun' }, 20 * day)
  expect(fail()).toEqual(['failed'])
  expect(fail(4 * day)).toEqual(['failed', '!at_risk certificate'])
  expect(fail(day)).toEqual(['failed'])
  expect(fail(10 * day)).toEqual(['!failed'])
  expect(notices).toEqual(['!active', '!at_risk certificate', '!failed'])
})

it('reports an expired certificate', () => {
  const { check, happen, issue } = live()
  check('ok')
  issue(30)
  expect(happen({ type: 'tick' }, 31 * day)).toEqual(['!failed expired'])
  expect(happen({ type: 'tick' })).toEqual([])
})

it('warns when a second check fails, and reports when the domain is no longer served', () => {
  const { check, issue } = live()
  check('ok')
  issue()
  expect(check('missing')).toEqual(['dns_changed drifting'])
  expect(check('ok')).toEqual(['dns_changed ok'])
  expect(check('missing')).toEqual(['dns_changed drifting'])
  expect(check('missing', 11 * minute)).toEqual(['dns_changed lost', '!at_risk dns'])
  expect(check('missing', 10 * minute)).toEqual([])
  expect(check('missing', 7 * day)).toEqual(['!lost dns'])
  expect(check('ok')).toEqual(['dns_changed ok', '!active'])
})

it('reports a plan that expires and is renewed', () => {
  const { check, happen, issue } = live()
  check('ok')
  issue()
  expect(happen({ type: 'plan', isPaid: false })).toEqual(['suspended'])
  expect(happen({ type: 'plan', isPaid: false })).toEqual([])
  expect(happen({ type: 'plan', isPaid: true })).toEqual(['!active'])
})

it('reports ownership by another account, and a pause without verification', () => {
  const taken = live()
  taken.check('ok')
  expect(taken.happen({ type: 'ownership_lost' })).toEqual(['!lost claimed'])
  const forgotten = live()
  forgotten.check('missing')
  expect(forgotten.check('missing', 31 * day)).toEqual(['paused'])
  expect(forgotten.happen({ type: 'tick' })).toEqual([])
})

it('tells once that nobody can look it up, after two checks that confirm it', () => {
  const { check, happen, issue, notices } = live()
  const lookup = (isUnresolvable: boolean, passMs: number) =>
    happen(
      {
        type: 'checked',
        result: 'unknown',
        isUnresolvable,
        pointsToUs: false,
        provenBy: undefined,
        isDisputed: false,
      },
      passMs,
    )
  check('ok')
  issue()
  expect(lookup(true, minute)).toEqual([])
  // What fails here confirms nothing.
  expect(lookup(false, 10 * minute)).toEqual([])
  expect(lookup(true, 10 * minute)).toEqual([])
  expect(lookup(true, 10 * minute)).toEqual(['!at_risk lookup'])
  expect(lookup(false, 10 * minute)).toEqual([])
  expect(lookup(true, 8 * day)).toEqual([])
  expect(check('ok')).toEqual(['!active'])
  expect(notices).toEqual(['!active', '!at_risk lookup', '!active'])
})
