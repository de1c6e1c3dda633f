// Renewal: when the authority suggests it, otherwise when a share of the lifetime is left. The previous certificate
// stays in use until the next one is stored.
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { chooseRenewalTime, pointInWindow } from '#acme/resources/renewal-info.ts'
import { findAccountProblem } from '#domains/database/account-problems.ts'
import { faultAt, rateLimited } from '../acme/fault-proxy.ts'
import { shared } from '../shared.ts'
import { startAnotherPebble } from './another-pebble.ts'
import { day, hour, minute, type Subject, startEngineWorld } from './engine-in-test.ts'

const world = shared(() => startEngineWorld())
const pebble = shared(() =>
  startAnotherPebble(world.lab, {
    profiles: {
      default: { description: 'Ninety days', validityPeriod: 90 * 86_400 },
      shortlived: { description: 'Six days and a bit', validityPeriod: 160 * 3600 },
    },
  }),
)
// Pebble uses any of its profiles unless one is requested.
const engine = shared(() => world.startEngine({ env: { ...pebble.env, ACME_PROFILE: 'default' } }))
beforeEach(() => {
  world.clock.now = Date.now()
  world.reset()
})

const lifeOf = (row: { not_before: bigint; not_after: bigint }) => ({
  notBefore: Number(row.not_before),
  notAfter: Number(row.not_after),
})

/** As if its DNS had been checked in between, as it is. */
async function passTo(subject: Subject, at: number): Promise<void> {
  world.clock.now = at
  world.lab.dns.resolver.clear()
  expect((await world.check(subject)).state.dns).toBe('ok')
}

describe('with renewal information', () => {
  it('renews at the authority’s time, and names the replaced certificate', async ({ skip }) => {
    const subject = await world.subject()
    const issued = await engine.settle(subject)
    const [first] = await world.certificatesOf(subject)
    if (!first) throw new Error('there is no certificate')
    const start = world.clock.now + 20 * day
    const window = { start, end: start + 2 * day }
    const isSet = await pebble.setRenewalInfo(
      first.chain,
      JSON.stringify({
        suggestedWindow: {
          start: new Date(window.start).toISOString(),
          end: new Date(window.end).toISOString(),
        },
        explanationURL: 'https://status.example/incident',
      }),
    )
    skip(!isSet, 'SKIPPED: the renewal window of this Pebble cannot be moved')
    // Two thirds of the lifetime, unless the authority says otherwise.
    expect(issued.state.renewAt).toBe(chooseRenewalTime(lifeOf(first), undefined, 0))
    await passTo(subject, issued.state.issueAt ?? 0)
    const asked = await engine.settle(subject)
    const renewAt = chooseRenewalTime(lifeOf(first), window, pointInWindow(first.fingerprint))
    expect(asked.state).toMatchObject({ certificate: 'issued', renewAt })
    // Pebble asks for the next request in six hours.
    expect((asked.state.issueAt ?? 0) - world.clock.now).toBe(6 * hour)
    expect(await world.certificatesOf(subject)).toHaveLength(1)

    await passTo(subject, renewAt)
    const renewed = await engine.settle(subject)
    expect(renewed.problem).toBeUndefined()
    expect(renewed.state).toMatchObject({ certificate: 'issued', serving: 'https', failures: 0 })
    const [before, after] = await world.certificatesOf(subject)
    expect([before?.is_current, after?.is_current]).toEqual([0n, 1n])
    expect(after?.fingerprint).not.toBe(first.fingerprint)
    expect(after?.private_key).not.toBe(first.private_key)
    // A renewal does not count as a new certificate: the order named the one that it replaces.
    const kinds = await world.kindsOf(subject)
    expect(kinds).toEqual(['order', 'certificate', 'order', 'renewal'])
    expect(engine.counted.at(-1)).toMatch(/ renewed$/)
  })

  it('keeps the time if the authority cannot be reached', async () => {
    const platform = world.startEngine()
    const subject = await world.subject()
    const { state } = await platform.settle(subject)
    world.faults.faultFor = (_method, path) =>
      path.includes('draft-ietf-acme-ari') || path.includes('renewal')
        ? { kind: 'cut before' }
        : undefined
    await passTo(subject, state.issueAt ?? 0)
    const after = await platform.settle(subject)
    expect(after.state).toMatchObject({
      certificate: 'issued',
      renewAt: state.renewAt,
      issueAt: world.clock.now + hour,
      failures: 0,
    })
  })

  it('orders without a reference if the certificate was already replaced', async () => {
    const platform = world.startEngine()
    const subject = await world.subject()
    const { state } = await platform.settle(subject)
    const replaced = { kind: 'problem', type: 'alreadyReplaced', status: 409 } as const
    world.faults.faultFor = faultAt('order-plz', replaced, 1)
    world.faults.asked.length = 0
    await passTo(subject, state.renewAt ?? 0)
    expect((await platform.settle(subject)).state).toMatchObject({
      certificate: 'issued',
      failures: 0,
    })
    expect(world.asked().filter((line) => line === 'POST order-plz')).toHaveLength(2)
    const kinds = await world.kindsOf(subject)
    expect(kinds.at(-1)).toBe('certificate')
  })
})

