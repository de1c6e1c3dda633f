// Expired rows are deleted after 30 days; valid ones are kept.

import { describe, expect, it } from 'vitest'
import { deleteExpired } from '#accounts/open-accounts.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { query } from '../query.ts'
import { type AccountsInTest, day, minute, startAccounts } from './accounts-in-test.ts'

const countRows = async ({ place }: AccountsInTest, schema: string, table: string) =>
  Number((await query(place, schema, `select count(*) as n from ${table}`))[0]?.n)

const rowsOf = (accounts: AccountsInTest): Promise<number[]> =>
  Promise.all(
    ['sessions', 'account_links', 'access_tokens'].map((table) =>
      countRows(accounts, 'publishing', table),
    ),
  )

describe.each(cases(engines))('upkeep of accounts on %s', (engine) => {
  it('deletes sessions, links and tokens 30 days after they end', async () => {
    const accounts = await startAccounts(engine)
    const { clock, context } = accounts
    const operator = await accounts.operator()
    await operator.invite()
    await operator.post('/account/tokens', { label: 'short', expiresInDays: 7 })
    await operator.post('/account/tokens', { label: 'long', expiresInDays: 366 })
    await operator.signIn('olga@example.com')
    // Two sessions, one of them ended; the used set-up link, and the invitation.
    expect(await rowsOf(accounts)).toEqual([2, 2, 2])
    clock.now += 30 * day
    await deleteExpired(context, clock.now)
    expect(await rowsOf(accounts)).toEqual([2, 2, 2])
    clock.now += 1
    await deleteExpired(context, clock.now)
    expect(await rowsOf(accounts)).toEqual([1, 2, 2])
    clock.now += 7 * day
    await deleteExpired(context, clock.now)
    expect(await rowsOf(accounts)).toEqual([1, 0, 1])
    clock.now += 23 * day
    await deleteExpired(context, clock.now)
    expect(await rowsOf(accounts)).toEqual([0, 0, 1])
  })

  it('deletes counters of attempts that are zero again, and no others', async () => {
    const accounts = await startAccounts(engine)
    const { clock, context } = accounts
    const count = () => countRows(accounts, 'limits', 'rate_limits')
    await accounts.visitor('198.51.100.7').signIn('unknown@example.com')
    // Three limit the attempts, two their entries in the audit log.
    expect(await count()).toBe(5)
    clock.now += 1.5 * minute
    await deleteExpired(context, clock.now)
    // The counter of this address is zero after 15 seconds, that of this account after 36; they are kept for a minute.
    expect(await count()).toBe(4)
    clock.now += 2 * minute
    await deleteExpired(context, clock.now)
    expect(await count()).toBe(2)
    clock.now += 10 * minute
    await deleteExpired(context, clock.now)
    expect(await count()).toBe(0)
  })
})
