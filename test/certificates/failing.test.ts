// The authority does not issue, in every possible way: its error is stored and shown, the order is retried when
// allowed, and the certificate is issued once the cause is fixed.
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { Diagnostic } from '#doctor/rules/judge.ts'
import { faultAt, forbiddenByCaa, rateLimited } from '../acme/fault-proxy.ts'
import { shared } from '../shared.ts'
import { startAnotherPebble } from './another-pebble.ts'
import { hour, minute, type Subject, startEngineWorld } from './engine-in-test.ts'

const world = shared(() => startEngineWorld())
const engine = shared(() => world.startEngine())
beforeEach(() => world.reset())

const orders = () => world.asked().filter((line) => line === 'POST order-plz').length

const codesOf = (found: Diagnostic[]) => found.map(({ code }) => code)

/** What the doctor finds two minutes later. */
async function findingsOf(subject: Subject): Promise<Diagnostic[]> {
  world.clock.now += 2 * minute
  await world.check(subject)
  return await world.diagnosticsOf(subject)
}

const internalError = { kind: 'problem', type: 'serverInternal', status: 500 } as const
const issued = { certificate: 'issued', failures: 0 }
const gone = { kind: 'problem', type: 'malformed', status: 404 } as const

describe('an error of the authority', () => {
  it('for CAA is stored in its words, and the certificate is issued once CAA is fixed', async () => {
    const subject = await world.subject()
    world.faults.faultFor = faultAt('authZ', forbiddenByCaa(subject.host))
    const { problem, state } = await engine.settle(subject)
    expect(state).toMatchObject({ certificate: 'retry_wait', failures: 1, serving: 'http_only' })
    expect(problem).toMatchObject({
      authority: 'pebble.letsencrypt.org',
      type: 'caa',
      status: 403,
      detail: `CAA record for ${subject.host} prevents issuance`,
    })
    expect(await world.ledger(subject.host)).toMatchObject([
      { kind: 'order' },
      { kind: 'failed_validation', challengeType: null },
    ])
    expect((await world.rows()).orders).toEqual([])
    world.faults.faultFor = () => undefined
    world.clock.now = state.issueAt ?? 0
    expect(await engine.settle(subject)).toMatchObject({ state: issued, problem: undefined })
  })

  it('is retried after 1, 10 and 100 minutes and after a day', async () => {
    const subject = await world.subject()
    const refused = { kind: 'problem', type: 'unauthorized', status: 403 } as const
    world.faults.faultFor = faultAt('order-plz', refused)
    const waits: number[] = []
    for (let attempt = 0; attempt < 5; attempt++) {
      const { state } = await engine.settle(subject)
      waits.push(((state.issueAt ?? 0) - world.clock.now) / minute)
      world.clock.now = state.issueAt ?? 0
    }
    expect(waits).toEqual([1, 10, 100, 1440, 1440])
    const engineWithoutJitter = world.startEngine({ random: () => 0 })
    const { state } = await engineWithoutJitter.settle(subject)
    expect(((state.issueAt ?? 0) - world.clock.now) / minute).toBe(1440 * 0.9)
  })

  it("for a rate limit waits until the authority's time, even for a manual verification", async () => {
    const subject = await world.subject()
    world.faults.faultFor = faultAt('order-plz', rateLimited(`${3 * 3600}`))
    const { problem, state } = await engine.settle(subject)
    const retryAt = world.clock.now + 3 * hour
    expect(state).toMatchObject({ certificate: 'retry_wait', issueAt: retryAt })
    expect(problem).toMatchObject({ type: 'rateLimited', status: 429, retryAt })
    expect(orders()).toBe(1)
    // The doctor shows it, with the time.
    expect(codesOf(await findingsOf(subject))).toContain('T05')
    // No request is sent before, even if the domain is due.
    world.faults.faultFor = () => undefined
    const { state: blocked } = await engine.processCertificate(subject)
    expect(blocked).toMatchObject({ certificate: 'blocked', blockedBy: 'T05', issueAt: retryAt })
    expect(orders()).toBe(1)
    world.clock.now = retryAt
    expect((await engine.settle(subject)).state.certificate).toBe('issued')
  })

  it('for the host is stored with the error of each identifier', async () => {
    const subject = await world.subject()
    world.faults.faultFor = faultAt('order-plz', {
      kind: 'problem',
      type: 'rejectedIdentifier',
      status: 400,
      detail: 'The server will not issue',
      subproblems: [
        {
          type: 'rejectedIdentifier',
          detail: 'forbidden by policy',
          identifier: { type: 'dns', value: subject.host },
        },
      ],
    })
    const { problem } = await engine.settle(subject)
    expect(problem?.detail).toBe(
      `The server will not issue; ${subject.host} rejectedIdentifier: forbidden by policy`,
    )
    expect(codesOf(await findingsOf(subject))).toContain('T07')
  })

  it.each([
    [
      'order-plz',
      'userActionRequired',
      /the operator of this server has to open https:\/\/authority.example\/why and agree/,
    ],
    [
      'order-plz',
      'unauthorized',
      /the operator of this server has to run animal-store certificates account/,
    ],
    ['finalize-order', 'caa', /Compare the CAA records at all name servers/],
    ['finalize-order', 'badCSR', /the operator of this server has to update the program/],
  ])('at %s of type %s says who has to act', async (part, type, fix) => {
    const subject = await world.subject()
    const instance = 'https://authority.example/why'
    const said = { type, status: 403, detail: 'It was refused', instance }
    world.faults.faultFor = faultAt(part, { kind: 'problem', ...said })
    const { problem } = await engine.settle(subject)
    expect(problem).toMatchObject({ type, detail: `It was refused; ${instance}` })
    const found = await findingsOf(subject)
    expect(codesOf(found)).toEqual(['T10'])
    expect(found[0]?.fix?.text).toMatch(fix)
  })
})