describe('without renewal information', () => {
  it('renews when a third of the lifetime is left, and keeps the certificate after a failure', async () => {
    const platform = world.startEngine()
    world.faults.faultFor = (method, path) =>
      method === 'GET' && path === '/dir'
        ? { kind: 'changed', change: ({ renewalInfo: _, ...others }) => others }
        : undefined
    const withoutInfo = world.faults.faultFor
    const subject = await world.subject()
    const { state } = await platform.settle(subject)
    const [first] = await world.certificatesOf(subject)
    if (!first) throw new Error('there is no certificate')
    const { notAfter, notBefore } = lifeOf(first)
    expect(state.renewAt).toBe(Math.floor(notAfter - (notAfter - notBefore) / 3))
    await passTo(subject, (state.renewAt ?? 0) - minute)
    expect((await platform.settle(subject)).state.renewAt).toBe(state.renewAt)
    expect(await world.certificatesOf(subject)).toHaveLength(1)

    await passTo(subject, state.renewAt ?? 0)
    world.faults.faultFor = (method, path) =>
      path.startsWith('/order-plz') ? rateLimited('3600') : withoutInfo(method, path)
    const failed = await platform.settle(subject)
    expect(failed.state).toMatchObject({
      certificate: 'issued',
      serving: 'https',
      failures: 1,
      issueAt: world.clock.now + hour,
    })
    world.faults.faultFor = withoutInfo
    await passTo(subject, failed.state.issueAt ?? 0)
    const { problem, state: after } = await platform.settle(subject)
    expect([after.certificate, after.failures, problem]).toEqual(['issued', 0, undefined])
    expect(await world.certificatesOf(subject)).toHaveLength(2)
  })
})

describe('a certificate with a lifetime of 160 hours', () => {
  it('is issued by its profile, and renewed at half of its lifetime every time', async () => {
    const short = world.startEngine({ env: { ...pebble.env, ACME_PROFILE: 'shortlived' } })
    const subject = await world.subject()
    const { state } = await short.settle(subject)
    const [first] = await world.certificatesOf(subject)
    if (!first) throw new Error('there is no certificate')
    const { notAfter, notBefore } = lifeOf(first)
    expect(Math.round((notAfter - notBefore) / hour)).toBe(160)
    expect((state.renewAt ?? 0) - notBefore).toBe((notAfter - notBefore) / 2)
    // Pebble's clock does not move with ours: a later certificate ends at the same time.
    await passTo(subject, state.renewAt ?? 0)
    const { problem, state: after } = await short.settle(subject)
    expect([after.certificate, after.serving, problem]).toEqual(['issued', 'https', undefined])
    expect(await world.certificatesOf(subject)).toHaveLength(2)
  })

  it('has the default lifetime where the authority does not know that profile', async () => {
    const odd = world.startEngine({ env: { ...pebble.env, ACME_PROFILE: 'eternal' } })
    const subject = await world.subject()
    expect((await odd.settle(subject)).state.certificate).toBe('issued')
  })
})

describe('an external account', () => {
  it('is bound where the authority requires it', async () => {
    const macKey = 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W'
    const strict = await startAnotherPebble(world.lab, { externalAccounts: { 'kid-1': macKey } })
    onTestFinished(() => strict.stop())
    const without = world.startEngine({ env: strict.env })
    const subject = await world.subject()
    const { problem } = await without.settle(subject)
    expect(problem).toMatchObject({ type: 'externalAccountRequired' })
    const problemOf = () =>
      findAccountProblem(world.database.read, strict.directoryUrl, world.clock.now)
    // For the checks of the installation, until it is accepted.
    expect(await problemOf()).toMatchObject({ host: subject.host })
    world.clock.now += minute
    await world.check(subject)
    const [found] = await world.diagnosticsOf(subject)
    expect(found).toMatchObject({ code: 'T10', fix: { text: expect.stringContaining('ACME_EAB') } })
    const bound = { ...strict.env, ACME_EAB: `kid-1:${macKey}` }
    world.clock.now += minute
    const { state } = await world.startEngine({ env: bound }).settle(subject)
    expect(state.certificate).toBe('issued')
    expect(await problemOf()).toBeUndefined()
  })
})
