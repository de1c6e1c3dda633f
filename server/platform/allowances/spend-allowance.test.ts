// Allowances of two processes on one database: never more than the limit, nothing that was taken ahead is lost.
import { describe, expect, it, onTestFinished } from 'vitest'
import { createTestDatabase, type Engine, engines } from '../../../test/database.ts'
import type { Database } from '../database/database.ts'
import { migrateDatabase, openDatabase } from '../database/open.ts'
import { allowanceMigrations } from './allowance-migrations.ts'
import { refundAllowance, spendAllowance } from './spend-allowance.ts'

async function openTwice(engine: Engine) {
  const place = await createTestDatabase(engine)
  onTestFinished(() => place.release())
  await migrateDatabase(place, 'limits', allowanceMigrations)
  const clock = { now: 1_700_000_000_000 }
  const open = () => {
    const database = openDatabase(place, 'limits', { onError: () => {}, clock: () => clock.now })
    onTestFinished(() => database.close())
    return { database, statements: countExecutions(database) }
  }
  return { clock, nodes: [open(), open()] as const }
}

function countExecutions(database: Database) {
  const counted = { number: 0 }
  const execute = database.execute.bind(database) as Database['execute']
  database.execute = (query, params) => {
    counted.number++
    return execute(query, params)
  }
  return counted
}

describe.each(engines)('allowances on %s', (engine) => {
  it('of a busy name are taken ahead, and no process passes more than the limit', async () => {
    const { nodes } = await openTwice(engine)
    const limit = { requests: 4000, windowSeconds: 1 }
    let passed = 0
    for (let round = 0; round < 600; round++) {
      for (const { database } of nodes) {
        const spent = await Promise.all(
          Array.from({ length: 5 }, () => spendAllowance(database, 'busy', limit)),
        )
        passed += spent.filter(({ isSpent }) => isSpent).length
      }
    }
    expect(passed).toBeLessThanOrEqual(4000)
    expect(passed).toBeGreaterThan(4000 - 1000)
    expect(nodes[0].statements.number).toBeLessThan(600)
  })

  it('taken ahead and not used are given back', async () => {
    const { clock, nodes } = await openTwice(engine)
    const limit = { requests: 40_000, windowSeconds: 100 }
    const [one, other] = nodes
    const spend = async () => (await spendAllowance(one.database, 'a', limit)).left
    for (let i = 0; i < 33; i++) await spend()
    const ahead = (await spendAllowance(other.database, 'a', limit)).left
    expect(ahead).toBeLessThan(40_000 - 50)
    clock.now += 50
    await spend()
    clock.now += 250
    await spend()
    // 36 were used, of which time has given back some; those that are taken ahead now are not left.
    const { left } = await spendAllowance(other.database, 'a', limit)
    expect(left).toBeGreaterThan(40_000 - 36 - 4)
  })

  it('given back never make an allowance larger than its limit', async () => {
    const { clock, nodes } = await openTwice(engine)
    const limit = { requests: 1000, windowSeconds: 1 }
    const [one, other] = nodes
    for (let i = 0; i < 200; i++) await spendAllowance(one.database, 'a', limit)
    clock.now += 1000
    let passed = 0
    for (let i = 0; i < 1200; i++) {
      if ((await spendAllowance(other.database, 'a', limit)).isSpent) passed++
      if (i === 900) await spendAllowance(one.database, 'a', limit)
    }
    expect(passed).toBeLessThanOrEqual(1000)
  })

  it('a request that is not counted returns to what was taken ahead', async () => {
    const { nodes } = await openTwice(engine)
    const [{ database, statements }] = nodes
    const limit = { requests: 1000, windowSeconds: 1 }
    for (let i = 0; i < 200; i++) {
      await spendAllowance(database, 'a', limit)
      await refundAllowance(database, 'a', limit)
    }
    const { left } = await spendAllowance(database, 'a', limit)
    expect(left).toBe(999)
    expect(statements.number).toBeLessThan(20)
  })

  it('a limit of less than four in a second is never taken ahead', async () => {
    const { nodes } = await openTwice(engine)
    const limit = { requests: 30, windowSeconds: 10 }
    const results = []
    for (let i = 0; i < 40; i++) {
      const { database } = nodes[i % 2] as (typeof nodes)[0]
      results.push((await spendAllowance(database, 'a', limit)).isSpent)
    }
    expect(results.filter(Boolean)).toHaveLength(30)
    expect(results.slice(0, 30).every(Boolean)).toBe(true)
  })
})
