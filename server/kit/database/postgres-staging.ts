// Staging on PostgreSQL: a temporary table on a separate connection. It is not written to the WAL and is
// dropped when the connection ends for any reason.
import type pg from 'pg'
import type { StagedColumns, Staging } from './database.ts'
import { connectClient, createPostgresServers } from './postgres-servers.ts'
import { createSession, type PostgresOptions, send, types } from './postgres-session.ts'
import { createTransaction } from './postgres-transaction.ts'
import type { Value } from './query.ts'

const connectWithinMs = 5000
const waitForLockMs = 60_000
/** Smaller batches cost more time per row. */
const rowsForInsert = 8000
/** The time-out of one statement over all staged rows. */
const waitMs = 30 * 60_000

export async function openPostgresStaging(
  { url, schema, onError }: PostgresOptions,
  columns: StagedColumns,
): Promise<Staging> {
  const client = await connectClient(
    createPostgresServers(url, connectWithinMs),
    {
      application_name: `animal-store ${schema} staging`,
      connectionTimeoutMillis: connectWithinMs,
      keepAlive: true,
      types,
    },
    {
      search_path: schema,
      synchronous_commit: 'on',
      lock_timeout: waitForLockMs,
      statement_timeout: 0,
    },
    onError,
  )
  const run = (query: pg.QueryConfig | string) => send(client, query, waitMs)
  const names = Object.keys(columns)
  const sqlTypes = names.map((name) => (columns[name] === 'int64' ? 'bigint' : 'text'))
  const arrays = sqlTypes.map((type, i) => `$${i + 2}::${type}[]`)
  const insert = `insert into staged select $1::bigint + row.ordinality, ${names.map((name) => `row.${name}`).join(', ')}
    from unnest(${arrays.join(', ')}) with ordinality as row (${names.join(', ')}, ordinality)`

  const created = names.map((name, i) => `${name} ${sqlTypes[i]}`).join(', ')
  try {
    await run(`create temporary table staged (position bigint, ${created})`)
  } catch (error) {
    await client.end().catch(onError)
    throw error
  }
  const session = createSession(client, waitMs)
  let count = 0
  // One insert runs while the next rows are read and validated. The next call throws its error.
  let underWay: Promise<unknown> = Promise.resolve()
  let waiting: Value[][] = names.map(() => [])

  async function flush(): Promise<void> {
    const size = waiting[0]?.length ?? 0
    if (size === 0) return
    const before = underWay
    const values = [count, ...waiting]
    count += size
    waiting = names.map(() => [])
    underWay = before.then(() => run({ name: 'stage', text: insert, values }))
    underWay.catch(() => {})
    await before
  }

  async function finish(): Promise<void> {
    await flush()
    await underWay
  }

  return {
    async add(rows) {
      for (const [i, column] of waiting.entries()) {
        for (const row of rows) column.push(row[i] as Value)
      }
      if ((waiting[0]?.length ?? 0) >= rowsForInsert) await flush()
    },
    read: {
      all: (query, params) => finish().then(() => session.all(query, params)),
      tuples: (query, params) => finish().then(() => session.tuples(query, params)),
    },
    async transaction(body) {
      await finish()
      const transaction = createTransaction(client, { withinMs: waitMs })
      try {
        const value = await body(transaction)
        await transaction.commit()
        return value
      } catch (error) {
        await transaction.rollback().catch(onError)
        throw error
      }
    },
    async close() {
      await underWay.catch(() => {})
      await client.end()
    },
  }
}
