// Passkeys over HTTP, with an authenticator in software: added with the password, accepted once for each challenge,
// refused for other origins, users and challenges.

import { describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import {
  codeIn,
  expectCode,
  minute,
  password,
  startWithMember,
  startWithOperator,
  type Visitor,
} from './accounts-in-test.ts'
import {
  addPasskey,
  challengeFor,
  createCredential,
  hereOf,
  startAdding,
} from './authenticator-in-test.ts'

const send = (visitor: Visitor, credential: object) =>
  visitor.post('/session/passkey', { credential })

describe.each(cases(engines))('passkeys on %s', (engine) => {
  it('sign in without password and code, and say so', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    const here = hereOf(accounts)
    const wrong = { currentPassword: 'a wrong password' }
    await expectCode(operator.post('/account/passkeys/options', wrong), 'invalid_credentials')
    const credential = await addPasskey(accounts, operator)
    const visitor = accounts.visitor('192.0.2.7')
    accounts.clock.now += minute
    const signed = credential.sign(await challengeFor(visitor), { ...here, counter: 1 })
    const { id } = operator.account
    expect(await send(visitor, signed)).toMatchObject({ status: 201, json: { id } })
    expect((await visitor.ask('/account')).status).toBe(200)
    const { items } = (await visitor.ask('/account/sessions')).json as {
      items: { isCurrent: boolean; signedInBy: string }[]
    }
    expect(items.find(({ isCurrent }) => isCurrent)?.signedInBy).toBe('passkey')
    expect((await visitor.ask('/account/passkeys')).json).toEqual({
      items: [
        {
          id: credential.id,
          label: 'Laptop',
          createdAt: '2027-01-01T00:00:00.000Z',
          lastUsedAt: '2027-01-01T00:01:00.000Z',
        },
      ],
    })
  })

  it('are accepted once for each challenge, within five minutes, with ascending counters', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    const here = hereOf(accounts)
    const credential = await addPasskey(accounts, operator)
    const visitor = accounts.visitor()
    const first = credential.sign(await challengeFor(visitor), here)
    const answers = await Promise.all([1, 2, 3].map(() => send(accounts.visitor(), first)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401])
    await expectCode(send(visitor, first), 'invalid_passkey')
    const late = credential.sign(await challengeFor(visitor), here)
    accounts.clock.now += 5 * minute
    await expectCode(send(visitor, late), 'invalid_passkey')
    const five = credential.sign(await challengeFor(visitor), { ...here, counter: 5 })
    expect((await send(visitor, five)).status).toBe(201)
    const four = credential.sign(await challengeFor(visitor), { ...here, counter: 4 })
    await expectCode(send(visitor, four), 'invalid_passkey')
  })

  it('are refused for another site, another key, no user verification and a foreign challenge', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    const here = hereOf(accounts)
    const credential = await addPasskey(accounts, operator)
    const other = createCredential()
    const visitor = accounts.visitor()
    const challenge = () => challengeFor(visitor)
    const forAdding = await startAdding(operator)
    const hostile: [string, object][] = [
      ['origin', credential.sign(await challenge(), { ...here, origin: 'https://evil.example' })],
      ['rp id', credential.sign(await challenge(), { ...here, rpId: 'evil.example' })],
      ['user', credential.sign(await challenge(), { ...here, isUserVerified: false })],
      ['key', { ...other.sign(await challenge(), here), id: credential.id, rawId: credential.id }],
      ['unknown', other.sign(await challenge(), here)],
      ['own challenge', credential.sign('AAAA', here)],
      ['challenge for adding', credential.sign(forAdding, here)],
    ]
    for (const [name, signed] of hostile) {
      const response = await send(visitor, signed)
      expect([name, response.status, codeIn(response)]).toEqual([name, 401, 'invalid_passkey'])
      expect(visitor.cookie).toBeUndefined()
    }
    const tries: number[] = []
    for (let i = 0; i < 12; i++)
      tries.push((await send(visitor, other.sign(await challenge(), here))).status)
    expect(tries.at(-1)).toBe(429)
  })

  it('are added once for each challenge of the account, without attestation', async () => {
    const { accounts, operator, member } = await startWithMember(engine)
    const here = hereOf(accounts)
    const add = (visitor: Visitor, credential: object) =>
      visitor.post('/account/passkeys', { label: 'x', credential })
    const challenge = await startAdding(operator)
    await expectCode(add(member, createCredential().register(challenge, here)), 'invalid_passkey')
    const attested = createCredential().register(challenge, here, 'apple')
    await expectCode(add(operator, attested), 'invalid_passkey')
    const forSignIn = createCredential().register(await challengeFor(operator), here)
    await expectCode(add(operator, forSignIn), 'invalid_passkey')
    const credential = createCredential()
    expect((await add(operator, credential.register(challenge, here))).status).toBe(201)
    await expectCode(add(operator, createCredential().register(challenge, here)), 'invalid_passkey')
    // A credential belongs to one account.
    const again = credential.register(await startAdding(member), here)
    await expectCode(add(member, again), 'invalid_passkey')
  })

  it('are removed by their owner only, and then refused', async () => {
    const { accounts, operator, member } = await startWithMember(engine)
    const credential = await addPasskey(accounts, member)
    const remove = (by: Visitor, currentPassword: string) =>
      by.post(`/account/passkeys/${credential.id}/remove`, { currentPassword })
    await expectCode(remove(operator, password), 'passkey_not_found')
    // As adding does: a session alone is not enough.
    await expectCode(remove(member, 'not the password'), 'invalid_credentials')
    expect((await remove(member, password)).status).toBe(204)
    await expectCode(remove(member, password), 'passkey_not_found')
    const visitor = accounts.visitor()
    const signed = credential.sign(await challengeFor(visitor), hereOf(accounts))
    await expectCode(send(visitor, signed), 'invalid_passkey')
    expect((await member.ask('/account/passkeys')).json).toEqual({ items: [] })
  })
})
