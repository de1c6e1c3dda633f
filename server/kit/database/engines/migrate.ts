// Numbered, append-only migrations. Each is applied once, in one transaction, under a lock, and its checksum is kept: a
// database whose migrations differ from the program's is refused. Those up to 1.0.0-rc.1 are one under the number of the
// last: a database of that release has rows of all of them.
import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { ConfigError } from '../../config/config.ts'
import { type Migration, type Types, typesOf } from '../declared-tables.ts'
import { connectClient } from './postgres-servers.ts'

/** This program must not use the database: its message says why, and what to do. */
export class RefusedDatabaseError extends Error {
  override readonly name = 'RefusedDatabaseError'
}

/** Gets a sentence about what a migration waits for. */
export type Report = (message: string) => void

interface Connection {
  engine: Types['engine']
  run(sql: string): Promise<void>
  /** Checksums by id; null: applied by a version that stored none. */
  applied(): Promise<Map<number, string | null>>
  record(migration: Migration, checksum: string): Promise<void>
  /** Processes that were seen lately. */
  running(): Promise<Record<string, unknown>[]>
  /** Runs one migration, again if it could not get its locks. */
  attempt(what: string, run: () => Promise<void>): Promise<void>
}

const createTable = `create table if not exists migrations
  (id int not null primary key, name text not null, applied_at text not null default current_timestamp, checksum text)`
const addChecksum = 'alter table migrations add column checksum text'

export async function migrateSqlite(
  path: string,
  name: string,
  migrations: readonly Migration[],
): Promise<void> {
  const database = new DatabaseSync(path, { timeout: 10_000 })
  try {
    database.exec('pragma journal_mode = wal; pragma synchronous = full')
    database.exec('begin immediate')
    database.exec(createTable)
    const marker = database.prepare(`select 1 from sqlite_schema where name = 'read_only'`).get()
    if (marker) refuseMoved(name, database.prepare(readMarker).all())
    const columns = database.prepare('pragma table_info(migrations)').all()
    if (!columns.some((column) => column.name === 'checksum')) database.exec(addChecksum)
    const insert = 'insert into migrations (id, name, checksum) values (?, ?, ?)'
    await apply(name, migrations, {
      engine: 'sqlite',
      // The write lock is held from the first read to the last commit.
      run: async (sql) =>
        sql === 'commit'
          ? database.exec('commit; begin immediate')
          : sql === 'begin'
            ? undefined
            : database.exec(sql),
      applied: async () =>
        checksumsOf(database.prepare('select id, checksum from migrations').all()),
      record: async ({ id, name }, checksum) => {
        database.prepare(insert).run(id, name, checksum)
      },
      running: async () => findRunning(join(dirname(path), 'limits.db')),
      attempt: (_, run) => run(),
    })
    database.exec('commit')
  } finally {
    database.close()
  }
}

/** Readers queue behind a statement that waits for a lock: it waits for less than a request may take. */
const lockTimeoutMs = 500
const retryLockAfterMs = 1000

export async function migratePostgres(
  url: string,
  schema: string,
  migrations: readonly Migration[],
  report: Report = () => {},
): Promise<void> {
  const settings = { search_path: schema, lock_timeout: lockTimeoutMs }
  const client = await connectClient(url, 'migrations', settings)
  const run = async (sql: string): Promise<void> => {
    await client.query(sql)
    if (sql === 'begin') await requireSession(client, schema)
  }
  const attempt = (what: string, body: () => Promise<void>): Promise<void> =>
    withLocks(client, schema, `${what} of the database ${schema}`, report, body)
  try {
    if (await isCurrent(client, schema, migrations)) return
    await requireUtf8(client, schema)
    await attempt('The check', () => run(migrationLock(schema)))
    await attempt('The table of migrations', async () => {
      await run(`create schema if not exists ${schema}`)
      await run('begin')
      const [{ marker }] = (await client.query(readState)).rows
      await run(createTable)
      if (marker !== null) refuseMoved(schema, (await client.query(readMarker)).rows)
      const { rowCount } = await client.query(
        `select 1 from information_schema.columns
          where table_schema = $1 and table_name = 'migrations' and column_name = 'checksum'`,
        [schema],
      )
      if (rowCount === 0) await run(addChecksum)
      await run('commit')
    })
    await apply(schema, migrations, {
      engine: 'postgres',
      run,
      applied: async () =>
        checksumsOf((await client.query(`select id, checksum from ${schema}.migrations`)).rows),
      record: async ({ id, name }, checksum) =>
        void (await client.query(
          'insert into migrations (id, name, checksum) values ($1, $2, $3)',
          [id, name, checksum],
        )),
      running: async () => {
        const { rows } = await client.query(`select to_regclass('limits.processes') as found`)
        return rows[0].found === null
          ? []
          : (await client.query(readRunning('limits.processes'))).rows
      },
      attempt,
    })
  } finally {
    await client.end()
  }
}

