// A certificate before the switch where the authority's time, its offers and its limits matter: the lab's own
// authority, whose policy changes while it runs.
import { beforeAll, expect, it } from 'vitest'
import { createOrder } from '#acme/resources/orders.ts'
import { limitsOf } from '#domains/certificates/rate-limits/attempt-log.ts'
import { describeBlocker } from '#domains/state/badge.ts'
import type { AuthorityPolicy } from '../../lab/certificate-authority/acme-state.ts'
import type { LabAuthority } from '../../lab/certificate-authority/lab-authority.ts'
import { platformHost } from '../../lab/network/topology.ts'
import { shared } from '../shared.ts'
import {
  day,
  hour,
  loseOwnership,
  minute,
  type Subject,
  startEngineWorld,
} from './engine-in-test.ts'

const world = shared(() => startEngineWorld('sqlite', { ...process.env, PEBBLE: '' }))
const engine = shared(() => world.startEngine())
let policy: AuthorityPolicy
beforeAll(() => {
  policy = world.lab.authority?.policy as AuthorityPolicy
})

const prepare = async (subject: Subject) => {
  await engine.settle(subject)
  subject.clear('_acme-challenge.docs')
  subject.put('_acme-challenge.docs', 'TXT', await world.recordValueOf(subject))
  await engine.look(subject)
  return await engine.look(subject)
}
/** Whether the account of this server gets a certificate for the host without another validation. */
const isOpen = async ({ host }: Subject): Promise<boolean> => {
  const { status } = await createOrder(await engine.session(), { hosts: [host] })
  return status === 'ready'
}

it.each([
  ['M11', { openMinutes: 20 }, /20 min/],
  ['M12', { challenges: ['http-01'] as const }, /DNS-01/],
])('tells %s before anything is asked of the owner', async (code, changes, words) => {
  const usual = { ...policy }
  Object.assign(policy, changes)
  const subject = await world.elsewhere()
  const { state } = await engine.settle(subject)
  Object.assign(policy, usual)
  expect(state).toMatchObject({ certificate: 'blocked', blockedBy: code, recordUntil: null })
  expect(await world.findRecordValue(subject)).toBeUndefined()
  expect((await world.get(subject.id)).problem?.detail).toMatch(words)
  await engine.look(subject)
  expect(await world.codesOf(subject)).toEqual([code])
  const types = await world.eventTypesOf(subject)
  expect(types).not.toContain('challenge_requested')
  // No check and no owner has the authority asked again before a day has passed.
  await engine.look(subject, hour)
  expect(await world.kindsOf(subject)).toEqual(['order'])
  await engine.look(subject, day)
  await engine.settle(subject)
  expect(await world.findRecordValue(subject)).toBeDefined()
})

it('asks nothing of the owner where the authorization is valid already', async () => {
  policy.reuseMinutes = 30 * 24 * 60
  const subject = await world.elsewhere()
  expect((await prepare(subject)).certificate).toBe('issued')
  await world.prepare(subject, false)
  const { renewAt } = (await world.get(subject.id)).state
  expect(renewAt).toBeGreaterThan(world.clock.now)
  world.clock.now += 10 * day
  await world.prepare(subject, true)
  expect(await isOpen(subject)).toBe(true)
})

it.each([
  ['dns-01', () => world.elsewhere(), prepare],
  ['http-01', () => world.subject(), (subject: Subject) => engine.settle(subject)],
] as const)(
  'leaves nobody what %s has validated after the domain is removed',
  async (_, add, get) => {
    policy.reuseMinutes = 30 * 24 * 60
    const subject = await add()
    await get(subject)
    expect(await isOpen(subject)).toBe(true)
    const { id } = subject
    await world.remove(subject)
    const rows = await world.rows()
    expect(rows.certificates.filter(({ domain_id: of }) => of === id)).toEqual([])
    await engine.deactivateAuthorizations()
    expect(await isOpen(subject)).toBe(false)
    expect((await world.rows()).authorizations.filter(({ domain_id: of }) => of === id)).toEqual([])
    policy.reuseMinutes = 0
  },
)

it('asks for the profile whose orders are open longest, whichever is configured', async () => {
  const other = await startEngineWorld('sqlite', { ...process.env, PEBBLE: '' })
  const authority = other.lab.authority as LabAuthority
  authority.policy.profiles = { shortlived: { openMinutes: 8 }, classic: { openMinutes: 7 * 1440 } }
  const configured = other.startEngine({ env: { ACME_PROFILE: 'shortlived' } })
  await configured.settle(await other.subject())
  const { state } = await configured.settle(await other.elsewhere())
  expect(state.recordUntil).toBeGreaterThan(other.clock.now + 6 * day)
  expect(authority.orders().map(({ profile }) => profile)).toEqual(['shortlived', 'classic'])
  await other.release()
})

