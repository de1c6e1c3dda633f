// Rate limits of several nodes on one PostgreSQL: counters in one order, by the database's clock.
import { describe, expect, it, onTestFinished } from 'vitest'
import { commandLineOrigin } from '../../server/platform/audit/record-audit.ts'
import { createKey } from '../../server/store/keys/keys.ts'
import { engines } from '../database.ts'
import { ask, type RunningStore, startStore } from '../running-store.ts'
import { serveProcess } from '../served-process.ts'
import { useTestDatabase } from '../use-test-database.ts'
import { connectTo, countStatements, recordRows } from './postgres-client.ts'
import { shiftedClock } from './shifted-clock.ts'

const start = async (env: Record<string, string>): Promise<RunningStore> => {
  const store = await startStore('postgres', { env })
  onTestFinished(() => store.release())
  return store
}

describe.runIf(engines.includes('postgres'))('rate limits of several nodes', () => {
  it('a transaction locks the counters in the order of their names', async () => {
    const store = await start({ RATE_LIMIT: '1000/1h' })
    const database = store.running.store.databases.production
    const rowsByTransaction = await recordRows(
      await connectTo(store.place),
      'limits.rate_limits',
      'key_id',
    )
    const origin = commandLineOrigin(store.clock.now)
    const keys = await Promise.all(
      Array.from({ length: 24 }, () => createKey(database, 'production', { label: 'k' }, origin)),
    )
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(keys.map(({ text }) => store.ask('/pets', { key: text })))
      for (const { status } of answers) expect(status).toBe(200)
    }
    const transactions = await rowsByTransaction()
    expect(Math.max(...transactions.map((names) => new Set(names).size))).toBeGreaterThan(1)
    for (const names of transactions) {
      const locked = [...new Set(names)]
      expect(locked).toEqual([...locked].sort())
    }
  })

  it('requests that arrive together share statements', async () => {
    const store = await start({ RATE_LIMIT: '1000/1h' })
    await store.ask('/pets')
    const statements = await countStatements(await connectTo(store.place), 'limits.rate_limits')
    const answers = await Promise.all(Array.from({ length: 100 }, () => store.ask('/pets')))
    const left = answers.map(({ headers }) => Number(/r=(\d+)/.exec(headers.ratelimit ?? '')?.[1]))
    expect(left.sort((a, b) => b - a)).toEqual(Array.from({ length: 100 }, (_, i) => 998 - i))
    expect(await statements()).toBeLessThan(100)
  })

  it('a node whose clock is 20 s ahead takes nothing from the clients of others', async () => {
    const place = await useTestDatabase('postgres')
    const env = { RATE_LIMIT: '10/10s' }
    const node = await serveProcess(place, env)
    onTestFinished(() => node.end('SIGKILL').then(() => {}))
    const ahead = await serveProcess(place, { ...env, ...shiftedClock(20_000) })
    onTestFinished(() => ahead.end('SIGKILL').then(() => {}))
    const status = async (port: number): Promise<number> => {
      const base = new URL(`http://localhost:${port}/v1`)
      return (await ask(port, base, node.keys.production ?? '', '/pets')).status
    }
    expect(await status(ahead.port)).toBe(200)
    expect(await status(node.port)).toBe(200)
  })
})
