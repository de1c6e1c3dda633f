// Many simultaneous sign-ins: two are computed, a number wait, the others get a 503. Networks share the queue, and known
// ones go first. All other requests are answered as usual.
// In npm test: test/accounts/throttling.test.ts.
import { describe, expect, it } from 'vitest'
import { engines } from '../database.ts'
import { type Answer, refusal } from '../running-store.ts'
import { password, startWithOperator } from './accounts-in-test.ts'

const flood = Array.from({ length: 40 }, (_, i) => ({
  address: `198.51.0.${i}`,
  email: i % 2 === 0 ? 'olga@example.com' : `somebody${i}@example.com`,
}))

// As in the program, but with a shorter queue and without the longest wait.
const limits = { maxHashing: 2, maxWaiting: 20, maxWaitingPerNetwork: 4, maxWaitMs: 600_000 }
/** Of polls, on a busy machine. */
const timeout = 20_000

describe.each(engines)('a flood of sign-ins on %s', (engine) => {
  it('has two computed and 20 queued; the others get a 503, but not the owner at a known address', async () => {
    const { accounts, operator } = await startWithOperator(engine, { limits })
    const resume = accounts.pause()
    const before = accounts.hashes()
    const answers: Answer[] = []
    const all = flood.map(async ({ address, email }) => {
      answers.push(await accounts.visitor(address).signIn(email, 'not the right one'))
    })
    await expect.poll(() => answers.length, { timeout }).toBe(18)
    // A signed-in user is not affected, and the owner of an account takes the place of another.
    expect((await operator.ask('/account/sessions')).status).toBe(200)
    const owner = accounts.visitor(operator.address).signIn('olga@example.com')
    await expect.poll(() => answers.length, { timeout }).toBe(19)
    for (const response of answers) {
      expect(response).toMatchObject(refusal(503, 'unavailable'))
      expect(response.headers['retry-after']).toBe('5')
    }
    expect(accounts.hashes() - before).toBe(2)
    resume()
    expect((await owner).status).toBe(201)
    await Promise.all(all)
    expect(accounts.hashes() - before).toBe(22)
    // After the two that were being computed.
    expect(accounts.hashed.slice(before).indexOf(password)).toBe(2)
    expect(answers.slice(19).map(({ status }) => status)).toEqual(Array(21).fill(401))
    // Refused attempts do not count towards the limits.
    expect((await accounts.visitor('198.51.100.7').signIn('olga@example.com')).status).toBe(201)
  })

  it('from forty networks refuses no one who signs in meanwhile', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    const honest = Array.from({ length: 10 }, (_, i) => `member${i}@example.com`)
    for (const email of honest) await accounts.member(operator, email)
    const resume = accounts.pause()
    const before = accounts.hashes()
    const all = flood.map(({ address, email }) => accounts.visitor(address).signIn(email, 'wrong'))
    await expect.poll(() => accounts.hashes() - before, { timeout }).toBe(2)
    const signIns = honest.map((email, i) => accounts.visitor(`203.0.113.${i}`).signIn(email))
    resume()
    const statuses = (await Promise.all(signIns)).map(({ status }) => status)
    expect(statuses).toEqual(Array(10).fill(201))
    await Promise.all(all)
  })

  it('from one network waits in its own share of the queue', async () => {
    const { accounts } = await startWithOperator(engine, { limits })
    const resume = accounts.pause()
    const before = accounts.hashes()
    const answers: number[] = []
    const all = flood.slice(0, 16).map(async ({ email }) => {
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
})
