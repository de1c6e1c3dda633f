// A required second factor over HTTP: until it is added, a session may only add it.

import { describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { codeIn, password, startWithOperator, type Visitor } from './accounts-in-test.ts'
import { addPasskey, challengeFor, hereOf } from './authenticator-in-test.ts'
import { turnOnOneTimeCodes } from './one-time-codes.ts'

const isAllowed = async (visitor: Visitor): Promise<boolean> => {
  const response = await visitor.ask('/account/tokens')
  if (response.status !== 200) expect(codeIn(response)).toBe('second_factor_missing')
  return response.status === 200
}

describe.each(cases(engines))('a required second factor on %s', (engine) => {
  it('restricts a session to adding one, and releases it with the first code', async () => {
    const { accounts, operator } = await startWithOperator(engine, { secondFactor: 'all' })
    expect(await isAllowed(operator)).toBe(false)
    expect((await operator.ask('/session')).status).toBe(200)
    const { code } = await turnOnOneTimeCodes(accounts, operator)
    expect(await isAllowed(operator)).toBe(true)
    const visitor = accounts.visitor()
    const body = { email: operator.account.email, password, code: code() }
    expect((await visitor.post('/session', body)).status).toBe(201)
    expect(await isAllowed(visitor)).toBe(true)
  })

  it('is met by a passkey, also one that is added in the session', async () => {
    const { accounts, operator } = await startWithOperator(engine, { secondFactor: 'all' })
    const credential = await addPasskey(accounts, operator)
    expect(await isAllowed(operator)).toBe(true)
    const byPassword = accounts.visitor()
    expect((await byPassword.signIn(operator.account.email)).status).toBe(201)
    expect(await isAllowed(byPassword)).toBe(false)
    const byPasskey = accounts.visitor()
    const signed = credential.sign(await challengeFor(byPasskey), hereOf(accounts))
    await byPasskey.post('/session/passkey', { credential: signed })
    expect(await isAllowed(byPasskey)).toBe(true)
  })

  it('can be required of operators only', async () => {
    const { accounts, operator } = await startWithOperator(engine, { secondFactor: 'operators' })
    expect(await isAllowed(operator)).toBe(false)
    await turnOnOneTimeCodes(accounts, operator)
    const member = await accounts.member(operator, 'max@example.com')
    expect(await isAllowed(member)).toBe(true)
    const changed = await operator.patch(`/accounts/${member.account.id}`, { role: 'operator' })
    expect(changed.status).toBe(200)
    expect(await isAllowed(member)).toBe(false)
  })
})
