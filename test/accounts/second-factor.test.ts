// One-time codes as second factor, over HTTP: turned on and off, required for passwords and links, accepted once,
// limited, replaced by recovery codes, removed by operators.

import { describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { readStoredBytes } from '../stored-bytes.ts'
import {
  type AccountsInTest,
  day,
  expectCode,
  minute,
  password,
  startAccounts,
  startWithOperator,
} from './accounts-in-test.ts'
import { fromBase32, turnOnOneTimeCodes } from './one-time-codes.ts'

const email = 'olga@example.com'
const currentPassword = password

const signIn = (accounts: AccountsInTest, code?: string, address?: string) =>
  accounts.visitor(address).post('/session', { email, password, code })

describe.each(cases(engines))('one-time codes on %s', (engine) => {
  it('are off until a first code confirms them, and then required after the right password', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    const path = '/account/second-factor'
    const off = { isOn: false, since: null, recoveryCodesLeft: 0 }
    expect((await operator.ask(path)).json).toEqual(off)
    const wrong = { currentPassword: 'a wrong password' }
    await expectCode(operator.post(`${path}/set-up`, wrong), 'invalid_credentials')
    const first = await operator.post(`${path}/set-up`, { currentPassword })
    expect(first.status).toBe(201)
    await expectCode(operator.post(`${path}/confirm`, { code: '000000' }), 'invalid_code')
    expect((await signIn(accounts)).status).toBe(201)

    const { code, recoveryCodes } = await turnOnOneTimeCodes(accounts, operator)
    expect(new Set(recoveryCodes).size).toBe(10)
    expect((await operator.ask(path)).json).toMatchObject({ isOn: true, recoveryCodesLeft: 10 })
    await expectCode(operator.post(`${path}/set-up`, { currentPassword }), 'conflict')
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
    const replaced = await operator.post(`${path}/recovery-codes`, { currentPassword })
    expect(replaced.status).toBe(201)
    const [fresh = ''] = (replaced.json as { recoveryCodes: string[] }).recoveryCodes
    await expectCode(signIn(accounts, third), 'invalid_code')
    expect((await signIn(accounts, fresh)).status).toBe(201)
  })

  it('can be guessed 20 times a day, from everywhere, and the owner is not locked out', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    const { code, recoveryCodes } = await turnOnOneTimeCodes(accounts, operator)
    const token = await operator.passwordLink(operator.account.id)
    const guesses = async (count: number, address = (i: number) => `198.51.${i}.1`) => {
      const statuses: number[] = []
      for (let i = 0; i < count; i++)
        statuses.push((await signIn(accounts, '000000', address(i))).status)
      return statuses
    }
    expect(await guesses(22)).toEqual([...Array(20).fill(401), 429, 429])
    const right = await signIn(accounts, code(), '203.0.113.9')
    expect(right.status).toBe(429)
    expect(Number(right.headers['retry-after'])).toBeGreaterThan(60)
    expect((await operator.ask('/account')).status).toBe(200)
    // From a network of an earlier session, with a recovery code, and by a password link.
    expect((await signIn(accounts, code(), operator.address)).status).toBe(201)
    expect((await signIn(accounts, recoveryCodes[0], '203.0.113.9')).status).toBe(201)
    await guesses(22)
    accounts.clock.now += minute
    const elsewhere = accounts.visitor('203.0.113.10')
    expect((await elsewhere.resetPassword(token, password, { code: code() })).status).toBe(201)
    // Guesses are limited there, too.
    expect(await guesses(21, () => operator.address)).toEqual([...Array(20).fill(401), 429])
    accounts.clock.now += day
    expect((await signIn(accounts, code())).status).toBe(201)
  })

  it('are required for a password link, too, which stays valid until they are right', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    const { code } = await turnOnOneTimeCodes(accounts, operator)
    const token = await operator.passwordLink(operator.account.id)
    const reset = (code?: string) =>
      accounts.visitor().resetPassword(token, 'another cup of coffee', { code })
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
    const wrong = { currentPassword: 'a wrong password' }
    await expectCode(operator.post(path, wrong), 'invalid_credentials')
    expect((await operator.post(path, { currentPassword })).status).toBe(204)
    expect((await signIn(accounts)).status).toBe(201)
    await expectCode(operator.post(path, { currentPassword }), 'second_factor_not_found')

    const member = await accounts.member(operator, 'max@example.com')
    await turnOnOneTimeCodes(accounts, member)
    const ofMember = `/accounts/${member.account.id}/second-factor`
    expect((await member.delete(ofMember)).status).toBe(403)
    expect((await operator.delete(ofMember)).status).toBe(204)
    expect((await accounts.visitor().signIn('max@example.com')).status).toBe(201)
    await expectCode(operator.delete(ofMember), 'second_factor_not_found')
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
