// What has ended is forgotten 30 days later, and what has not is kept.
import { describe, expect, it } from 'vitest'
import { keepUpAccounts } from '../../server/platform/accounts/keep-up-accounts.ts'
import { define } from '../../server/platform/accounts/tables.ts'
import { getOne } from '../../server/platform/database/database.ts'
import { engines } from '../database.ts'
import { type AccountsInTest, day, invite, startAccounts } from './accounts-in-test.ts'

const tables = ['sessions', 'account_links', 'access_tokens'] as const
const counts = tables.map((table) =>
  define()((db) => db.selectFrom(table).select((eb) => eb.fn.countAll<bigint>().as('rows'))),
)

async function rowsOf({ database }: AccountsInTest): Promise<number[]> {
  return await Promise.all(
    counts.map(async (count) => Number((await getOne(database.read, count, {})).rows)),
  )
}

describe.each(engines)('upkeep of accounts on %s', (engine) => {
  it('forgets sessions, links and tokens 30 days after their end', async () => {
    const accounts = await startAccounts(engine)
    const { clock, database } = accounts
    const operator = await accounts.operator()
    await invite(operator)
    await operator.ask('/account/tokens', { body: { label: 'short', expiresInDays: 7 } })
    await operator.ask('/account/tokens', { body: { label: 'long', expiresInDays: 366 } })
    await operator.signIn('olga@example.com')
    // Two sessions, one ended; the set-up link, used, and the invitation.
    expect(await rowsOf(accounts)).toEqual([2, 2, 2])
    clock.now += 30 * day
    await keepUpAccounts(database, clock.now)
    expect(await rowsOf(accounts)).toEqual([2, 2, 2])
    clock.now += 1
    await keepUpAccounts(database, clock.now)
    expect(await rowsOf(accounts)).toEqual([1, 2, 2])
    clock.now += 7 * day
    await keepUpAccounts(database, clock.now)
    expect(await rowsOf(accounts)).toEqual([1, 0, 1])
    clock.now += 23 * day
    await keepUpAccounts(database, clock.now)
    expect(await rowsOf(accounts)).toEqual([0, 0, 1])
  })
})
