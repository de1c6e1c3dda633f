// Reads of one turn of the event loop share round trips to PostgreSQL.
import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '#kit/database/engines/open.ts'
import { queriesFor } from '#kit/database/query.ts'
import { engines } from '../database.ts'
import { placeForTest } from '../place-for-test.ts'
import { startCountingProxy } from './counting-proxy.ts'

const divide = queriesFor<Record<never, never>>()<{ by: number }>()(
  (_db, param) => sql<{ part: bigint }>`select 60 / cast(${param('by')} as bigint) as part`,
)

/** With one connection for reads. */
async function open() {
  const place = await placeForTest('postgres')
  const proxy = await startCountingProxy(place.databaseUrl as string, ['production'])
  onTestFinished(() => proxy.close())
  const database = openDatabase(
    { ...place, databaseUrl: proxy.url, databaseConnections: 8 },
    'production',
    { onError: () => {} },
  )
  onTestFinished(() => database.close())
  // The connection is opened.
  await database.read.all(divide, { by: 1 })
  proxy.take()
  return { database, proxy }
}

it.runIf(engines.includes('postgres'))('reads of one turn are one round trip', async () => {
  const { database, proxy } = await open()
  const read = async (by: number) => (await database.read.all(divide, { by }))[0]?.part
  expect(await Promise.all([1, 2, 3, 4].map(read))).toEqual([60n, 30n, 20n, 15n])
  expect(proxy.take()).toHaveLength(1)
})

it.runIf(engines.includes('postgres'))('a read that fails does so alone', async () => {
  const { database } = await open()
  const outcomes = await Promise.allSettled(
    [1, 0, 3, 0, 5].map((by) => database.read.tuples(divide, { by })),
  )
  expect(outcomes.map((outcome) => ('value' in outcome ? outcome.value : 'failed'))).toEqual([
    [[60n]],
    'failed',
    [[20n]],
    'failed',
    [[12n]],
  ])
})
