// The authority is not asked while something blocks it: the doctor's findings, our own token that cannot be fetched,
// an exhausted rate limit. The reason is shown, and issuance resumes automatically.
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { caaSetIn } from '#dns/caa/find-caa.ts'
import {
  type Limits,
  limitsOf,
  readRateLimits,
} from '#domains/certificates/rate-limits/attempt-log.ts'
import { findLastEvidence } from '#domains/database/find-domains.ts'
import { badgeOf } from '#domains/state/badge.ts'
import { shared } from '../shared.ts'
import { day, hour, minute, type Subject, startEngineWorld } from './engine-in-test.ts'

const world = shared(() => startEngineWorld())
const engine = shared(() => world.startEngine())
// The account exists, and the directory is cached.
beforeAll(async () => void (await engine.settle(await world.subject())))
beforeEach(() => world.reset())

/** It is blocked, the authority was not asked, and no order is left. */
async function expectBlocked(subject: Subject, by: string, until = world.clock.now + 5 * minute) {
  const { state } = await engine.settle(subject)
  expect(state).toMatchObject({
    certificate: 'blocked',
    blockedBy: by,
    issueAt: until,
    failures: 0,
  })
  expect(world.asked()).toEqual([])
  const { orders } = await world.rows()
  expect(orders.filter(({ domain_id }) => domain_id === subject.id)).toEqual([])
}

describe('a finding of the doctor', () => {
  it('that CAA forbids us blocks the order until it is fixed', async () => {
    const subject = await world.subject()
    subject.put('@', 'CAA', '0 issue "other.example"')
    // A check of a minute ago is repeated.
    world.clock.now += minute
    await expectBlocked(subject, 'C01')
    subject.clear('@')
    subject.put('@', 'CAA', '0 issue "pebble.letsencrypt.org"')
    await world.check(subject)
    world.clock.now += minute
    expect((await engine.settle(subject)).state.certificate).toBe('issued')
  })

  it('that CAA could not be asked blocks the order until it is known', async () => {
    const subject = await world.subject()
    const setFault = (fault: 'none' | 'silent_caa') => {
      for (let i = 1; i <= subject.zone.servers; i++) subject.zone.server(i, { fault })
    }
    setFault('silent_caa')
    world.clock.now += minute
    await expectBlocked(subject, 'C06')
    const evidence = JSON.parse((await findLastEvidence(world.database.read, subject.id)) ?? '')
    expect(caaSetIn(evidence.caa)).toBe('unknown')
    setFault('none')
    world.clock.now += 5 * minute
    expect((await engine.settle(subject)).state.certificate).toBe('issued')
  })

  it('that CAA has no signature blocks the order, and nothing else', async () => {
    const subject = await world.subject()
    const { resolver } = world.lab.dns
    resolver.bogus.add(`${subject.zone.name} CAA`)
    onTestFinished(() => resolver.bogus.clear())
    world.clock.now += minute
    await expectBlocked(subject, 'D04')
    expect((await engine.settle(subject)).state).toMatchObject({ dns: 'ok', ownership: 'proven' })
    resolver.bogus.clear()
    world.clock.now += 5 * minute
    expect((await engine.settle(subject)).state.certificate).toBe('issued')
  })

  it('that CAA names another account gives the line with ours', async () => {
    const subject = await world.subject()
    const line = '0 issue "pebble.letsencrypt.org; accounturi=https://other.example/acct/1"'
    subject.put('@', 'CAA', line)
    world.clock.now += minute
    await expectBlocked(subject, 'C04')
    const [authority] = await engine.certificates.authorities()
    expect(authority?.accountUri).toMatch(/^https:.*my-account/)
    subject.clear('@')
    const platform = `accounturi=${authority?.accountUri}`
    subject.put('@', 'CAA', `0 issue "pebble.letsencrypt.org; ${platform}"`)
    world.clock.now += 5 * minute
    expect((await engine.settle(subject)).state.certificate).toBe('issued')
  })

  it('that no name server responds blocks the order and changes nothing else', async () => {
    const subject = await world.subject()
    for (const n of [1, 2, 3, 4]) subject.zone.server(n, { fault: 'refusing' })
    world.clock.now += minute
    const { state } = await engine.settle(subject)
    expect(state).toMatchObject({ certificate: 'blocked', ownership: 'proven', dns: 'ok' })
    expect(world.asked()).toEqual([])
  })

  it('that the host points elsewhere ends the attempt', async () => {
    const subject = await world.subject()
    subject.clear('docs')
    subject.put('docs', 'CNAME', 'elsewhere.example.')
    world.clock.now += minute
    const { state } = await engine.settle(subject)
    expect(state).toMatchObject({ certificate: 'none', dns: 'drifting', issueAt: null })
    expect(world.asked()).toEqual([])
  })
})

