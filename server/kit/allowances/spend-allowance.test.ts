// Allowances of two processes on one database: all of the limit passes, and never more.
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Engine, engines } from '../../../test/database.ts'
import { placeForTest } from '../../../test/place-for-test.ts'
import { migrateDatabase, openDatabase } from '../database/engines/open.ts'
import { allowanceMigrations } from './allowance-migrations.ts'
import { refundAllowance, spendAllowance } from './spend-allowance.ts'

async function openTwice(engine: Engine) {
  const place = await placeForTest(engine)
  await migrateDatabase(place, 'limits', allowanceMigrations)
  const clock = { now: 1_700_000_000_000 }
  const open = () => {
    const database = openDatabase(place, 'limits', { onError: () => {}, clock: () => clock.now })
    onTestFinished(() => database.close())
    return database
  }
  return { clock, nodes: [open(), open()] as const }
}

describe.each(engines)('allowances on %s', (engine) => {
  it('pass all of the limit over all processes, and no more, each with a number of its own', async () => {
    const { nodes } = await openTwice(engine)
    const limit = { requests: 400, windowSeconds: 100 }
    const spent = await Promise.all(
      Array.from({ length: 500 }, (_, i) =>
        spendAllowance(nodes[i % 2] as (typeof nodes)[0], 'busy', limit),
      ),
    )
    const left = spent.filter(({ isSpent }) => isSpent).map((each) => each.left)
    expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: 400 }, (_, i) => i))
    expect(spent.find(({ isSpent }) => !isSpent)).toEqual({
      isSpent: false,
      left: 0,
      wholeInSeconds: 100,
      retryInSeconds: 1,
    })
  })

  it('fill up with time, to their limit', async () => {
    const { clock, nodes } = await openTwice(engine)
    const limit = { requests: 30, windowSeconds: 10 }
    const spend = async (count: number): Promise<number> => {
      let passed = 0
      for (let i = 0; i < count; i++) {
        const node = nodes[i % 2] as (typeof nodes)[0]
        if ((await spendAllowance(node, 'a', limit)).isSpent) passed++
      }
      return passed
    }
    expect(await spend(40)).toBe(30)
    clock.now += 1000
    expect(await spend(10)).toBe(3)
    clock.now += 60_000
    expect(await spend(40)).toBe(30)
  })

  it('have what was given back again, and never more than their limit', async () => {
    const { nodes } = await openTwice(engine)
    const [one, other] = nodes
    const limit = { requests: 10, windowSeconds: 10 }
    for (let i = 0; i < 5; i++) await refundAllowance(other, 'a', limit)
    for (let i = 9; i >= 0; i--) expect((await spendAllowance(one, 'a', limit)).left).toBe(i)
    await refundAllowance(other, 'a', limit)
    const results = [await spendAllowance(one, 'a', limit), await spendAllowance(one, 'a', limit)]
    expect(results.map(({ isSpent }) => isSpent)).toEqual([true, false])
  })
})