it('is removed while its record is awaited: nothing goes on', async () => {
  const subject = await world.elsewhere()
  await engine.settle(subject)
  const { host } = subject
  subject.put('_acme-challenge.docs', 'TXT', await world.recordValueOf(subject))
  await world.remove(subject)
  await engine.deactivateAuthorizations()
  const left = await world.rows()
  for (const rows of [left.orders, left.certificates, left.authorizations]) {
    expect(rows.filter((row) => row.host === host)).toEqual([])
  }
  expect((await world.ledger(host)).map(({ kind }) => kind)).toEqual(['order'])
})

it('ends when another account proves the host: order, authorization and request', async () => {
  const subject = await world.elsewhere()
  await engine.settle(subject)
  const { id, host } = subject
  await loseOwnership(world.database, { id, at: world.clock.now })
  expect((await world.get(id)).state).toMatchObject({ preparation: 'off', issueAt: null })
  await engine.deactivateAuthorizations()
  const left = await world.rows()
  expect([...left.orders, ...left.authorizations].filter((row) => row.host === host)).toEqual([])
  await world.prepare(subject, true)
  expect((await engine.look(subject)).ownership).toBe('proven')
})

it('is issued for an apex, which is switched by ALIAS', async () => {
  const subject = await world.elsewhere('@')
  await engine.settle(subject)
  subject.put('_acme-challenge', 'TXT', await world.recordValueOf(subject))
  await engine.look(subject)
  expect((await engine.look(subject)).certificate).toBe('issued')
  subject.clear('@')
  subject.put('@', 'ALIAS', `${platformHost}.`)
  expect(await engine.look(subject)).toMatchObject({ preparation: 'switched', serving: 'https' })
})

it('is not asked for where the host exists only by a wildcard, which a TXT record would end', async () => {
  const { zone } = await world.subject('other')
  const subject = await world.add(zone, 'docs')
  subject.put('*', 'A', world.lab.topology.otherPlatform)
  await world.prepare(subject, true)
  await world.check(subject)
  expect(await world.codesOf(subject)).toEqual(['M13'])
  // The owner does so all the same: the site is offline.
  subject.put('_animal-store.docs', 'TXT', 'test')
  expect((await engine.look(subject)).dns).toBe('missing')
  subject.put('docs', 'A', world.lab.topology.otherPlatform)
  await engine.look(subject)
  await engine.settle(subject)
  expect(await world.findRecordValue(subject)).toBeDefined()
})

it('is renewed twice before the switch, by a new value each time, and then no more', async () => {
  const subject = await world.elsewhere()
  const values = new Set<string>()
  for (let times = 0; times < 3; times++) {
    const { renewAt } = await prepare(subject)
    values.add((await world.get(subject.id)).formerChallenge?.value ?? '')
    expect(await world.badgeOf(subject)).toBe('ready_to_switch')
    await engine.look(subject, (renewAt ?? 0) - world.clock.now)
    if (times < 2) {
      await engine.settle(subject)
      expect(await world.badgeOf(subject)).toBe('prepare_certificate')
    }
  }
  expect(values.size).toBe(3)
  const { state } = await world.get(subject.id)
  expect(state).toMatchObject({ preparation: 'off', issueAt: null, certificate: 'issued' })
  const types = await world.eventTypesOf(subject)
  expect(types.filter((type) => type === 'challenge_requested')).toHaveLength(3)
  expect(types).toContain('preparation_ended')
})

it('orders nothing once the budget is gone, and goes on with what is open', async () => {
  const orders = { most: 1, withinMs: hour }
  const subject = await world.elsewhere()
  const other = await world.elsewhere()
  world.clock.now += 2 * hour
  const limited = world.startEngine({
    limitsOf: (directory) => ({ ...limitsOf(directory), orders }),
  })
  await limited.settle(subject)
  const { state } = await limited.settle(other)
  const blocked = { certificate: 'blocked', blockedBy: 'budget' }
  expect(state).toMatchObject({ ...blocked, issueAt: world.clock.now + hour })
  expect(await world.ledger(other.host)).toEqual([])
  await engine.look(other, minute)
  const waiting = (await world.get(other.id)).state
  expect(waiting).toMatchObject({ blockedBy: 'budget', recordUntil: null })
  expect(waiting.issueAt).toBeGreaterThan(world.clock.now)
  expect(describeBlocker('budget')).toBe(
    'the limits of the certificate authority are used up for now',
  )
  expect((await prepare(subject)).certificate).toBe('issued')
})
