// Sessions: listed, ended one by one and together, by time and by a password change.
import { describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { refusal } from '../running-store.ts'
import {
  type AccountsInTest,
  day,
  minute,
  password,
  startWithMember,
  startWithOperator,
  type Visitor,
} from './accounts-in-test.ts'

interface Listed {
  items: { id: string; isCurrent: boolean; seenAt: string; expiresAt: string; address: string }[]
}

const list = async (visitor: Visitor): Promise<Listed['items']> =>
  ((await visitor.ask('/account/sessions')).json as Listed).items

/** Another browser of the operator. */
async function another(accounts: AccountsInTest, address: string): Promise<Visitor> {
  const visitor = accounts.visitor(address)
  expect((await visitor.signIn('olga@example.com')).status).toBe(201)
  return visitor
}

describe.each(cases(engines))('sessions on %s', (engine) => {
  it('stay signed in beside cookies of the same name that another site has set', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    const cookie = operator.cookie ?? ''
    const [name = ''] = cookie.split('=')
    const asked = async (sent: string): Promise<number> =>
      (await accounts.bare('/session', { headers: { cookie: sent } })).status
    expect(await asked(`${cookie}; ${cookie}`)).toBe(200)
    for (const foreign of ['x', 'x'.repeat(43), '']) {
      expect(await asked(`${name}=${foreign}; ${cookie}`)).toBe(200)
      expect(await asked(`${cookie}; ${name}=${foreign}`)).toBe(200)
    }
    const value = cookie.slice(name.length + 1)
    const foreign = [`${cookie}x`, `${name}="${value}"`]
    for (const none of [...foreign, `Animal-Store=${value}`, `${name}2=${value}`])
      expect(await asked(none), none).toBe(401)
    // Nor can another account's session take its place.
    const member = await accounts.member(operator, 'max@example.com')
    expect(await asked(`${member.cookie}; ${cookie}`)).toBe(401)
    const phone = await another(accounts, '198.51.100.7')
    expect(await asked(`${phone.cookie}; ${cookie}`)).toBe(200)
  })

  it('are listed with their addresses, last used first', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    accounts.clock.now += day
    const phone = accounts.visitor('2001:db8::7')
    const headers = { 'user-agent': `Phone/2\t${'x'.repeat(500)}` }
    const body = { email: 'olga@example.com', password }
    await phone.ask('/session', { body, headers })
    expect(await list(phone)).toEqual([
      {
        id: expect.stringMatching(/^ses_[0-9a-z]{21}$/),
        address: '2001:db8::7',
        userAgent: `Phone/2 ${'x'.repeat(292)}`,
        createdAt: '2027-01-02T00:00:00.000Z',
        seenAt: '2027-01-02T00:00:00.000Z',
        signedInBy: 'password',
        expiresAt: '2027-02-01T00:00:00.000Z',
        isCurrent: true,
      },
      expect.objectContaining({ address: '192.0.2.1', userAgent: 'Test/1', isCurrent: false }),
    ])
    expect(await operator.isSignedIn()).toBe(true)
  })

  it('are ended one by one, immediately', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    const phone = await another(accounts, '192.0.2.7')
    const of = async (visitor: Visitor) => (await list(visitor)).find((s) => s.isCurrent)?.id ?? ''
    const [mine, its] = [await of(operator), await of(phone)]
    const end = (visitor: Visitor, id: string) => visitor.delete(`/account/sessions/${id}`)
    expect((await end(operator, its)).status).toBe(204)
    expect(await phone.isSignedIn()).toBe(false)
    expect(await end(operator, its)).toMatchObject(refusal(404, 'session_not_found'))
    const member = await accounts.member(operator, 'max@example.com')
    expect((await end(member, mine)).status).toBe(404)
    expect((await end(member, 'ses_')).status).toBe(404)
    expect((await end(operator, mine)).status).toBe(204)
    expect(await operator.isSignedIn()).toBe(false)
    // Nor on a node whose clock is slow.
    accounts.clock.now -= minute
    expect(await operator.isSignedIn()).toBe(false)
    expect(await phone.isSignedIn()).toBe(false)
    expect(await member.isSignedIn()).toBe(true)
  })

  it('are ended except the current one', async () => {
    const { accounts, operator, member } = await startWithMember(engine)
    const others = [await another(accounts, '192.0.2.7'), await another(accounts, '192.0.2.8')]
    expect((await operator.delete('/account/sessions')).status).toBe(204)
    for (const other of others) expect(await other.isSignedIn()).toBe(false)
    expect(await list(operator)).toMatchObject([{ isCurrent: true }])
    expect(await member.isSignedIn()).toBe(true)
  })

  it('end when the password changes, except the current one; access tokens stay valid', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    const phone = await another(accounts, '192.0.2.7')
    const token = await operator.accessToken()
    const changed = await operator.changePassword('another cup of coffee')
    expect(changed).toMatchObject({ status: 204, text: '' })
    expect(await operator.isSignedIn()).toBe(true)
    expect(await phone.isSignedIn()).toBe(false)
    expect((await phone.ask('/probe', { token })).status).toBe(204)
    expect((await phone.signIn('olga@example.com')).status).toBe(401)
    expect((await phone.signIn('olga@example.com', 'another cup of coffee')).status).toBe(201)
  })

  it('stay valid when the new password is refused', async () => {
    const { operator } = await startWithOperator(engine)
    for (const newPassword of ['short', 'olga@example.com', 'password1234', 'x'.repeat(300)]) {
      const response = await operator.changePassword(newPassword)
      expect(response).toMatchObject(refusal(400, 'invalid_body', 'newPassword'))
    }
    expect(await operator.isSignedIn()).toBe(true)
  })

  it.each([
    ['30 days without use', [29 * day, 30 * day - 1], 30 * day, '2027-03-30'],
    ['90 days in any case', [...Array(4).fill(20 * day), 10 * day - 1], 1, '2027-04-01'],
  ])('expire after %s', async (_, uses, last, expiry) => {
    const { accounts, operator } = await startWithOperator(engine)
    for (const passes of uses) {
      accounts.clock.now += passes
      expect(await operator.isSignedIn()).toBe(true)
    }
    expect((await list(operator))[0]?.expiresAt.slice(0, 10)).toBe(expiry)
    accounts.clock.now += last
    expect(await operator.isSignedIn()).toBe(false)
  })

  it('record their last use at most every five minutes', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    const seen = async () => (await list(operator))[0]?.seenAt.slice(11, 16)
    accounts.clock.now += 5 * minute - 1
    expect(await seen()).toBe('00:00')
    accounts.clock.now += 1
    expect(await seen()).toBe('00:05')
    accounts.clock.now += 4 * minute
    expect(await seen()).toBe('00:05')
  })

  it('are limited to 50: the least recently used one ends', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    accounts.clock.now += 10 * minute
    const second = await another(accounts, '192.0.2.7')
    accounts.clock.now += 10 * minute
    expect(await operator.isSignedIn()).toBe(true)
    for (let i = 0; i < 49; i++) await another(accounts, '192.0.2.8')
    expect(await second.isSignedIn()).toBe(false)
    expect(await operator.isSignedIn()).toBe(true)
    expect(await list(operator)).toHaveLength(50)
  })
})
