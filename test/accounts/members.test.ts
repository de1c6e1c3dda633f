// What operators do with other accounts: list, change plan and role, remove. Members may not.

import { describe, expect, it } from 'vitest'
import { changeStanding } from '#accounts/people/accounts.ts'
import { commandLineOrigin } from '#kit/audit/record-audit.ts'
import { AppError } from '#kit/errors.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { refusal } from '../running-store.ts'
import { password, startWithMember, startWithOperator, type Visitor } from './accounts-in-test.ts'

const lastOperator = refusal(409, 'conflict')

const change = (by: Visitor, id: string, body: object) => by.patch(`/accounts/${id}`, body)

const remove = (by: Visitor, id: string) => by.delete(`/accounts/${id}`)

describe.each(cases(engines))('members on %s', (engine) => {
  it('are listed in pages, oldest first', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    const ids = [operator.account.id]
    for (let i = 0; i < 5; i++) {
      accounts.clock.now += 1000
      ids.push((await accounts.member(operator, `m${i}@example.com`)).account.id)
    }
    const seen: string[] = []
    let after = ''
    for (let pages = 0; pages < 3; pages++) {
      const { json } = await operator.ask(`/accounts?limit=2${after}`)
      const { items, next } = json as { items: { id: string }[]; next: string | null }
      seen.push(...items.map(({ id }) => id))
      expect(next).toBe(pages < 2 ? seen.at(-1) : null)
      after = `&after=${next}`
    }
    expect(seen).toEqual(ids)
    expect((await operator.ask('/accounts')).json).toMatchObject({
      items: [{ email: 'olga@example.com' }, ...Array(5).fill({ role: 'member', plan: 'free' })],
      next: null,
    })
    expect((await operator.ask('/accounts?limit=101')).status).toBe(400)
  })

  it('get the plan and role that an operator sets', async () => {
    const { operator, member } = await startWithMember(engine)
    const { id } = member.account
    expect(await change(operator, id, { plan: 'paid' })).toMatchObject({
      status: 200,
      json: { plan: 'paid', role: 'member' },
    })
    expect((await member.ask('/account')).json).toMatchObject({ plan: 'paid' })
    await change(operator, id, { plan: 'free' })
    expect((await member.ask('/accounts')).status).toBe(403)
    // An operator's plan is always paid.
    expect((await change(operator, id, { role: 'operator' })).json).toMatchObject({ plan: 'paid' })
    expect((await member.ask('/accounts')).status).toBe(200)
    expect(await change(member, id, { plan: 'free' })).toMatchObject(lastOperator)
    const unpaid = await change(operator, id, { role: 'operator', plan: 'free' })
    expect(unpaid).toMatchObject(lastOperator)
    const free = { role: 'member', plan: 'free' }
    expect((await change(operator, id, free)).json).toMatchObject(free)
    expect((await member.ask('/accounts')).status).toBe(403)
    const unknown = await change(operator, 'acc_0', { plan: 'paid' })
    expect(unknown).toMatchObject(refusal(404, 'account_not_found'))
    expect((await change(operator, id, { plan: 'golden' })).status).toBe(400)
  })

  it('the last operator cannot be demoted, not by two nodes at the same time either', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    const demoted = await change(operator, operator.account.id, { role: 'member' })
    expect(demoted).toMatchObject(lastOperator)
    expect(await remove(operator, operator.account.id)).toMatchObject(lastOperator)
    const other = accounts.openAnother()
    for (let round = 0; round < 10; round++) {
      const member = await accounts.member(operator, `m${round}@example.com`)
      const { id } = member.account
      await change(operator, id, { role: 'operator' })
      const origin = commandLineOrigin(accounts.clock.now)
      const outcomes = await Promise.allSettled([
        changeStanding(accounts.database, { id, role: 'member' }, origin),
        changeStanding(other, { id: operator.account.id, role: 'member' }, origin),
      ])
      const refusals = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
      expect(refusals).toEqual([expect.any(AppError)])
      // The remaining operator restores the role.
      const left = outcomes[0].status === 'rejected' ? member : operator
      await change(left, operator.account.id, { role: 'operator' })
      await change(operator, id, { role: 'member' })
    }
    await other.close()
  })

  it('are removed with all their data, unless they own projects', async () => {
    const { accounts, operator, member } = await startWithMember(engine)
    const { id } = member.account
    const token = await member.accessToken()
    accounts.owners.add(id)
    expect(await remove(operator, id)).toMatchObject({
      status: 409,
      json: { code: 'conflict', message: expect.stringContaining('owns projects') },
    })
    expect(await member.isSignedIn()).toBe(true)
    accounts.owners.delete(id)
    expect((await remove(operator, id)).status).toBe(204)
    expect(await member.isSignedIn()).toBe(false)
    expect((await accounts.visitor().ask('/probe', { token })).status).toBe(401)
    expect((await accounts.visitor().signIn('max@example.com')).status).toBe(401)
    expect(await remove(operator, id)).toMatchObject({ status: 404 })
    // The address can be used again.
    expect((await accounts.member(operator, 'max@example.com')).account.id).not.toBe(id)
  })

  it('links of an operator become invalid when the role is removed', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    const second = await accounts.member(operator, 'max@example.com')
    await change(operator, second.account.id, { role: 'operator' })
    const back = await second.invite({ email: 'ida@example.com', role: 'operator' })
    const reset = await second.passwordLink(operator.account.id)
    const other = await operator.invite({ email: 'otto@example.com' })
    await change(operator, second.account.id, { role: 'member' })
    const check = async (token: string) =>
      (await accounts.visitor().post('/links/check', { token })).status
    expect(await check(back)).toBe(410)
    expect(await check(reset)).toBe(410)
    expect(await check(other)).toBe(200)
  })

  it('change their own name, and how their email address is written', async () => {
    const { member } = await startWithMember(engine)
    const own = (body: object) => member.patch('/account', body)
    const named = { name: 'Maximilian', email: 'max@example.com' }
    expect((await own({ name: 'Maximilian' })).json).toMatchObject(named)
    const email = 'new@example.com'
    for (const [body, refused] of [
      [{ email }, refusal(400, 'invalid_body', 'currentPassword')],
      [{ email: 'new', currentPassword: password }, refusal(400, 'invalid_body', 'email')],
      [{ email, currentPassword: 'not the right one' }, refusal(401, 'invalid_credentials')],
    ] as const)
      expect(await own(body)).toMatchObject(refused)
    expect((await own({ email: 'MAX@example.com', currentPassword: password })).status).toBe(200)
    // Accounts cannot change their own role or plan.
    await own({ role: 'operator', plan: 'paid' })
    expect((await member.ask('/account')).json).toMatchObject({
      email: 'MAX@example.com',
      name: 'Maximilian',
      role: 'member',
      plan: 'free',
    })
  })
})
