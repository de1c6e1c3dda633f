// Hundreds of simultaneous sign-ins: two are computed, a number wait, the others get a 503. Networks share the queue,
// and known ones go first. All other requests are answered as usual.
// In npm test: test/accounts/throttling.test.ts.
import { argon2, argon2Sync } from 'node:crypto'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { PasswordOptions } from '#accounts/people/passwords.ts'
import { type Engine, engines } from '../database.ts'
import { type Answer, ask } from '../running-store.ts'
import { storeForTest } from '../store-for-test.ts'
import { password, startAccounts } from './accounts-in-test.ts'

const attempts = Array.from({ length: 200 }, (_, i) => ({
  address: `198.51.${i >> 7}.${i & 127}`,
  email: i % 2 === 0 ? 'olga@example.com' : `somebody${i}@example.com`,
}))

// As in the program, but with a shorter queue and without the longest wait.
const limits = { maxHashing: 2, maxWaiting: 20, maxWaitingPerNetwork: 4, maxWaitMs: 600_000 }
const flood = attempts.slice(0, 40)
/** Of polls, on a busy machine. */
const timeout = 20_000

describe.each(engines)('a flood of sign-ins on %s', (engine) => {
  it('has two computed and 20 queued; the others get a 503', async () => {
    const { accounts, operator, pause } = await startPausable(engine)
    const resume = pause()
    const before = accounts.hashes()
    const answers: Answer[] = []
    const all = flood.map(({ address, email }) =>
      accounts
        .visitor(address)
        .signIn(email, 'not the right one')
        .then((response) => answers.push(response)),
    )
    await expect.poll(() => answers.length, { timeout }).toBe(18)
    expect(accounts.hashes() - before).toBe(2)
    for (const { headers, json, status } of answers) {
      expect([status, headers['retry-after']]).toEqual([503, '5'])
      expect(json).toMatchObject({ code: 'unavailable' })
    }
    // A signed-in user is not affected.
    expect((await operator.ask('/account/sessions')).status).toBe(200)
    expect(accounts.hashes() - before).toBe(2)
    resume()
    await Promise.all(all)
    expect(accounts.hashes() - before).toBe(22)
    expect(answers.slice(18).map(({ status }) => status)).toEqual(Array(22).fill(401))
    // Refused attempts do not count towards the limits.
    expect((await accounts.visitor('198.51.100.7').signIn('olga@example.com')).status).toBe(201)
  })

  it('from forty networks refuses no one who signs in meanwhile', async () => {
    const { accounts, operator, pause } = await startPausable(engine, null)
    const honest = Array.from({ length: 10 }, (_, i) => `member${i}@example.com`)
    for (const email of honest) await accounts.member(operator, email)
    const resume = pause()
    const before = accounts.hashes()
    const all = flood.map(({ address, email }) => accounts.visitor(address).signIn(email, 'wrong'))
    await expect.poll(() => accounts.hashes() - before, { timeout }).toBe(2)
    const signIns = honest.map((email, i) => accounts.visitor(`203.0.113.${i}`).signIn(email))
    resume()
    const statuses = (await Promise.all(signIns)).map(({ status }) => status)
    expect(statuses).toEqual(Array(10).fill(201))
    await Promise.all(all)
  })

  it('does not keep the owner of an account waiting at a known address', async () => {
    const { accounts, hashed, operator, pause } = await startPausable(engine)
    const resume = pause()
    const before = accounts.hashes()
    const refused: number[] = []
    const all = flood.map(async ({ address, email }) => {
      const { status } = await accounts.visitor(address).signIn(email, 'wrong')
      if (status === 503) refused.push(status)
    })
    await expect.poll(() => refused.length, { timeout }).toBe(18)
    const owner = accounts.visitor(operator.address).signIn('olga@example.com')
    // It takes the place of another.
    await expect.poll(() => refused.length, { timeout }).toBe(19)
    expect(accounts.hashes() - before).toBe(2)
    resume()
    expect((await owner).status).toBe(201)
    await Promise.all(all)
    // After the two that were being computed.
    expect(hashed.slice(before).indexOf(password)).toBe(2)
  })

  it('from one network waits in its own share of the queue', async () => {
    const { accounts, pause } = await startPausable(engine)
    const resume = pause()
    const before = accounts.hashes()
    const answers: number[] = []
    const all = attempts.slice(0, 16).map(async ({ email }) => {
      answers.push((await accounts.visitor('198.51.100.7').signIn(email, 'wrong')).status)
    })
    // Two are computed and four wait.
    await expect.poll(() => answers.length, { timeout }).toBe(10)
    expect(answers).toEqual(Array(10).fill(503))
    const other = accounts.visitor('198.51.100.8').signIn('somebody@example.com', 'other')
    resume()
    expect((await other).status).toBe(401)
    await Promise.all(all)
    expect(accounts.hashes() - before).toBe(7)
  })

  it('delays neither the store nor the health check', async () => {
    // Two hashes are computed again and again until the other requests have their responses.
    let isFlooded = false
    let refused = 0
    const { askApi, askStore } = await startProgram(engine, async (parameters) => {
      let hash = await computeHash('argon2id', parameters)
      while (isFlooded) hash = await computeHash('argon2id', parameters)
      return hash
    })
    isFlooded = true
    const signIns = attempts.map(async ({ address, email }) => {
      const headers = { 'x-forwarded-for': address }
      const body = { email, password: 'not right' }
      const { status } = await askApi('/session', { body, headers })
      if (status === 503) refused++
      return status
    })
    const lists = Array.from({ length: 20 }, async (_, i) => {
      return (await askStore(i % 2 === 0 ? '/v1/pets?limit=3' : '/healthz')).status
    })
    expect(await Promise.all(lists)).toEqual(Array(20).fill(200))
    // All have arrived: those that are not refused wait.
    await expect.poll(() => refused).toBe(178)
    isFlooded = false
    const statuses = await Promise.all(signIns)
    expect(statuses.filter((status) => status === 401)).toHaveLength(22)
    expect(statuses.filter((status) => status === 503)).toHaveLength(178)
  })
})

