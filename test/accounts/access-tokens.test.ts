// Personal access tokens: what they allow, and what requires a session.

import { describe, expect, it } from 'vitest'
import { createSecretText } from '#kit/identifiers.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { query } from '../query.ts'
import { refusal } from '../running-store.ts'
import {
  day,
  minute,
  startWithMember,
  startWithOperator,
  type Visitor,
} from './accounts-in-test.ts'

interface CreatedToken {
  id: string
  token: string
  expiresAt: string
}

async function createToken(visitor: Visitor, body: object): Promise<CreatedToken> {
  const { json, status, text } = await visitor.post('/account/tokens', body)
  if (status !== 201) throw new Error(text)
  return json as CreatedToken
}

describe.each(cases(engines))('access tokens on %s', (engine) => {
  it('are revoked together, and also by a password reset that asks for it', async () => {
    const { accounts, operator, member } = await startWithMember(engine)
    const owned = async (visitor: Visitor): Promise<string[]> => [
      await visitor.accessToken('one'),
      await visitor.accessToken('two'),
    ]
    const probe = async (tokens: string[]): Promise<number[]> => {
      const answers = tokens.map((token) => accounts.visitor().ask('/probe', { token }))
      return (await Promise.all(answers)).map(({ status }) => status)
    }
    const [others, own] = [await owned(operator), await owned(member)]
    expect(await probe([...own, ...others])).toEqual([204, 204, 204, 204])
    expect((await member.delete('/account/tokens')).status).toBe(204)
    expect(await probe([...own, ...others])).toEqual([401, 401, 204, 204])
    expect((await member.ask('/account/tokens')).json).toEqual({ items: [] })
    // A token cannot do it.
    const byToken = { method: 'DELETE', token: others[0] as string }
    expect((await accounts.visitor().ask('/account/tokens', byToken)).status).toBe(403)

    const reset = async (more: object): Promise<number> => {
      const token = await operator.passwordLink(member.account.id)
      return (await member.resetPassword(token, 'another cup of coffee', more)).status
    }
    const again = await owned(member)
    expect(await reset({ revokeTokens: false })).toBe(201)
    expect(await probe(again)).toEqual([204, 204])
    expect(await reset({})).toBe(201)
    expect(await probe([...again, ...others])).toEqual([401, 401, 204, 204])
  })

  it('are shown once, listed, used and revoked', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    const body = { label: 'ci', scopes: ['projects:read'] }
    const { token, ...shown } = await createToken(operator, body)
    expect(token).toMatch(/^as_pat_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/)
    expect(shown).toEqual({
      id: token.split('_')[2],
      label: 'ci',
      scopes: ['projects:read'],
      project: null,
      createdAt: '2027-01-01T00:00:00.000Z',
      expiresAt: '2027-04-01T00:00:00.000Z',
      lastUsedAt: null,
    })
    const list = async () => (await operator.ask('/account/tokens')).json
    expect(await list()).toEqual({ items: [shown] })
    const machine = accounts.visitor()
    for (const [passes, usedAt] of [
      [minute, '00:01'],
      [5 * minute - 1, '00:01'],
      [1, '00:06'],
    ] as const) {
      accounts.clock.now += passes
      expect((await machine.ask('/probe', { token })).status).toBe(204)
      const lastUsedAt = `2027-01-01T${usedAt}:00.000Z`
      expect(await list()).toMatchObject({ items: [{ lastUsedAt }] })
    }
    const revoke = () => operator.delete(`/account/tokens/${shown.id}`)
    expect((await revoke()).status).toBe(204)
    expect((await machine.ask('/probe', { token })).status).toBe(401)
    expect(await revoke()).toMatchObject(refusal(404, 'token_not_found'))
    expect(await list()).toEqual({ items: [] })
  })

  it('expire at the requested time', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    const { token } = await createToken(operator, { label: 'ci', expiresInDays: 1 })
    const machine = accounts.visitor()
    accounts.clock.now += day - 1
    expect((await machine.ask('/probe', { token })).status).toBe(204)
    accounts.clock.now += 1
    const response = await machine.ask('/probe', { token })
    expect(response).toMatchObject(refusal(401, 'invalid_token'))
    expect(response.headers['www-authenticate']).toBe(
      'Bearer realm="animal-store management", error="invalid_token"',
    )
    expect((await operator.ask('/account/tokens')).json).toMatchObject({ items: [{ label: 'ci' }] })
  })

  it('are limited in lifetime and number', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    for (const [body, path] of [
      [{}, 'label'],
      [{ label: '' }, 'label'],
      [{ label: '   ' }, 'label'],
      [{ label: 'x'.repeat(101) }, 'label'],
      [{ label: 'ci\n' }, 'label'],
      [{ label: 'ci', expiresInDays: 0 }, 'expiresInDays'],
      [{ label: 'ci', expiresInDays: 367 }, 'expiresInDays'],
      [{ label: 'ci', scopes: [] }, 'scopes'],
      [{ label: 'ci', scopes: ['everything'] }, 'scopes[0]'],
      [{ label: 'ci', scopes: ['projects:read', 'projects:read'] }, 'scopes[1]'],
    ] as const) {
      const response = await operator.post('/account/tokens', body)
      expect(response).toMatchObject(refusal(400, 'invalid_body', path))
    }
    const { expiresAt } = await createToken(operator, { label: 'ci', expiresInDays: 366 })
    expect(expiresAt).toBe('2028-01-02T00:00:00.000Z')
    for (let i = 1; i < 100; i++) await createToken(operator, { label: `${i}` })
    expect(await operator.post('/account/tokens', { label: 'one more' })).toMatchObject(
      refusal(409, 'limit_reached'),
    )
    const member = await accounts.member(operator, 'max@example.com')
    expect(await member.accessToken()).toBeTruthy()
  })

  it('are authenticated by their secret, not by their id', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    const { id } = await createToken(operator, { label: 'ci' })
    const forged = createSecretText('as_pat_')
    const rename = `update access_tokens set id = '${forged.id}' where id = '${id}'`
    await query(accounts.place, 'publishing', rename)
    expect((await operator.ask('/account/tokens')).json).toMatchObject({
      items: [{ id: forged.id }],
    })
    const response = await accounts.visitor().ask('/probe', { token: forged.text })
    expect(response).toMatchObject(refusal(401, 'invalid_token'))
  })

  it('take precedence over the cookie, valid or not', async () => {
    const { accounts, operator, member } = await startWithMember(engine)
    const token = await member.accessToken()
    const cookie = operator.cookie ?? ''
    const ask = (authorization: string | string[]) =>
      accounts.visitor().ask('/account', { headers: { cookie, authorization } })
    expect((await ask(`Bearer ${token}`)).status).toBe(403)
    expect((await ask(`bearer ${token}`)).status).toBe(403)
    for (const wrong of [
      'Bearer',
      'Bearer ',
      `Bearer ${token.slice(0, -1)}`,
      `Bearer ${token}x`,
      `Bearer ${token} ${token}`,
      `Basic ${Buffer.from('olga:x').toString('base64')}`,
      token,
      '',
      `Bearer as_live_${token.slice(7)}`,
      `Bearer ${cookie.split('=')[1]}`,
      [`Bearer ${token}`, `Bearer ${token}`],
    ]) {
      const response = await ask(wrong)
      expect([wrong, response.status]).toEqual([wrong, 401])
      expect(response.json).toMatchObject({ code: 'invalid_token' })
    }
  })
})
