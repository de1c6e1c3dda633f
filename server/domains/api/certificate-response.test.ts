// The steps of a domain to its certificate, derived from its events.
import { describe, expect, it } from 'vitest'
import type { FoundDomain } from '../database/domain-row.ts'
import { type DomainEvent, stateWhenAdded } from '../state/domain-state.ts'
import { transition } from '../state/transition.ts'
import { showCertificate } from './domain-response.ts'

const second = 1000
const checked: DomainEvent = {
  type: 'checked',
  at: 0,
  result: 'ok',
  pointsToUs: true,
  provenBy: 'pointer',
  isDisputed: false,
}
const begun: DomainEvent = { type: 'begun', at: 2 * second }
const ordered: DomainEvent = { type: 'ordered', at: 5 * second }
const validating: DomainEvent = { type: 'validating', at: 6 * second }
const issued: DomainEvent = {
  type: 'issued',
  at: 9 * second,
  expiresAt: 90 * second,
  renewAt: 60 * second,
  lookAt: 20 * second,
}

const shown = (events: DomainEvent[], now: number, problem?: FoundDomain['problem']) =>
  showCertificate(
    { state: [checked, ...events].reduce(transition, stateWhenAdded(0)), problem },
    { budget: null, issuer: null, now },
  )
const steps = (events: DomainEvent[], now = 10 * second) =>
  shown(events, now).steps.map(({ elapsedMs, state, step }) => [step, state, elapsedMs])

describe('steps', () => {
  it('are none before the first attempt', () => {
    expect(shown([], 0)).toMatchObject({ state: 'preflight', steps: [], nextTryAt: null })
  })

  it('report the duration of each, and the time so far of the current one', () => {
    expect(steps([begun])).toEqual([
      ['preflight', 'running', 8 * second],
      ['ordering', 'waiting', null],
      ['validating', 'waiting', null],
    ])
    expect(steps([begun, ordered, validating])).toEqual([
      ['preflight', 'done', 3 * second],
      ['ordering', 'done', second],
      ['validating', 'running', 4 * second],
    ])
    expect(steps([begun, ordered, validating, issued], 50 * second)).toEqual([
      ['preflight', 'done', 3 * second],
      ['ordering', 'done', second],
      ['validating', 'done', 3 * second],
    ])
  })

  it('include the TXT record of a certificate before the switch', () => {
    const elsewhere: DomainEvent[] = [
      { ...checked, result: 'conflict', provenBy: 'txt', txt: 'found' },
      { type: 'preparation', at: second, isRequested: true },
      { type: 'begun', at: second },
      { type: 'ordered', at: 2 * second },
      { type: 'record_awaited', at: 3 * second, until: 90 * second, lookAt: 20 * second },
    ]
    expect(steps(elsewhere)).toEqual([
      ['preflight', 'done', second],
      ['ordering', 'done', second],
      ['awaiting_record', 'running', 7 * second],
      ['validating', 'waiting', null],
    ])
    expect(steps([...elsewhere, validating])).toEqual([
      ['preflight', 'done', second],
      ['ordering', 'done', second],
      ['awaiting_record', 'done', 3 * second],
      ['validating', 'running', 4 * second],
    ])
  })

  it('omit steps that the internal authority does not have', () => {
    expect(steps([begun, ordered, issued])).toEqual([
      ['preflight', 'done', 3 * second],
      ['ordering', 'done', 4 * second],
    ])
  })

  it('end at the failed one, and restart with the next attempt', () => {
    const failed: DomainEvent = { type: 'failed', at: 7 * second, retryAt: 40 * second, jitter: 0 }
    const events = [begun, ordered, failed]
    expect(steps(events)).toEqual([
      ['preflight', 'done', 3 * second],
      ['ordering', 'failed', 2 * second],
      ['validating', 'waiting', null],
    ])
    expect(steps([...events, { ...begun, at: 40 * second }], 41 * second)[0]).toEqual([
      'preflight',
      'running',
      second,
    ])
  })

  it('never have a negative duration, even if clocks differ', () => {
    expect(steps([begun], 0)[0]).toEqual(['preflight', 'running', 0])
  })
})

it('reports the cause of the failure and the time of the retry', () => {
  const blocked: DomainEvent = { type: 'blocked', at: 3 * second, by: 'C01', until: 303 * second }
  expect(shown([begun, blocked], 4 * second)).toMatchObject({
    state: 'blocked',
    blockedBy: 'C01',
    blockedReason: 'CAA records do not allow it (C01)',
    nextTryAt: new Date(303 * second).toISOString(),
  })
  const problem = {
    authority: 'ca.example',
    type: 'caa',
    status: 403,
    detail: 'no',
    at: 7 * second,
  }
  const failed: DomainEvent = { type: 'failed', at: 7 * second, retryAt: 40 * second, jitter: 0 }
  expect(
    shown([begun, ordered, failed], 8 * second, problem as FoundDomain['problem']),
  ).toMatchObject({
    state: 'retry_wait',
    failures: 1,
    nextTryAt: new Date(40 * second).toISOString(),
    problem: { ...problem, at: new Date(7 * second).toISOString() },
  })
  // A renewal that is only due is not a problem.
  expect(shown([begun, ordered, issued], 10 * second)).toMatchObject({
    state: 'issued',
    nextTryAt: null,
    renewAt: new Date(60 * second).toISOString(),
  })
})
