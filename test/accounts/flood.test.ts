// Hundreds of simultaneous sign-ins: a few are computed, a few wait, the others get a 503. All other requests are
// answered as usual.
import { argon2Sync } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Engine, engines } from '../database.ts'
import { type Answer, ask, startStore } from '../running-store.ts'
import { password, startAccounts } from './accounts-in-test.ts'

const attempts = Array.from({ length: 200 }, (_, i) => ({
  address: `198.51.${i >> 7}.${i & 127}`,
  email: i % 2 === 0 ? 'olga@example.com' : `somebody${i}@example.com`,
}))

describe.each(engines)('a flood of sign-ins on %s', (engine) => {
  it('computes two and queues 32; the others get a 503', async () => {
    let pause: Promise<void> | undefined
    const accounts = await startAccounts(engine, {
      derive: async (parameters) => {
        await pause
        return argon2Sync('argon2id', parameters)
      },
    })
    const operator = await accounts.operator()
    const { promise, resolve } = Promise.withResolvers<void>()
    pause = promise
    const before = accounts.hashes()
    const answers: Answer[] = []
    const all = attempts.map(({ address, email }) =>
      accounts
        .visitor(address)
        .signIn(email, 'not the right one')
        .then((answer) => answers.push(answer)),
    )
    await expect.poll(() => answers.length, { timeout: 4000 }).toBe(200 - 34)
    await expect.poll(() => accounts.hashes() - before).toBe(2)
    for (const { headers, json, status } of answers) {
      expect([status, headers['retry-after']]).toEqual([503, '5'])
      expect(json).toMatchObject({ code: 'unavailable' })
    }
    // A signed-in user is not affected.
    expect((await operator.ask('/account/sessions')).status).toBe(200)
    expect(accounts.hashes() - before).toBe(2)
    resolve()
    await Promise.all(all)
    expect(accounts.hashes() - before).toBe(34)
    expect(answers.slice(200 - 34).map(({ status }) => status)).toEqual(Array(34).fill(401))
    // Refused attempts do not count towards the limits.
    expect((await accounts.visitor('198.51.100.7').signIn('olga@example.com')).status).toBe(201)
  })

  it('delays neither the store nor the health check', async () => {
    const { askApi, askStore } = await startProgram(engine)
    const order: string[] = []
    const signIns = attempts.map(async ({ address, email }) => {
      const headers = { 'x-forwarded-for': address }
      const answer = await askApi('/session', { body: { email, password: 'not right' }, headers })
      order.push('sign-in')
      return answer.status
    })
    const lists = Array.from({ length: 20 }, async (_, i) => {
      const { status } = await askStore(i % 2 === 0 ? '/v1/pets?limit=3' : '/healthz')
      order.push('other')
      return status
    })
    expect(await Promise.all(lists)).toEqual(Array(20).fill(200))
    const statuses = await Promise.all(signIns)
    // The other requests finished while sign-ins were still being computed.
    expect(order.lastIndexOf('other')).toBeLessThan(order.lastIndexOf('sign-in'))
    expect(new Set(statuses)).toEqual(new Set([401, 503]))
    expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(50)
  })
})

/** The program with its own hash function and an operator; X-Forwarded-For of every client is trusted. */
async function startProgram(engine: Engine) {
  const store = await startStore(engine, { env: { TRUSTED_PROXIES: '127.0.0.1' } })
  onTestFinished(() => store.release())
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