/**
 * A transaction stays with one session, of which a pooler such as PgBouncer gives each transaction another: what this
 * connection has set, and so the schema that its statements mean, holds only if this session has it.
 */
async function requireSession(client: pg.Client, schema: string): Promise<void> {
  const [{ at }] = (await client.query(readState)).rows
  if (at !== schema) throw new ConfigError(poolerText)
}

/** A new database only: one of another encoding refuses text, or counts bytes as characters. */
async function requireUtf8(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query(
    `select current_setting('server_encoding') as encoding, to_regclass($1) is null as is_new`,
    [`${schema}.migrations`],
  )
  const [{ encoding, is_new: isNew }] = rows
  if (isNew && encoding !== 'UTF8')
    throw new ConfigError(
      `DATABASE_URL cannot be used: the database has the encoding ${encoding}. Create one with UTF8: create database animals encoding 'UTF8' template template0.`,
    )
}

/** One migration of a schema at a time. */
const migrationLock = (schema: string): string =>
  `select pg_advisory_lock(hashtext('animal-store migrations of ${schema}'))`

const readState = `select current_schema() as at, to_regclass('read_only') as marker`

/** As most starts find it, in one round trip. */
async function isCurrent(
  client: pg.Client,
  schema: string,
  migrations: readonly Migration[],
): Promise<boolean> {
  const results = await client
    .query(`${readState}; select id, checksum from migrations`)
    .catch((error: { code?: unknown }) => {
      if (missing.has(error.code)) return []
      throw error
    })
  const [state, applied] = [results].flat()
  if (!state || !applied) return false
  const [{ at, marker }] = state.rows
  if (at !== schema) throw new ConfigError(poolerText)
  if (marker !== null) return false
  const checksums = checksumsOf(applied.rows)
  return (
    Math.max(...checksums.keys()) === migrations.at(-1)?.id &&
    migrations.every((each) => checksums.get(each.id) === statementsOf(each, 'postgres').checksum)
  )
}

/** What sessions of transactions lose: the search path, and prepared statements. */
export const poolerText =
  'DATABASE_URL cannot be used: a pooler such as PgBouncer gives each transaction another session. Set it to session mode, or give the address of PostgreSQL itself.'

/** SQLSTATE of a table or a column that does not exist. */
const missing = new Set<unknown>(['42P01', '42703'])

/** Of a table that an earlier version has added: it has a row where the data was moved elsewhere. */
const readMarker = 'select target from read_only'

function refuseMoved(name: string, [row]: readonly Record<string, unknown>[]): void {
  if (!row) return
  throw new RefusedDatabaseError(
    `The database ${name} was moved to ${row.target}: set DATABASE_URL to it. To serve the old data again, without what was written since, delete the row of its table read_only.`,
  )
}

/** Runs `body` again and again until it gets its locks; reports who holds them. */
async function withLocks(
  client: pg.Client,
  schema: string,
  what: string,
  report: Report,
  body: () => Promise<void>,
): Promise<void> {
  let reported = ''
  for (;;) {
    try {
      return await body()
    } catch (error) {
      if ((error as { code?: unknown }).code !== lockNotAvailable) throw error
    }
    await client.query('rollback')
    const { rows } = await client.query(lockHolders, [schema])
    const holders = rows.map(({ holder }) => holder).join('; ') || 'a session that has just ended'
    if (holders !== reported) report(`${what} waits for a lock of ${holders}. It is retried.`)
    reported = holders
    await delay(retryLockAfterMs)
  }
}

const lockNotAvailable = '55P03'
/** The sessions that have held locks for longest. */
const lockHolders = `
  select format('%s (process %s, user %s, since %s)', coalesce(nullif(application_name, ''), 'a session'), pid, usename, xact_start::timestamptz(0)) as holder
  from pg_stat_activity
  where pid <> pg_backend_pid() and datname = current_database() and xact_start is not null and pid in (
    select l.pid from pg_locks l left join pg_class c on c.oid = l.relation
    where l.granted and (c.relnamespace = to_regnamespace($1) or l.locktype = 'advisory'))
  order by xact_start limit 3`

const checksumsOf = (rows: Record<string, unknown>[]): Map<number, string | null> =>
  new Map(rows.map(({ id, checksum = null }) => [Number(id), checksum as string | null]))

/** What a migration runs on an engine, and the checksum of it: white space does not count. */
function statementsOf({ sql }: Migration, engine: Types['engine']) {
  const text = sql(typesOf[engine])
  return { text, checksum: hash('sha256', text.replaceAll(/\s+/g, ' ').trim()) }
}

/**
 * By the checksum of a last migration: those of the migrations after which other programs' databases have the same tables,
 * which are commit ed066757, before they became two, and this program before its tables were declared.
 */
