// Waiting for a domain: which badges end the wait, how often it polls and verifies, and what happens while the
// server is unavailable.
import { expect, it } from 'vitest'
import type { Domain } from '#domains/api/schema.ts'
import { ManagementError } from '../../../client/management-client.ts'
import { type Badge, badges } from '../../../client/values/domain-badges.ts'
import type { Call } from './domains-client.ts'
import { waitForDomain } from './follow-domain.ts'

const domain = (badge: Badge, more: Partial<Domain> = {}): Domain =>
  ({ host: 'docs.mossy.example', project: 'handbook', badge, dns: 'missing', ...more }) as Domain

/** The responses of the server in order; the last one repeats. Time passes only while waiting. */
function waiting(first: Domain, answers: (Domain | Error)[], timeoutMs = 60_000) {
  const looks: Badge[] = []
  const calls: { at: number; method: string | undefined }[] = []
  let now = 0
  const call = async (route: string) => {
    calls.push({ at: now, method: route.split(' ')[0] })
    const response = (answers.length > 1 ? answers.shift() : answers[0]) as Domain | Error
    if (response instanceof Error) throw response
    return response
  }
  const result = waitForDomain(call as unknown as Call, first, {
    timeoutMs,
    onPoll: ({ badge }) => looks.push(badge),
    now: () => now,
    wait: async (ms) => {
      now += ms
    },
  })
  return { result, looks, calls, passed: () => now }
}

it('polls every second until the domain is active', async () => {
  const { calls, looks, result } = waiting(domain('add_dns_record'), [
    domain('propagating'),
    domain('issuing_certificate'),
    domain('active'),
  ])
  expect(await result).toMatchObject({ result: 'active', domain: { badge: 'active' } })
  expect(looks).toEqual(['add_dns_record', 'propagating', 'issuing_certificate', 'active'])
  expect(calls.map(({ at }) => at)).toEqual([1000, 2000, 3000])
})

it.each(Object.keys(badges) as Badge[])(
  'decides whether %s needs an action of the owner',
  async (badge) => {
    const { passed, result } = waiting(domain('issuing_certificate'), [domain(badge)], 5000)
    const passing = [
      ...['add_dns_record', 'propagating', 'prepare_certificate', 'ready_to_switch', 'switching'],
      ...['issuing_certificate', 'retrying'],
    ]
    const ends = badge === 'active' ? 'active' : passing.includes(badge) ? 'timeout' : 'owner'
    expect((await result).result).toBe(ends)
    expect(passed()).toBe(ends === 'timeout' ? 5000 : 1000)
  },
)

it('ends where DNS can be switched, if that is waited for', async () => {
  const call = async () => domain('ready_to_switch')
  const ended = await waitForDomain(call as unknown as Call, domain('prepare_certificate'), {
    goal: 'ready_to_switch',
    ...{ timeoutMs: 5000, onPoll: () => {}, now: () => 0, wait: async () => {} },
  })
  expect(ended).toMatchObject({ result: 'active', domain: { badge: 'ready_to_switch' } })
})

it('requests verification every 15 seconds, for unverified domains only', async () => {
  const unproven = waiting(domain('add_dns_record'), [domain('add_dns_record')], 50_000)
  await unproven.result
  const verified = unproven.calls.filter(({ method }) => method === 'POST')
  expect(verified.map(({ at }) => at)).toEqual([15_000, 30_000, 45_000])
  const proven = domain('issuing_certificate', { dns: 'ok', ownership: 'proven' })
  const certified = waiting(proven, [proven], 50_000)
  await certified.result
  expect(certified.calls.filter(({ method }) => method === 'POST')).toEqual([])
})

it('retries while the server is unavailable, and ends with the error when the request is refused', async () => {
  const away = new ManagementError({ code: 'unreachable', message: 'away', status: 0 })
  const back = waiting(domain('issuing_certificate'), [away, away, domain('active')])
  expect((await back.result).result).toBe('active')
  await expect(waiting(domain('retrying'), [away], 5000).result).rejects.toBe(away)
  const unknown = new ManagementError({ code: 'outcome_unknown', message: '?', status: 504 })
  const checked = waiting(domain('retrying'), [unknown, domain('active')])
  expect((await checked.result).result).toBe('active')
  const gone = new ManagementError({ code: 'domain_not_found', message: 'gone', status: 404 })
  const removed = waiting(domain('retrying'), [gone])
  await expect(removed.result).rejects.toBe(gone)
  expect(removed.passed()).toBe(1000)
})
