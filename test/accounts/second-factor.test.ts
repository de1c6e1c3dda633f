// One-time codes as second factor, over HTTP: turned on and off, required for passwords and links, accepted once,
// limited, replaced by recovery codes, removed by operators.

import { describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { readStoredBytes } from '../stored-bytes.ts'
import {
  type AccountsInTest,
  codeIn,
  day,
  expectCode,
  minute,
  password,
  passwordLink,
  startAccounts,
  startWithOperator,
} from './accounts-in-test.ts'
import { fromBase32, turnOnOneTimeCodes } from './one-time-codes.ts'

const email = 'olga@example.com'
const currentPassword = password

const signIn = (accounts: AccountsInTest, code?: string, address?: string) =>
  accounts.visitor(address).ask('/session', { body: { email, password, ...(code && { code }) } })

describe.each(cases(engines))('one-time codes on %s', (engine) => {
  it('are off until a first code confirms them, and then required after the right password', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    const path = '/account/second-factor'
    expect((await operator.ask(path)).json).toEqual({
      isOn: false,
      since: null,
      recoveryCodesLeft: 0,
    })
    const wrong = { body: { currentPassword: 'a wrong password' } }
    await expectCode(operator.ask(`${path}/set-up`, wrong), 'invalid_credentials')
    const first = await operator.ask(`${path}/set-up`, { body: { currentPassword } })
    expect(first.status).toBe(201)
    await expectCode(operator.ask(`${path}/confirm`, { body: { code: '000000' } }), 'invalid_code')
    expect((await signIn(accounts)).status).toBe(201)

    const { code, recoveryCodes } = await turnOnOneTimeCodes(accounts, operator)
    expect(new Set(recoveryCodes).size).toBe(10)
    expect((await operator.ask(path)).json).toMatchObject({ isOn: true, recoveryCodesLeft: 10 })
    await expectCode(operator.ask(`${path}/set-up`, { body: { currentPassword } }), 'conflict')
    // A wrong password says nothing about codes.
    const visitor = accounts.visitor()
    await expectCode(visitor.signIn(email, 'a wrong password'), 'invalid_credentials')
    await expectCode(visitor.signIn(email), 'second_factor_required')
    expect(visitor.cookie).toBeUndefined()
    await expectCode(signIn(accounts, '000000'), 'invalid_code')
    expect((await signIn(accounts, code())).status).toBe(201)
    const sessions = (await operator.ask('/account/sessions')).json as {
      items: { signedInBy: string }[]
    }
    // The first one began by link, and has proven a code since.
    expect(sessions.items.map(({ signedInBy }) => signedInBy).sort()).toEqual([
      'password',
      'password_code',
      'password_code',
    ])
  })

  it('are accepted once, also by sign-ins at the same time', async () => {
    const accounts = await startAccounts(engine)
    const { code } = await turnOnOneTimeCodes(accounts, await accounts.operator())
    const given = code()
    const answers = await Promise.all([1, 2, 3, 4].map(() => signIn(accounts, given)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401, 401])
    // A code of an earlier step cannot follow it.
    await expectCode(signIn(accounts, code(-1)), 'invalid_code')
    accounts.clock.now += minute / 2
    expect((await signIn(accounts, ` ${code().slice(0, 3)} ${code().slice(3)} `)).status).toBe(201)
  })

  it('are replaced by recovery codes, each of which works once', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    const { recoveryCodes } = await turnOnOneTimeCodes(accounts, operator)
    const [first = '', second = '', third = ''] = recoveryCodes
    expect((await signIn(accounts, first)).status).toBe(201)
    await expectCode(signIn(accounts, first), 'invalid_code')
    expect((await signIn(accounts, second.toUpperCase().replaceAll('-', ' '))).status).toBe(201)
    const path = '/account/second-factor'
    expect((await operator.ask(path)).json).toMatchObject({ recoveryCodesLeft: 8 })
    const replaced = await operator.ask(`${path}/recovery-codes`, { body: { currentPassword } })
    expect(replaced.status).toBe(201)
    const [fresh = ''] = (replaced.json as { recoveryCodes: string[] }).recoveryCodes
    await expectCode(signIn(accounts, third), 'invalid_code')
    expect((await signIn(accounts, fresh)).status).toBe(201)
  })

  it('can be guessed 20 times a day, from everywhere, and the owner is not locked out', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    const { code, recoveryCodes } = await turnOnOneTimeCodes(accounts, operator)
    const token = await passwordLink(operator, operator.account.id)
    const statuses: number[] = []
    for (let i = 0; i < 22; i++) {
      statuses.push((await signIn(accounts, '000000', `198.51.${i}.1`)).status)
    }
    expect(statuses).toEqual([...Array(20).fill(401), 429, 429])
    const right = await signIn(accounts, code(), '203.0.113.9')
    expect(right.status).toBe(429)
    expect(Number(right.headers['retry-after'])).toBeGreaterThan(60)
    expect((await operator.ask('/account')).status).toBe(200)
    // From a network of an earlier session, with a recovery code, and by a password link.
    expect((await signIn(accounts, code(), operator.address)).status).toBe(201)
    expect((await signIn(accounts, recoveryCodes[0], '203.0.113.9')).status).toBe(201)
    for (let i = 0; i < 22; i++) await signIn(accounts, '000000', `198.51.${i}.1`)
    accounts.clock.now += minute
    const body = { token, password, code: code() }
    expect((await accounts.visitor('203.0.113.10').ask('/password', { body })).status).toBe(201)
    // Guesses are limited there, too.
    const known = [...Array(21)].map(() => '000000')
    const last: number[] = []
    for (const guess of known) last.push((await signIn(accounts, guess, operator.address)).status)
    expect(last).toEqual([...Array(20).fill(401), 429])
    accounts.clock.now += day
    expect((await signIn(accounts, code())).status).toBe(201)
  })

  it('are required for a password link, too, which stays valid until they are right', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    const { code } = await turnOnOneTimeCodes(accounts, operator)
    const token = await passwordLink(operator, operator.account.id)
    const reset = (given?: string) =>
      accounts.visitor().ask('/password', {
        body: { token, password: 'another cup of coffee', ...(given && { code: given }) },
      })
    await expectCode(reset(), 'second_factor_required')
    await expectCode(reset('000000'), 'invalid_code')
    expect((await operator.ask('/account')).status).toBe(200)
    expect((await reset(code())).status).toBe(201)
    expect((await operator.ask('/account')).status).toBe(401)
  })

  it('are turned off with the password, or by an operator', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    await turnOnOneTimeCodes(accounts, operator)
    const path = '/account/second-factor/remove'
    const wrong = { body: { currentPassword: 'a wrong password' } }
    await expectCode(operator.ask(path, wrong), 'invalid_credentials')
    expect((await operator.ask(path, { body: { currentPassword } })).status).toBe(204)
    expect((await signIn(accounts)).status).toBe(201)
    const again = await operator.ask(path, { body: { currentPassword } })
    expect(codeIn(again)).toBe('second_factor_not_found')

    const member = await accounts.member(operator, 'max@example.com')
    await turnOnOneTimeCodes(accounts, member)
    const ofMember = `/accounts/${member.account.id}/second-factor`
    expect((await member.ask(ofMember, { method: 'DELETE' })).status).toBe(403)
    expect((await operator.ask(ofMember, { method: 'DELETE' })).status).toBe(204)
    expect((await accounts.visitor().signIn('max@example.com')).status).toBe(201)
    await expectCode(operator.ask(ofMember, { method: 'DELETE' }), 'second_factor_not_found')
  })

  it('store no secret and no recovery code in clear text', async () => {
    const accounts = await startAccounts(engine)
    const { recoveryCodes, secret } = await turnOnOneTimeCodes(accounts, await accounts.operator())
    const stored = await readStoredBytes(accounts.place)
    expect(stored).toContain('olga@example.com')
    for (const plain of [
      secret,
      fromBase32(secret).toString('hex'),
      fromBase32(secret).toString('base64url'),
      ...recoveryCodes,
      ...recoveryCodes.map((code) => code.replaceAll('-', '')),
    ]) {
      expect(stored).not.toContain(plain)
      expect(accounts.log()).not.toContain(plain)
    }
  })
})
