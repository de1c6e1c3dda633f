// Begins and ends the read-only mode of databases, which running processes read in every write.
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { type Place, sqliteFileOf } from './open.ts'
import { connectClient, createPostgresServers } from './postgres-servers.ts'
import { types } from './postgres-session.ts'
import { createReadOnlyTable, modeOf, type ReadOnlyMode, readMode } from './read-only.ts'
import { beginImmediate } from './sqlite-session.ts'

const connectWithinMs = 5000
/** Writes queue behind a lock that waits: it waits for less than a request may take. */
const lockTimeoutMs = 500
const retryLockAfterMs = 200
/** An import may hold its locks for this long. */
const waitForWritesMs = 120_000

/**
 * Sets the mode of the databases, or ends it without `mode`. When it resolves, no write commits that has not committed
 * before. Throws an Error if a write, such as an import, does not end in two minutes.
 */
export async function setReadOnly(
  place: Place,
  names: readonly string[],
  mode: ReadOnlyMode | undefined,
): Promise<void> {
  if (place.databaseUrl === undefined) {
    for (const name of names) await setOnSqlite(sqliteFileOf(place.dataDir, name), mode)
  } else await onPostgres(place.databaseUrl, (client) => setOnPostgres(client, names, mode))
}

/** The mode of the first of the databases that is read-only. They must exist. */
export async function findReadOnly(
  place: Place,
  names: readonly string[],
): Promise<ReadOnlyMode | undefined> {
  const { databaseUrl } = place
  if (databaseUrl !== undefined) {
    return await onPostgres(databaseUrl, async (client) => {
      for (const name of names) {
        const table = `${name}.read_only`
        const found = await client.query('select to_regclass($1) as name', [table])
        if (found.rows[0]?.name === null) continue
        const mode = modeOf((await client.query(`select * from ${table}`)).rows)
        if (mode) return mode
      }
      return undefined
    })
  }
  for (const name of names) {
    const database = new DatabaseSync(sqliteFileOf(place.dataDir, name), { timeout: 5000 })
    try {
      database.exec(createReadOnlyTable)
      const mode = modeOf(database.prepare(readMode).all())
      if (mode) return mode
    } finally {
      database.close()
    }
  }
  return undefined
}

async function setOnSqlite(file: string, mode: ReadOnlyMode | undefined): Promise<void> {
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    database.exec('pragma synchronous = full')
    // Writes take the same lock before they read the row.
    await beginImmediate(database, waitForWritesMs)
    database.exec(`${createReadOnlyTable}; delete from read_only`)
    if (mode) {
      const { target, state, until } = mode
      database.prepare(insertRow(['?', '?', '?'])).run(state, target, until)
    }
    database.exec('commit')
  } finally {
    database.close()
  }
}

async function setOnPostgres(
  client: pg.Client,
  names: readonly string[],
  mode: ReadOnlyMode | undefined,
): Promise<void> {
  const deadline = performance.now() + waitForWritesMs
  const tables = names.map((name) => `${name}.read_only`)
  for (;;) {
    try {
      await client.query('begin')
      for (const name of names)
        await client.query(`set local search_path = ${name}; ${createReadOnlyTable}`)
      // Every write holds a lock of the table that it has read, until it has committed: this waits for all of them.
      await client.query(`lock table ${tables.join(', ')} in access exclusive mode`)
      for (const name of names) {
        await client.query(`set local search_path = ${name}; delete from read_only`)
        if (!mode) continue
        await client.query(insertRow(['$1', '$2', '$3']), [mode.state, mode.target, mode.until])
      }
      await client.query('commit')
      return
    } catch (error) {
      await client.query('rollback')
      if ((error as { code?: unknown }).code !== lockNotAvailable || performance.now() > deadline) {
        throw error
      }
      await delay(retryLockAfterMs)
    }
  }
}

const lockNotAvailable = '55P03'

const insertRow = (values: string[]): string =>
  `insert into read_only (id, state, target, until) values (1, ${values.join(', ')})`

async function onPostgres<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connectClient(
    createPostgresServers(url, connectWithinMs),
    { connectionTimeoutMillis: connectWithinMs, application_name: 'animal-store read-only', types },
    { lock_timeout: lockTimeoutMs, synchronous_commit: 'on' },
    () => {},
  )
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}