const computeHash = promisify(argon2)

/** Accounts with an operator, whose hashes wait after `pause` until the function that it returns is called. */
async function startPausable(engine: Engine, queue: typeof limits | null = limits) {
  let paused: Promise<void> | undefined
  const hashed: string[] = []
  const accounts = await startAccounts(engine, {
    ...(queue && { limits: queue }),
    derive: async (parameters) => {
      hashed.push(String(parameters.message))
      await paused
      return argon2Sync('argon2id', parameters)
    },
  })
  const operator = await accounts.operator()
  return {
    accounts,
    operator,
    /** Passwords in the order in which their hashes began. */
    hashed,
    pause() {
      const { promise, resolve } = Promise.withResolvers<void>()
      paused = promise
      return resolve
    },
  }
}

/** The program with its own hash function and an operator; X-Forwarded-For of every client is trusted. */
async function startProgram(engine: Engine, derive: PasswordOptions['derive']) {
  const store = await storeForTest(engine, {
    env: { TRUSTED_PROXIES: '127.0.0.1' },
    hashing: { limits, ...(derive && { derive }) },
  })
  const { dashboardUrl, httpPort } = store.running.config
  const askApi = (path: string, options: { body: object; headers?: Record<string, string> }) =>
    ask(httpPort, new URL('/api', dashboardUrl), '', path, { key: null, ...options })
  const token = store.setUpToken
  const body = { token, email: 'olga@example.com', name: 'Olga', password }
  expect((await askApi('/set-up', { body })).status).toBe(201)
  const base = new URL(`${new URL(store.baseUrl.production).origin}/`)
  const askStore = (path: string) =>
    ask(httpPort, base, store.keys.production, path.slice(1), { timeoutMs: 10_000 })
  return { askApi, askStore }
}
