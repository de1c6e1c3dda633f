// Many certificates over a long time, in simulated time: renewals are spread, the authority's rate limits are kept, and no
// certificate expires. SIMULATED_HOSTS=200 SIMULATED_DAYS=365 npm run test:long -- simulated-year is the long form.
// In npm test: test/certificates/renewal.test.ts.
import { expect, it } from 'vitest'
import type { Limits } from '#domains/certificates/rate-limits/attempt-log.ts'
import { shared } from '../shared.ts'
import { day, hour, type Subject, startEngineWorld } from './engine-in-test.ts'

const hosts = Number(process.env.SIMULATED_HOSTS ?? 4)
const days = Number(process.env.SIMULATED_DAYS ?? 70)
/** In the proportions of Let's Encrypt, which allows 300 orders in three hours. */
const ordersWithin3Hours = Math.max(3, Math.ceil(hosts / 40))
const limits: Limits = {
  failedValidations: { most: 5, withinMs: hour },
  certificatesOfHost: { most: 5, withinMs: 7 * day },
  certificatesOfDomain: { most: 50, withinMs: 7 * day },
  orders: { most: ordersWithin3Hours, withinMs: 3 * hour },
  newOrders: { most: ordersWithin3Hours - 1, withinMs: 3 * hour },
  newOrdersOfHolder: { most: ordersWithin3Hours - 1, withinMs: 3 * hour },
  newOrdersOfSiteOwner: undefined,
}

const world = shared(() => startEngineWorld('sqlite', { ...process.env, PEBBLE: '' }))

it(`renews ${hosts} certificates for ${days} days`, { timeout: 3_600_000 }, async () => {
  const engine = world.startEngine({ limitsOf: () => limits, random: Math.random })
  const start = world.clock.now
  const subjects: Subject[] = []
  for (let count = 0; count < hosts; count++) subjects.push(await world.subject())
  const due = new Map(subjects.map((subject) => [subject, start]))
  const validUntil = new Map<Subject, number>()
  const ordered: number[] = []
  const renewed: number[] = []

  for (;;) {
    const [subject, at] = [...due].reduce((first, next) => (next[1] < first[1] ? next : first))
    if (at > start + days * day) break
    world.clock.now = Math.max(world.clock.now, at)
    const { now } = world.clock
    expect(validUntil.get(subject) ?? now + 1, `${subject.host} is served`).toBeGreaterThan(now)
    const { state, problem } = await engine.processCertificate(subject)
    expect(problem).toBeUndefined()
    due.set(subject, state.issueAt ?? Number.NaN)
    if (state.expiresAt !== validUntil.get(subject) && state.expiresAt) {
      ordered.push(now)
      if (validUntil.has(subject)) renewed.push(now)
      validUntil.set(subject, state.expiresAt)
    }
  }

  // A certificate of 90 days is renewed after two thirds of its life.
  expect(renewed.length).toBeGreaterThanOrEqual(hosts * Math.floor((days - 5) / 61))
  expect(validUntil.size).toBe(hosts)
  // As the authority counts.
  for (const at of ordered) {
    const inWindow = ordered.filter((other) => other <= at && other > at - 3 * hour)
    expect(inWindow.length).toBeLessThanOrEqual(ordersWithin3Hours)
  }
  // Certificates of the same hour are not renewed in the same hour.
  const busiest = Math.max(
    ...renewed.map((at) => renewed.filter((other) => other <= at && other > at - hour).length),
  )
  expect(busiest).toBeLessThanOrEqual(Math.max(2, Math.ceil(hosts / 10)))
})
