// Reads of one turn of the event loop share a round trip to PostgreSQL (test/nodes/round-trips.test.ts), and fail alone.
import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '#kit/database/engines/open.ts'
import { queriesFor } from '#kit/database/query.ts'
import { engines } from '../database.ts'
import { placeForTest } from '../place-for-test.ts'

const divide = queriesFor<Record<never, never>>()<{ by: number }>()(
  (_db, param) => sql<{ part: bigint }>`select 60 / cast(${param('by')} as bigint) as part`,
)

it.runIf(engines.includes('postgres'))('a read that fails does so alone', async () => {
  const place = await placeForTest('postgres')
  // One of them is for reads.
  const connection = { ...place, databaseConnections: 8 }
  const database = openDatabase(connection, 'production', { onError: () => {} })
  onTestFinished(() => database.close())
  const outcomes = await Promise.allSettled(
    [1, 0, 3, 0, 5].map((by) => database.read.tuples(divide, { by })),
  )
  const read = outcomes.map((outcome) => ('value' in outcome ? outcome.value : 'failed'))
  expect(read).toEqual([[[60n]], 'failed', [[20n]], 'failed', [[12n]]])
})
