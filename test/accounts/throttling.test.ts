// Too many failures are refused for some time: for an account from one address, from one address, and for an account
// from all addresses. The owner can still sign in from a known address.
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../database.ts'
import { refusal } from '../running-store.ts'
import {
  type AccountsInTest,
  minute,
  password,
  startAccounts,
  startWithOperator,
} from './accounts-in-test.ts'

const wrong = 'not the right password'

/** Statuses of `count` attempts, each from a different address or all from one. */
async function attempts(
  accounts: AccountsInTest,
  count: number,
  address: (i: number) => string,
  email: (i: number) => string = () => 'olga@example.com',
): Promise<number[]> {
  const statuses: number[] = []
  for (let i = 0; i < count; i++)
    statuses.push((await accounts.visitor(address(i)).signIn(email(i), wrong)).status)
  return statuses
}

const refused = (count: number): number[] => Array(count).fill(401)

describe.each(anyEngine)('throttling on %s', (engine) => {
  it('refuses the 11th failure for an account from one address, and says until when', async () => {
    const { accounts } = await startWithOperator(engine)
    const here = (): string => '198.51.100.7'
    expect(await attempts(accounts, 10, here)).toEqual(refused(10))
    const hashes = accounts.hashes()
    const visitor = accounts.visitor(here())
    const response = await visitor.signIn('olga@example.com')
    expect(response).toMatchObject(refusal(429, 'rate_limited'))
    const seconds = Number(response.headers['retry-after'])
    expect(seconds).toBeGreaterThan(60)
    expect(seconds).toBeLessThanOrEqual(90)
    expect(accounts.hashes()).toBe(hashes)
    expect((await accounts.visitor('198.51.100.8').signIn('olga@example.com')).status).toBe(201)
    accounts.clock.now += seconds * 1000
    expect((await visitor.signIn('olga@example.com')).status).toBe(201)
  })

  it('resets the count after a success', async () => {
    const { accounts } = await startWithOperator(engine)
    const visitor = accounts.visitor('198.51.100.7')
    expect(await attempts(accounts, 9, () => visitor.address)).toEqual(refused(9))
    for (let i = 0; i < 20; i++) expect((await visitor.signIn('olga@example.com')).status).toBe(201)
    expect(await attempts(accounts, 2, () => visitor.address)).toEqual([401, 429])
  })

  it('refuses the 61st failure from one address, for any number of accounts, known or not', async () => {
    const accounts = await startAccounts(engine)
    const here = (): string => '198.51.100.7'
    const each = (i: number): string => `somebody${i}@example.com`
    expect(await attempts(accounts, 61, here, each)).toEqual([...refused(60), 429])
    accounts.clock.now += 15 * minute
    expect(await attempts(accounts, 1, here, each)).toEqual([401])
  })

  it('counts an IPv6 network as one address, its neighbour as another, for an unknown account', async () => {
    const accounts = await startAccounts(engine)
    const network = (i: number): string => `2001:db8:0:1::${i.toString(16)}`
    expect(await attempts(accounts, 11, network)).toEqual([...refused(10), 429])
    expect(await attempts(accounts, 1, () => '2001:db8:0:2::1')).toEqual([401])
  })

  it('refuses the 101st failure for an account from all addresses, except its owner', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    const everywhere = (i: number): string => `203.0.${i >> 8}.${i & 255}`
    expect(await attempts(accounts, 101, everywhere)).toEqual([...refused(100), 429])
    const stranger = accounts.visitor('198.51.100.7')
    expect((await stranger.signIn('olga@example.com')).status).toBe(429)
    // From an address of an earlier sign-in, even after signing out.
    const owner = accounts.visitor(operator.address)
    expect((await owner.signIn('olga@example.com')).status).toBe(201)
    await owner.delete('/session')
    await operator.delete('/session')
    expect((await owner.signIn('olga@example.com')).status).toBe(201)
    // There, too, failures are limited.
    const there = (): string => operator.address
    expect(await attempts(accounts, 11, there)).toEqual([...refused(10), 429])
    // The account is not locked permanently.
    accounts.clock.now += 60 * minute
    expect((await stranger.signIn('olga@example.com')).status).toBe(201)
  })

  it('counts where the current password is required', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    const change = (currentPassword: string) =>
      operator.changePassword('another cup of coffee', currentPassword)
    const move = (currentPassword: string) =>
      operator.patch('/account', { email: 'o@example.com', currentPassword })
    for (let i = 0; i < 5; i++) {
      expect(await change(wrong)).toMatchObject(refusal(401, 'invalid_credentials'))
      expect((await move(wrong)).status).toBe(401)
    }
    expect((await change(password)).status).toBe(429)
    expect((await move(password)).status).toBe(429)
    accounts.clock.now += 15 * minute
    expect((await move(password)).status).toBe(200)
    expect((await change(password)).status).toBe(204)
  })

  it('counts attempts by link', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    const token = await operator.invite()
    const guess = () => accounts.visitor().acceptInvitation(token, { password: 'password1234' })
    for (let i = 0; i < 10; i++) expect(await guess()).toMatchObject(refusal(400, 'invalid_body'))
    expect((await guess()).status).toBe(429)
  })
})
