// Signing in and out, without revealing which accounts exist.
import { describe, expect, it } from 'vitest'
import { findAccountByEmail } from '#accounts/people/accounts.ts'
import { createPasswords } from '#accounts/people/passwords.ts'
import { engines } from '../database.ts'
import { refusal } from '../running-store.ts'
import { password, startAccounts, startWithOperator } from './accounts-in-test.ts'

describe.each(engines)('signing in on %s', (engine) => {
  it('sets a cookie that identifies the account until it signs out', async () => {
    const accounts = await startAccounts(engine)
    const { account } = await accounts.operator()
    const visitor = accounts.visitor()
    expect(await visitor.ask('/session')).toMatchObject(refusal(401, 'not_signed_in'))
    const signedIn = await visitor.signIn('Olga@Example.com')
    expect(signedIn).toMatchObject({ status: 201, json: account })
    expect(account).toEqual({
      id: expect.stringMatching(/^acc_[0-9a-z]{21}$/),
      email: 'olga@example.com',
      name: 'Olga',
      role: 'operator',
      plan: 'paid',
      createdAt: '2027-01-01T00:00:00.000Z',
    })
    expect(signedIn.headers['set-cookie']).toMatch(
      /^animal-store=[0-9A-Za-z]{43}; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Strict$/,
    )
    expect(signedIn.headers['cache-control']).toBe('no-store')
    expect(await visitor.ask('/session')).toMatchObject({ status: 200, json: account })
    const { cookie } = visitor
    const out = await visitor.delete('/session')
    expect(out).toMatchObject({ status: 204, text: '' })
    expect(out.headers['set-cookie']).toBe(
      'animal-store=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict',
    )
    visitor.cookie = cookie
    expect(await visitor.isSignedIn()).toBe(false)
    expect((await visitor.delete('/session')).status).toBe(204)
  })

  it('sets a Secure __Host- cookie where the dashboard uses https', async () => {
    const dashboardUrl = 'https://store.example.com'
    const { operator } = await startWithOperator(engine, { dashboardUrl })
    const { headers } = await operator.signIn('olga@example.com')
    expect(headers['set-cookie']).toMatch(
      /^__Host-animal-store=[0-9A-Za-z]{43}; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    )
    expect(await operator.isSignedIn()).toBe(true)
    operator.cookie = operator.cookie?.replace('__Host-', '')
    expect(await operator.isSignedIn()).toBe(false)
  })

  it('creates a new token each time, and ends the previous session', async () => {
    const { operator } = await startWithOperator(engine)
    const before = operator.cookie
    // Nor does a client choose its token.
    const chosen = `animal-store=${'x'.repeat(43)}`
    const headers = { cookie: `${before}; ${chosen}` }
    await operator.ask('/session', { headers, body: { email: 'olga@example.com', password } })
    expect([before, chosen]).not.toContain(operator.cookie)
    const { json } = await operator.ask('/account/sessions')
    expect(json).toMatchObject({ items: [{ isCurrent: true }] })
    for (const other of [before, chosen]) {
      operator.cookie = other
      expect(await operator.isSignedIn()).toBe(false)
    }
  })

  it('does not reveal whether an account exists: same response, same work', async () => {
    const { accounts } = await startWithOperator(engine)
    const seen = []
    for (const [email, given] of [
      ['olga@example.com', 'not the right password'],
      ['unknown@example.com', 'not the right password'],
      ['unknown@example.com', password],
      ['no address at all', password],
      ['olga@example.com', 'x'],
    ] as const) {
      const before = accounts.hashes()
      const { headers, json, status } = await accounts.visitor().signIn(email, given)
      const { date: _, 'x-request-id': __, ...rest } = headers
      seen.push({ status, json, headers: rest, hashes: accounts.hashes() - before })
    }
    expect(seen[0]).toMatchObject({
      status: 401,
      json: { code: 'invalid_credentials', message: 'Incorrect email or password.' },
      hashes: 1,
    })
    for (const other of seen) expect(other).toEqual(seen[0])
  })

  it('accepts the password in any Unicode normalization', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    const newPassword = 'Spaß in Zürich'
    expect((await operator.changePassword(newPassword.normalize('NFD'))).status).toBe(204)
    const visitor = accounts.visitor()
    expect((await visitor.signIn('olga@example.com', newPassword)).status).toBe(201)
    expect((await visitor.signIn('olga@example.com', 'Spass in Zürich')).status).toBe(401)
    expect((await visitor.signIn('olga@example.com', ` ${newPassword}`)).status).toBe(401)
  })

  it('rehashes a password whose hash has a lower cost', async () => {
    const { accounts } = await startWithOperator(engine)
    const stored = async (): Promise<string | undefined> =>
      (await findAccountByEmail(accounts.database.read, 'olga@example.com'))?.passwordHash
    expect(await stored()).toContain('$m=64,t=1,p=1$')
    accounts.context.passwords = createPasswords({ cost: { memoryKib: 64, passes: 2, lanes: 1 } })
    const visitor = accounts.visitor()
    expect((await visitor.signIn('olga@example.com', 'not the right one')).status).toBe(401)
    expect(await stored()).toContain('$m=64,t=1,p=1$')
    expect((await visitor.signIn('olga@example.com')).status).toBe(201)
    expect(await stored()).toContain('$m=64,t=2,p=1$')
    expect((await visitor.signIn('olga@example.com')).status).toBe(201)
  })

  it('refuses a password that was changed while it was checked', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    const resume = accounts.pause()
    const hashesBefore = accounts.hashes()
    const late = accounts.visitor('192.0.2.9').signIn('olga@example.com')
    await expect.poll(accounts.hashes).toBe(hashesBefore + 1)
    // Later hashes do not wait.
    accounts.pause()()
    expect((await operator.changePassword('another cup of coffee')).status).toBe(204)
    resume()
    expect((await late).status).toBe(401)
    expect((await operator.ask('/account/sessions')).json).toMatchObject({
      items: [{ isCurrent: true }],
    })
  })
})
