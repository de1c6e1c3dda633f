// What is given back to an allowance. That it is exact over processes and fills up with time: test/api/rate-limits.test.ts.
import { expect, it, onTestFinished } from 'vitest'
import { engines } from '../../../test/database.ts'
import { placeForTest } from '../../../test/place-for-test.ts'
import { migrateDatabase, openDatabase } from '../database/engines/open.ts'
import { allowanceMigrations } from './allowance-migrations.ts'
import { refundAllowance, spendAllowance } from './spend-allowance.ts'

it.each(engines)(
  'has what was given back again, and never more than its limit, on %s',
  async (engine) => {
    const place = await placeForTest(engine)
    await migrateDatabase(place, 'limits', allowanceMigrations)
    const database = openDatabase(place, 'limits', {
      onError: () => {},
      clock: () => 1_700_000_000_000,
    })
    onTestFinished(() => database.close())
    const limit = { requests: 10, windowSeconds: 10 }
    const spend = () => spendAllowance(database, 'a', limit)
    for (let i = 0; i < 5; i++) await refundAllowance(database, 'a', limit)
    for (let i = 9; i >= 0; i--) expect((await spend()).left).toBe(i)
    await refundAllowance(database, 'a', limit)
    expect([(await spend()).isSpent, (await spend()).isSpent]).toEqual([true, false])
  },
)
