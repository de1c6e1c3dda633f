// The clock that all processes share: the database server's on PostgreSQL, the machine's on SQLite.
import { sql } from 'kysely'
import { type Database, getOne } from './database.ts'
import { queriesFor } from './query.ts'

const serverClock = queriesFor<Record<never, never>>()()(
  (_db) =>
    sql<{
      now: bigint
    }>`select cast(floor(extract(epoch from clock_timestamp()) * 1000) as bigint) as now`,
)

/** Milliseconds since the Unix epoch. */
export async function readDatabaseClock(database: Database): Promise<number> {
  if (database.clock) return database.clock()
  return Number((await getOne(database.read, serverClock, {})).now)
}

/** By how much this machine's clock is ahead of the database's; negative: behind. What cannot be told is not counted. */
export async function readClockSkewMs(database: Database): Promise<number> {
  const sent = Date.now()
  const theirs = await readDatabaseClock(database)
  const received = Date.now()
  // The server read its clock between the two.
  return sent > theirs ? sent - theirs : received < theirs ? received - theirs : 0
}