describe('an authority that fails', () => {
  it.each([
    ['order-plz', 1],
    ['authZ', 1],
    ['chalZ', 1],
    ['finalize-order', 1],
    ['certZ', 1],
  ])('with status 500 at %s is retried with the same order', async (part, most) => {
    const subject = await world.subject()
    world.faults.faultFor = faultAt(part, internalError)
    const { problem, state } = await engine.settle(subject)
    expect([state.certificate, state.failures]).toEqual(['retry_wait', 1])
    expect(problem).toMatchObject({ type: 'serverInternal', status: 500 })
    expect(codesOf(await findingsOf(subject))).toContain('T06')
    world.faults.faultFor = () => undefined
    expect((await engine.settle(subject)).state.certificate).toBe('issued')
    expect(orders()).toBe(part === 'order-plz' ? most + 1 : most)
    expect(await world.kindsOf(subject)).not.toContain('failed_validation')
  })

  it.each([
    ['cut before', 'order-plz'],
    ['no HTTP', 'authZ'],
    ['cut off', 'certZ'],
    ['huge', 'certZ'],
  ] as const)('by %s at %s is reported as such and retried', async (kind, part) => {
    const subject = await world.subject()
    world.faults.faultFor = faultAt(part, { kind })
    const { problem, state } = await engine.settle(subject)
    expect([state.certificate, state.failures]).toEqual(['retry_wait', 1])
    expect(problem).toMatchObject({ type: 'noAnswer', status: 503 })
    world.clock.now = state.issueAt ?? 0
    world.faults.faultFor = () => undefined
    expect((await engine.settle(subject)).state.certificate).toBe('issued')
  })

  it('for an hour is retried a few times, and issues when it recovers', async () => {
    const subject = await world.subject()
    const back = world.clock.now + hour
    // It does not respond at all.
    world.faults.faultFor = () => ({ kind: 'cut before' })
    let attempts = 0
    while (world.clock.now < back) {
      const { state } = await engine.settle(subject)
      expect(state.certificate).toBe('retry_wait')
      attempts++
      world.clock.now = state.issueAt ?? 0
    }
    expect(attempts).toBe(3)
    world.faults.faultFor = () => undefined
    expect((await engine.settle(subject)).state).toMatchObject(issued)
  })

  it('and has lost the account gets a new one', async () => {
    const before = (await world.rows()).accounts[0]?.url
    const subject = await world.subject()
    const lost = { kind: 'problem', type: 'accountDoesNotExist', status: 400 } as const
    world.faults.faultFor = faultAt('order-plz', lost, 1)
    expect((await engine.settle(subject)).state.certificate).toBe('issued')
    const { accounts } = await world.rows()
    expect(accounts).toHaveLength(1)
    expect(accounts[0]?.url).not.toBe(before)
  })

  it('and has lost the order gets another one', async () => {
    const subject = await world.subject()
    world.faults.faultFor = faultAt('authZ', internalError)
    await engine.settle(subject)
    world.faults.faultFor = faultAt('my-order', gone)
    world.clock.now += minute
    const { state } = await engine.settle(subject)
    expect([state.certificate, state.failures]).toEqual(['retry_wait', 2])
    expect((await world.rows()).orders).toEqual([])
    world.faults.faultFor = () => undefined
    world.clock.now = state.issueAt ?? 0
    expect((await engine.settle(subject)).state.certificate).toBe('issued')
  })

  it('and has deleted an old order costs no attempt', async () => {
    const subject = await world.subject()
    world.faults.faultFor = faultAt('authZ', internalError)
    await engine.settle(subject)
    world.clock.now += 3 * hour
    world.faults.faultFor = faultAt('my-order', gone, 1)
    expect((await engine.settle(subject)).state).toMatchObject(issued)
  })

  it('and issues for another host is refused', async () => {
    const [subject, other] = [await world.subject(), await world.subject()]
    await engine.settle(other)
    const chain = (await world.certificatesOf(other))[0]?.chain ?? ''
    world.faults.faultFor = faultAt('certZ', { kind: 'status', status: 200, body: chain })
    const { problem, state } = await engine.settle(subject)
    expect(state).toMatchObject({ certificate: 'retry_wait', serving: 'http_only' })
    expect(problem?.detail).toMatch(/the certificate is not for/)
  })
})

