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
  invite,
  password,
  passwordLink,
  startAccounts,
  startWithMember,
  startWithOperator,
  tokenOf,
} from './accounts-in-test.ts'

const gone = refusal(410, 'link_not_valid')

const check = (accounts: AccountsInTest, token: string) =>
  accounts.visitor().ask('/links/check', { body: { token } })

const accept = (accounts: AccountsInTest, token: string, more: object = {}) =>
  accounts.visitor().ask('/invitations/accept', {
    body: { token, email: 'max@example.com', name: 'Max', password, ...more },
  })

const setUp = (accounts: AccountsInTest, token: string, more: object = {}) =>
  accounts.visitor().ask('/set-up', {
    body: { token, email: 'olga@example.com', name: 'Olga', password, ...more },
  })

describe.each(cases(engines))('links on %s', (engine) => {
  it('set-up: each start creates a new one until there is an operator', async () => {
    const accounts = await startAccounts(engine)
    const { clock, database, setUpToken } = accounts
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
    expect(await setUp(accounts, next)).toMatchObject(gone)
    expect(await accept(accounts, last)).toMatchObject(gone)
    const made = await setUp(accounts, last)
    expect(made).toMatchObject({ status: 201, json: { role: 'operator', plan: 'paid' } })
    expect(made.headers['set-cookie']).toContain('HttpOnly')
    expect(await setUp(accounts, last)).toMatchObject(gone)
    expect(await prepareAccounts(database, clock.now)).toBeUndefined()
  })

  it('set-up: of twenty concurrent requests, one creates the operator', async () => {
    const accounts = await startAccounts(engine)
    // Each from a different address, so that no limit refuses it.
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        accounts.visitor(`192.0.2.${i}`).ask('/set-up', {
          body: { token: accounts.setUpToken, email: `o${i}@example.com`, name: 'O', password },
        }),
      ),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 410)).toHaveLength(19)
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
    expect(await setUp(accounts, token, { email: 'max@example.com' })).toMatchObject(
      refusal(409, 'email_taken'),
    )
    expect((await setUp(accounts, token)).status).toBe(201)
  })

  it('invitation: creates one account with its role and plan', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    const created = await operator.ask('/invitations', {
      body: { email: 'Max@example.com', plan: 'paid' },
    })
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
    expect(await accept(accounts, token)).toMatchObject({
      status: 201,
      json: { email: 'max@example.com', name: 'Max', role: 'member', plan: 'paid' },
    })
    expect(await accept(accounts, token, { email: 'max@example.com' })).toMatchObject(gone)
    expect(await check(accounts, token)).toMatchObject(gone)
    expect((await operator.ask('/invitations')).json).toEqual({ items: [] })
  })

  it('invitation: is used once under concurrent requests', async () => {
    const accounts = await startAccounts(engine)
    const token = await invite(await accounts.operator())
    const answers = await Promise.all(Array.from({ length: 9 }, () => accept(accounts, token)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(8).fill(410)])
  })

  it('invitation: is not used up by an invalid account', async () => {
    const accounts = await startAccounts(engine)
    const token = await invite(await accounts.operator())
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
    const revoked = await invite(operator)
    accounts.clock.now += 1
    const expired = await invite(operator)
    const { items } = (await operator.ask('/invitations')).json as { items: { id: string }[] }
    const revoke = () => operator.ask(`/invitations/${items[1]?.id}`, { method: 'DELETE' })
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
    await Promise.all(Array.from({ length: 100 }, () => invite(operator)))
    expect(
      await operator.ask('/invitations', { body: { email: 'ida@example.com' } }),
    ).toMatchObject(refusal(409, 'limit_reached'))
    expect((await operator.ask('/invitations')).json).toMatchObject({ items: { length: 100 } })
    const taken = await operator.ask('/invitations', { body: { email: 'OLGA@example.com' } })
    expect(taken).toMatchObject(refusal(409, 'email_taken'))
  })

  it('password: sets it, ends all sessions and signs in', async () => {
    const { accounts, operator, member } = await startWithMember(engine)
    const path = `/accounts/${member.account.id}/password-link`
    const make = async (): Promise<string> => {
      const { json } = await operator.ask(path, { method: 'POST' })
      const { link } = json as { link: string }
      expect(link).toMatch(/^http:\/\/localhost:\d+\/password#[0-9A-Za-z]{43}$/)
      return tokenOf(link)
    }
    const [old, token] = [await make(), await make()]
    const reset = (by: string, given = 'another cup of coffee') =>
      accounts.visitor().ask('/password', { body: { token: by, password: given } })
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
    expect(done).toMatchObject({ status: 201, json: { id: member.account.id } })
    expect(done.headers['set-cookie']).toContain('animal-store=')
    expect((await member.ask('/session')).status).toBe(401)
    expect(await reset(token)).toMatchObject(gone)
    expect((await member.signIn('max@example.com')).status).toBe(401)
    expect((await member.signIn('max@example.com', 'another cup of coffee')).status).toBe(201)
    const late = await make()
    accounts.clock.now += day
    expect(await reset(late)).toMatchObject(gone)
  })

  it('password: open links are revoked when the owner changes the password', async () => {
    const { accounts, operator, member } = await startWithMember(engine)
    const token = await passwordLink(operator, member.account.id)
    const body = { currentPassword: password, newPassword: 'another cup of coffee' }
    await member.ask('/account/password', { method: 'PUT', body })
    expect(await check(accounts, token)).toMatchObject(gone)
    const unknown = await operator.ask('/accounts/acc_0/password-link', { method: 'POST' })
    expect(unknown).toMatchObject(refusal(404, 'account_not_found'))
  })
})
