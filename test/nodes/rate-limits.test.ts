// Rate limits of several nodes on one PostgreSQL: one counter in each transaction, by the database's clock.
import { Agent } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { commandLineOrigin } from '#kit/audit/record-audit.ts'
import { createKey } from '#store/keys/keys.ts'
import { isLong } from '../cases.ts'
import { engines } from '../database.ts'
import { serveForTest } from '../faults/processes.ts'
import { placeForTest } from '../place-for-test.ts'
import type { ServedProcess } from '../served-process.ts'
import { storeForTest } from '../store-for-test.ts'
import { connectTo, recordRows } from './postgres-client.ts'
import { shiftedClock } from './shifted-clock.ts'

describe.runIf(engines.includes('postgres'))('rate limits of several nodes', () => {
  it('no statement holds the counter of one key while it waits for that of another', async () => {
    const store = await storeForTest('postgres', { env: { RATE_LIMIT: '1000/1h' } })
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
    const answers = await Promise.all(keys.map(({ text }) => store.ask('/pets', { key: text })))
    for (const { status } of answers) expect(status).toBe(200)
    const transactions = await rowsByTransaction()
    expect(transactions).toHaveLength(24)
    for (const names of transactions) expect(names).toHaveLength(1)
  })

  if (isLong)
    it('80,000 limited requests on three nodes: the limit passes, all others are a 429', {
      timeout: 300_000,
    }, async () => {
      const place = await placeForTest('postgres')
      const nodes: ServedProcess[] = []
      for (let i = 0; i < 3; i++) {
        nodes.push(await serveForTest(place, { RATE_LIMIT: '50000/24h' }))
      }
      const agent = new Agent({ keepAlive: true })
      onTestFinished(() => agent.destroy())
      const key = nodes[0]?.keys.production ?? ''
      const counts = new Map<number, number>()
      let sent = 0
      const client = async (node: ServedProcess): Promise<void> => {
        while (sent++ < 80_000) {
          const { status } = await node.ask('/pets', { agent, key })
          counts.set(status, (counts.get(status) ?? 0) + 1)
        }
      }
      const started = performance.now()
      await Promise.all(nodes.flatMap((node) => Array.from({ length: 64 }, () => client(node))))
      expect([...counts.keys()].sort()).toEqual([200, 429])
      // What time has given back meanwhile passes, too.
      const refilled = Math.ceil(((performance.now() - started) / 86_400_000) * 50_000)
      expect(counts.get(200)).toBeGreaterThanOrEqual(50_000)
      expect(counts.get(200)).toBeLessThanOrEqual(50_000 + refilled)
    })

  it('a node whose clock is 20 s ahead takes nothing from the clients of others', async () => {
    const place = await placeForTest('postgres')
    const env = { RATE_LIMIT: '10/10s' }
    const node = await serveForTest(place, env)
    const ahead = await serveForTest(place, { ...env, ...shiftedClock(20_000) })
    expect((await ahead.ask('/pets', { key: node.keys.production ?? '' })).status).toBe(200)
    expect((await node.ask('/pets')).status).toBe(200)
  })
})