describe('nonces', () => {
  it('can be refused half of the time without an effect', async () => {
    const pebble = await startAnotherPebble(world.lab, { refusedNonces: 50 })
    onTestFinished(() => pebble.stop())
    const slowEngine = world.startEngine({ env: pebble.env })
    for (let i = 0; i < 5; i++) {
      const { state } = await slowEngine.settle(await world.subject())
      expect(state).toMatchObject({ certificate: 'issued', failures: 0 })
    }
  })
})

describe('a second authority', () => {
  it('is used alternately after two failures', async () => {
    const pebble = await startAnotherPebble(world.lab)
    onTestFinished(() => pebble.stop())
    const directories = [world.faults.directoryUrl, pebble.directoryUrl]
    const env = { ACME_DIRECTORY: directories.join(), CA_FILE: pebble.rootsFile }
    const both = world.startEngine({ env })
    const refused = { kind: 'problem', type: 'rejectedIdentifier', status: 400 } as const
    world.faults.faultFor = faultAt('order-plz', refused)
    const subject = await world.subject()
    for (const failures of [1, 2]) {
      const { state } = await both.settle(subject)
      expect([state.certificate, state.failures]).toEqual(['retry_wait', failures])
      world.clock.now = state.issueAt ?? 0
    }
    expect(orders()).toBe(2)
    expect((await both.settle(subject)).state.certificate).toBe('issued')
    expect(orders()).toBe(2)
    const { accounts } = await world.rows()
    expect(accounts.map(({ directory }) => directory)).toContain(pebble.directoryUrl)
    expect((await world.certificatesOf(subject))[0]?.directory).toBe(pebble.directoryUrl)
    const named = await both.certificates.authorities()
    expect(named.map(({ domain }) => domain)).toContain('pebble.letsencrypt.org')
    expect(named.every(({ accountUri }) => accountUri?.startsWith('https://'))).toBe(true)
  })
})