const sameTables: Readonly<Record<string, readonly unknown[]>> = {
  a47e3bd67e3fe83d5c3c69ca5bdc5a97da0c6e970c499ca3041dc377555e2a4b: [
    '73a45f1ba7ff84377705ad16f466dfee48cf53e937684884990d053d16eba3be',
    '09dea1d9953af1e6d95ab31f556eae64bec8eed3a791bee17620d8dc06b17814',
  ],
  '354c6cd789561dc0978b7a620201f768b1b96558501ea4672022aad3a582d9e8': [
    '73a45f1ba7ff84377705ad16f466dfee48cf53e937684884990d053d16eba3be',
    '65e56a9ad061b2c05c59cb2ffb89de9cfbe2f858d782a4da56ac8c1cc6e24459',
  ],
  '771d5014d42a84a33060ceb17a7ac5a7d640f3eef6c6db235d4b5eafaab54a3d': [
    '71fe9de836c10b4c3bda43c67e82d9593df58cd0a67e9f8a462e3de012c86f42',
    '5ea0a8ac15300a34ba7056c8abe693a4a09a2406be9675e0a4ea8e8625976f43',
  ],
  b31f2d9b637df603319423dbd8745c57c569b08c41a8280d4016dbbd2639cd19: [
    '5a97d59d7076412d99856d5add9fb7c4d070b93cad800d03d58b37b133e50f10',
    'f8ecea57388f898be9f00304a79578df9d6f4ca70c58990b6c21cf2150e043f6',
  ],
  '4f9c12e89dd2f1dd658b91672ad7b3ec47f9a7027c9683361861d2db2d089156': [
    '462af30aa3a0dd7892026e126a00f57c37fabf834c95ecf6a1251148e82ab113',
    'bbda6d994d440324f9a5cd0f762b507de090a8c9c0a175207b3d4b02f99a8f7b',
  ],
  e171c67536ee285bf2de89e7d1da83153a6f15a31459ff39508e5e0606ba669b: [
    '462af30aa3a0dd7892026e126a00f57c37fabf834c95ecf6a1251148e82ab113',
    '2f6e0215e7b604d2e0315b851197f6b4a9d516e1c1f96402a9d6718b4274a345',
  ],
}

async function apply(
  database: string,
  migrations: readonly Migration[],
  connection: Connection,
): Promise<void> {
  const applied = await connection.applied()
  const current = Math.max(0, ...applied.keys())
  const newest = migrations.at(-1)?.id ?? 0
  if (current > newest) {
    throw new RefusedDatabaseError(
      `The database is at version ${current}, this program knows ${newest}: run the newer program, or restore a backup.`,
    )
  }
  // An empty database has nobody, and a failed first start may be repeated.
  if (current > 0 && current < newest)
    await connection.attempt('The check of running processes', async () =>
      requireAlone(await connection.running()),
    )
  const last = migrations.find(({ id }) => id === current)
  const hasSameTables =
    last &&
    sameTables[statementsOf(last, connection.engine).checksum]?.includes(applied.get(current))
  for (const migration of migrations) {
    const { id, name } = migration
    const { checksum, text } = statementsOf(migration, connection.engine)
    if (id > current) {
      await connection.attempt(`Migration ${id} (${name})`, async () => {
        await connection.run('begin')
        await connection.run(text)
        await connection.record(migration, checksum)
        await connection.run('commit')
      })
      continue
    }
    const stored = applied.get(id)
    // The first release stored none.
    if (stored === null || hasSameTables)
      await connection.run(`update migrations set checksum = '${checksum}' where id = ${id}`)
    else if (stored !== checksum) {
      throw new RefusedDatabaseError(
        `The database ${database} was created by another program: its migration ${id} (${name}) differs from this program's. If it is of a version after 1.0.0-rc.1, start the one of commit ed066757 with it first; otherwise run the version that created it, or restore a backup.`,
      )
    }
  }
}

/** A process that was not seen for this long is considered stopped. */
export const seenWithinMs = 90_000

/** All columns: the first release has no version. */
const readRunning = (table: string): string =>
  `select * from ${table} where seen_at > ${Date.now() - seenWithinMs} order by node, pid`

function findRunning(file: string): Record<string, unknown>[] {
  if (!existsSync(file)) return []
  const limits = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  try {
    const table = limits.prepare(`select 1 from sqlite_schema where name = 'processes'`).get()
    return table ? limits.prepare(readRunning('processes')).all() : []
  } finally {
    limits.close()
  }
}

/** What a process of an earlier version reads and writes must not change under it. */
function requireAlone([process]: Record<string, unknown>[]): void {
  if (!process) return
  const { node, pid, version } = process
  throw new RefusedDatabaseError(
    `The process ${pid} on ${node} (${version ?? '1.0.0-rc.1'}) is running with the database of an earlier version: stop all nodes, then start this version. One that was killed counts as running for ${seenWithinMs / 1000} seconds.`,
  )
}
