// One-time links: set-up links, invitations and password reset links.

import { describe, expect, it } from 'vitest'
import { prepareAccounts } from '#accounts/people/accounts.ts'
import { createInvitation } from '#accounts/people/links.ts'
import { commandLineOrigin } from '#kit/audit/record-audit.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { refusal } from '../running-store.ts'
import {
  type AccountsInTest,
  day,
  startAccounts,
  startWithMember,
  startWithOperator,
  tokenOf,
} from './accounts-in-test.ts'

const gone = refusal(410, 'link_not_valid')

const check = ({ visitor }: AccountsInTest, token: string) =>
  visitor().post('/links/check', { token })

const accept = ({ visitor }: AccountsInTest, token: string, more?: object) =>
  visitor().acceptInvitation(token, more)

describe.each(cases(engines))('links on %s', (engine) => {
  it('set-up: each start creates a new one until there is an operator, the first to use it', async () => {
    const accounts = await startAccounts(engine)
    const { clock, database, setUpToken, visitor } = accounts
    expect(setUpToken).toMatch(/^[0-9A-Za-z]{43}$/)
    const [next = '', last = ''] = [
      await prepareAccounts(database, clock.now),
      await prepareAccounts(database, clock.now),
    ]
    for (const old of [setUpToken, next]) expect(await check(accounts, old)).toMatchObject(gone)
    expect(await check(accounts, last)).toMatchObject({
      status: 200,
      json: { kind: 'set_up', email: null, expiresAt: '2027-01-08T00:00:00.000Z' },
    })
    expect(await visitor().setUp(next)).toMatchObject(gone)
    expect(await accept(accounts, last)).toMatchObject(gone)
    // Each from a different address, so that no limit refuses it.
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        visitor(`198.51.100.${i}`).setUp(last, { email: `o${i}@example.com` }),
      ),
    )
    const [made, ...others] = answers.toSorted((a, b) => a.status - b.status)
    expect(made).toMatchObject({ status: 201, json: { role: 'operator', plan: 'paid' } })
    expect(made?.headers['set-cookie']).toContain('HttpOnly')
    for (const other of others) expect(other).toMatchObject(gone)
    expect(await prepareAccounts(database, clock.now)).toBeUndefined()
  })

  it('set-up: stays possible until there is an operator', async () => {
    const accounts = await startAccounts(engine)
    const made = await createInvitation(
      accounts.database,
      { email: 'max@example.com', role: 'member', plan: 'free' },
      commandLineOrigin(accounts.clock.now),
    )
    expect((await accept(accounts, made.token)).status).toBe(201)
    const token = (await prepareAccounts(accounts.database, accounts.clock.now)) ?? ''
    const taken = await accounts.visitor().setUp(token, { email: 'max@example.com' })
    expect(taken).toMatchObject(refusal(409, 'email_taken'))
    expect((await accounts.visitor().setUp(token)).status).toBe(201)
  })

  it('invitation: creates one account with its role and plan, also when used nine times at once', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    const created = await operator.post('/invitations', { email: 'Max@example.com', plan: 'paid' })
    const { link, ...invitation } = created.json as { link: string; id: string }
    expect(created.status).toBe(201)
    expect(invitation).toEqual({
      id: expect.stringMatching(/^inv_/),
      email: 'Max@example.com',
      role: 'member',
      plan: 'paid',
      createdBy: operator.account.id,
      createdAt: '2027-01-01T00:00:00.000Z',
      expiresAt: '2027-01-08T00:00:00.000Z',
    })
    expect(link).toMatch(/^http:\/\/localhost:\d+\/invitation#[0-9A-Za-z]{43}$/)
    expect((await operator.ask('/invitations')).json).toEqual({ items: [invitation] })
    const token = tokenOf(link)
    expect((await check(accounts, token)).json).toEqual({
      kind: 'invitation',
      email: 'Max@example.com',
      expiresAt: '2027-01-08T00:00:00.000Z',
    })
    expect(await accept(accounts, token, { email: 'other@example.com' })).toMatchObject(
      refusal(400, 'invalid_body', 'email'),
    )
    const answers = await Promise.all(Array.from({ length: 9 }, () => accept(accounts, token)))
    const [made, ...others] = answers.toSorted((a, b) => a.status - b.status)
    const account = { email: 'max@example.com', name: 'Max', role: 'member', plan: 'paid' }
    expect(made).toMatchObject({ status: 201, json: account })
    for (const other of others) expect(other).toMatchObject(gone)
    expect(await check(accounts, token)).toMatchObject(gone)
    expect((await operator.ask('/invitations')).json).toEqual({ items: [] })
  })

  it('invitation: is not used up by an invalid account', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    const token = await operator.invite()
    const hashes = accounts.hashes()
    for (const [more, path] of [
      [{ email: 'nowhere' }, 'email'],
      [{ email: 'OLGA@example.com' }, 'email'],
      [{ name: '' }, 'name'],
      [{ name: 'Max\u0007' }, 'name'],
      [{ password: 'too short' }, 'password'],
      [{ password: 'Password1234' }, 'password'],
      [{ password: 'max@example.com' }, 'password'],
    ] as const) {
      expect(await accept(accounts, token, more)).toMatchObject(refusal(400, 'invalid_body', path))
    }
    expect(await accept(accounts, 'x'.repeat(43))).toMatchObject(gone)
    expect(accounts.hashes()).toBe(hashes)
    expect((await accept(accounts, token)).status).toBe(201)
  })

  it('invitation: expires after 7 days, or when it is revoked', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    const revoked = await operator.invite()
    accounts.clock.now += 1
    const expired = await operator.invite()
    const { items } = (await operator.ask('/invitations')).json as { items: { id: string }[] }
    const revoke = () => operator.delete(`/invitations/${items[1]?.id}`)
    expect((await revoke()).status).toBe(204)
    expect(await revoke()).toMatchObject(refusal(404, 'invitation_not_found'))
    expect(await check(accounts, revoked)).toMatchObject(gone)
    expect((await operator.ask('/invitations')).json).toEqual({ items: [items[0]] })
    accounts.clock.now += 7 * day - 1
    expect((await check(accounts, expired)).status).toBe(200)
    accounts.clock.now += 1
    expect(await check(accounts, expired)).toMatchObject(gone)
    expect(await accept(accounts, expired)).toMatchObject(gone)
    expect((await operator.ask('/invitations')).json).toEqual({ items: [] })
  })

  it('invitation: at most 100 can be open', async () => {
    const { operator } = await startWithOperator(engine)
    await Promise.all(Array.from({ length: 100 }, () => operator.invite()))
    expect(await operator.post('/invitations', { email: 'ida@example.com' })).toMatchObject(
      refusal(409, 'limit_reached'),
    )
    expect((await operator.ask('/invitations')).json).toMatchObject({ items: { length: 100 } })
    const taken = await operator.post('/invitations', { email: 'OLGA@example.com' })
    expect(taken).toMatchObject(refusal(409, 'email_taken'))
  })

  it('password: sets it, ends all sessions and signs in', async () => {
    const { accounts, operator, member } = await startWithMember(engine)
    const { id } = member.account
    const made = await operator.post(`/accounts/${id}/password-link`)
    const link = /^http:\/\/localhost:\d+\/password#[0-9A-Za-z]{43}$/
    expect(made.json).toMatchObject({ link: expect.stringMatching(link) })
    const [old, token] = [await operator.passwordLink(id), await operator.passwordLink(id)]
    const reset = (by: string, given = 'another cup of coffee') =>
      accounts.visitor().resetPassword(by, given)
    // Only the latest one is valid.
    expect(await reset(old)).toMatchObject(gone)
    expect((await check(accounts, token)).json).toEqual({
      kind: 'password',
      email: 'max@example.com',
      expiresAt: '2027-01-02T00:00:00.000Z',
    })
    expect(await accept(accounts, token)).toMatchObject(gone)
    expect((await reset(token, 'max@example.com')).status).toBe(400)
    const done = await reset(token)
    expect(done).toMatchObject({ status: 201, json: { id } })
    expect(done.headers['set-cookie']).toContain('animal-store=')
    expect(await member.isSignedIn()).toBe(false)
    expect(await reset(token)).toMatchObject(gone)
    expect((await member.signIn('max@example.com')).status).toBe(401)
    expect((await member.signIn('max@example.com', 'another cup of coffee')).status).toBe(201)
    const late = await operator.passwordLink(id)
    accounts.clock.now += day
    expect(await reset(late)).toMatchObject(gone)
  })

  it('password: open links are revoked when the owner changes the password', async () => {
    const { accounts, operator, member } = await startWithMember(engine)
    const token = await operator.passwordLink(member.account.id)
    await member.changePassword('another cup of coffee')
    expect(await check(accounts, token)).toMatchObject(gone)
    const unknown = await operator.post('/accounts/acc_0/password-link')
    expect(unknown).toMatchObject(refusal(404, 'account_not_found'))
  })
})