describe('our own token', () => {
  it.each([
    ['answered by another server', 'nothing', 'T03'],
    ['without a response', 'silence', 'T01'],
  ] as const)('%s blocks the order', async (_, refused, code) => {
    const subject = await world.subject()
    world.servers.refuses = () => refused
    await expectBlocked(subject, code)
    world.servers.refuses = () => undefined
    world.clock.now += 5 * minute
    expect((await engine.settle(subject)).state.certificate).toBe('issued')
  })

  it('is not checked at platform hosts, whose DNS is the operator’s', async () => {
    const subject = await world.subject()
    await world.setHolder(subject, 'platform')
    let own = 0
    world.servers.refuses = (userAgent) => {
      if (!userAgent.includes('Pebble')) own++
      return undefined
    }
    expect((await engine.settle(subject)).state.certificate).toBe('issued')
    expect(own).toBe(0)
  })
})

it('while HTTPS is off nothing is requested, with the reason; once it is on, the certificate is issued', async () => {
  const subject = await world.subject()
  world.faults.asked.length = 0
  const plain = world.startEngine({ env: { HTTPS_PORT: 'off' } })
  const { state } = await plain.processCertificate(subject)
  expect(state).toMatchObject({ certificate: 'blocked', blockedBy: 'https_off' })
  expect(world.faults.asked).toEqual([])
  // A proxy in front has the certificates: there is nothing to fix.
  expect(badgeOf(state, world.clock.now)).toBe('active')
  world.clock.now += 61 * minute
  expect((await engine.settle(subject)).state.certificate).toBe('issued')
})

describe('the rate limits', () => {
  const limited = (limits: Partial<Limits>) =>
    world.startEngine({ limitsOf: (directory) => ({ ...limitsOf(directory), ...limits }) })

  it('allow five failed validations of a host in an hour', async () => {
    const subject = await world.subject()
    world.servers.refuses = (userAgent) => (userAgent.includes('Pebble') ? 'nothing' : undefined)
    // The other method fails, too.
    const plain = world.startEngine({ env: { HTTPS_PORT: 'off' }, servesHttps: true })
    const first = world.clock.now
    for (let failed = 1; failed <= 5; failed++) {
      expect((await plain.settle(subject)).state.certificate).toBe('retry_wait')
      world.clock.now += minute
    }
    const directory = world.faults.directoryUrl
    const { host, zone } = subject
    const account = { directory, host, registeredDomain: zone.name, holder: 'operators' }
    const left = await readRateLimits(
      world.database.read,
      account,
      limitsOf(directory),
      world.clock.now,
    )
    expect(left.failedValidations).toEqual({ most: 5, left: 0, until: first + hour })
    world.faults.asked.length = 0
    world.servers.refuses = () => undefined
    const { state } = await plain.settle(subject)
    expect(state).toMatchObject({
      certificate: 'blocked',
      blockedBy: 'budget',
      issueAt: first + hour,
    })
    expect(world.asked()).toEqual([])
    // Another host has its own limit.
    expect((await plain.settle(await world.subject())).state.certificate).toBe('issued')
    world.clock.now = first + hour
    expect((await plain.settle(subject)).state.certificate).toBe('issued')
  })

  it('limit certificates for a registered domain, including those being issued', async () => {
    const two = limited({ certificatesOfDomain: { most: 2, withinMs: 7 * day } })
    const subject = await world.subject('a')
    const subjects = [subject]
    for (const label of ['b', 'c']) subjects.push(await world.subjectInSameZone(subject, label))
    const first = world.clock.now
    const ends = await Promise.all(subjects.map((each) => two.settle(each)))
    const states = ends.map(({ state }) => state.certificate).toSorted()
    expect(states).toEqual(['blocked', 'issued', 'issued'])
    expect(world.asked().filter((line) => line === 'POST order-plz')).toHaveLength(2)
    const blocked = ends.find(({ state }) => state.certificate === 'blocked')
    expect(blocked?.state.blockedBy).toBe('budget')
    const late = subjects.find(({ id }) => id === blocked?.id)
    if (!late) throw new Error('no domain was blocked')
    world.clock.now = Math.max(blocked?.state.issueAt ?? 0, world.clock.now)
    const again = await two.settle(late)
    // This was not known while they were being issued; now it is.
    expect(again.state).toMatchObject({ certificate: 'blocked', issueAt: first + 7 * day })
    world.clock.now = first + 7 * day
    await world.check(late)
    expect((await two.settle(late)).state.certificate).toBe('issued')
  })

  it('share first certificates among owners, and keep orders for renewals', async () => {
    const withinMs = 100 * day
    const directory = world.faults.directoryUrl
    const most = 1000
    const used = await readRateLimits(
      world.database.read,
      { directory, host: '', registeredDomain: '', holder: '' },
      { ...limitsOf(directory), newOrders: { most, withinMs } },
      world.clock.now,
    )
    const before = most - (used.newOrders?.left ?? 0)
    const shared = limited({
      newOrders: { most: before + 2, withinMs },
      newOrdersOfHolder: { most: 1, withinMs },
    })
    const [first, second] = [await world.subject(), await world.subject()]
    const [other, late] = [await world.subject(), await world.subject()]
    for (const each of [first, second]) await world.setHolder(each, 'acc_first')
    await world.setHolder(other, 'acc_other')
    await world.setHolder(late, 'acc_late')
    const until = world.clock.now + withinMs
    const budget = { certificate: 'blocked', blockedBy: 'budget' }
    const issued = (await shared.settle(first)).state
    expect(issued.certificate).toBe('issued')
    expect((await shared.settle(second)).state).toMatchObject({ ...budget, issueAt: until })
    expect((await shared.settle(other)).state.certificate).toBe('issued')
    expect((await shared.settle(late)).state).toMatchObject(budget)
    world.clock.now = issued.renewAt ?? 0
    world.lab.dns.resolver.clear()
    await world.check(first)
    const renewed = (await shared.settle(first)).state
    expect(renewed.certificate).toBe('issued')
    expect(renewed.renewAt).not.toBe(issued.renewAt)
  })

  it('share the certificates of the platform’s domain among the owners of sites', async () => {
    const shared = limited({ newOrdersOfSiteOwner: { most: 1, withinMs: 7 * day } })
    const first = await world.subject('a')
    const [second, other, own] = [
      await world.subjectInSameZone(first, 'b'),
      await world.subjectInSameZone(first, 'c'),
      await world.subjectInSameZone(first, 'd'),
    ]
    for (const each of [first, second]) await world.setHolder(each, 'platform', 'acc_creates_many')
    await world.setHolder(other, 'platform', 'acc_creates_one')
    await world.setHolder(own, 'platform')
    const at = world.clock.now
    expect((await shared.settle(first)).state.certificate).toBe('issued')
    world.faults.asked.length = 0
    const refused = { certificate: 'blocked', blockedBy: 'budget', issueAt: at + 7 * day }
    expect((await shared.settle(second)).state).toMatchObject(refused)
    expect(world.asked()).toEqual([])
    expect((await shared.settle(other)).state.certificate).toBe('issued')
    expect((await shared.settle(own)).state.certificate).toBe('issued')
    world.clock.now = at + 7 * day
    expect((await shared.settle(second)).state.certificate).toBe('issued')
  })
})
