// Numbered, append-only migrations. Each is applied once, in one transaction, under a lock, and its checksum is kept: a
// database whose migrations differ from the program's is refused.
import { hash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { ConfigError } from '../config/config.ts'
import { endStaleSessions } from './end-stale-sessions.ts'
import { connectClient, createPostgresServers } from './postgres-servers.ts'

/** What differs between the engines in a migration. */
export interface Types {
  engine: 'sqlite' | 'postgres'
  /** A 64-bit integer. */
  int64: 'integer' | 'bigint'
  bytes: 'blob' | 'bytea'
  /** Ends a table definition: SQLite's STRICT enforces the types. */
  strict: 'strict' | ''
  /** Starts the definition of a table that may be lost in a crash. */
  unloggedTable: 'table' | 'unlogged table'
}

const typesOf: Record<Types['engine'], Types> = {
  sqlite: {
    engine: 'sqlite',
    int64: 'integer',
    bytes: 'blob',
    strict: 'strict',
    unloggedTable: 'table',
  },
  postgres: {
    engine: 'postgres',
    int64: 'bigint',
    bytes: 'bytea',
    strict: '',
    unloggedTable: 'unlogged table',
  },
}

export interface Migration {
  /** 1, 2, 3 …; never changed, removed or reordered once released. */
  id: number
  name: string
  sql: (types: Types) => string
}

/** The database was written by a newer version of the program. */
export class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError'
}

/** A migration was applied in another form than this program has. */
export class ChangedMigrationError extends Error {
  override readonly name = 'ChangedMigrationError'
}

/** The data of this database is elsewhere: nothing starts there. */
export class MovedDatabaseError extends Error {
  override readonly name = 'MovedDatabaseError'
}

/** Gets a sentence about what a migration waits for. */
export type Report = (message: string) => void

interface Connection {
  engine: Types['engine']
  run(sql: string): Promise<void>
  /** Checksums by id; null: applied by a version that stored none. */
  applied(): Promise<Map<number, string | null>>
  record(migration: Migration, checksum: string): Promise<void>
  /**
   * Stores the checksums of migrations that the first release has applied, after all others are applied. Its processes
   * may be running.
   */
  adopt(checksums: ReadonlyMap<number, string>): Promise<void>
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
      adopt: async (checksums) => {
        const update = database.prepare('update migrations set checksum = ? where id = ?')
        for (const [id, checksum] of checksums) update.run(checksum, id)
      },
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
const connectWithinMs = 5000

export async function migratePostgres(
  url: string,
  schema: string,
  migrations: readonly Migration[],
  report: Report = () => {},
): Promise<void> {
  const client = await connectClient(
    createPostgresServers(url, connectWithinMs),
    { connectionTimeoutMillis: connectWithinMs, application_name: 'animal-store migrations' },
    { search_path: schema, lock_timeout: lockTimeoutMs },
    () => {},
  )
  const run = async (sql: string): Promise<void> => void (await client.query(sql))
  const attempt = (what: string, body: () => Promise<void>): Promise<void> =>
    withLocks(client, schema, `${what} of the database ${schema}`, report, body)
  try {
    if (await isCurrent(client, schema, migrations)) return
    await requireUtf8(client, schema)
    await attempt('The check', () => run(migrationLocks(schema)))
    await attempt('The table of migrations', async () => {
      await run(`create schema if not exists ${schema}`)
      const [{ at, marker }] = (await client.query(readState)).rows
      if (at !== schema) throw new ConfigError(poolerText)
      await run(createTable)
      if (marker !== null) refuseMoved(schema, (await client.query(readMarker)).rows)
      const { rowCount } = await client.query(
        `select 1 from information_schema.columns
          where table_schema = $1 and table_name = 'migrations' and column_name = 'checksum'`,
        [schema],
      )
      if (rowCount === 0) await run(addChecksum)
    })
    await apply(schema, migrations, {
      engine: 'postgres',
      run,
      applied: async () =>
        checksumsOf((await client.query('select id, checksum from migrations')).rows),
      record: async ({ id, name }, checksum) =>
        void (await client.query(
          'insert into migrations (id, name, checksum) values ($1, $2, $3)',
          [id, name, checksum],
        )),
      adopt: async (checksums) => {
        await attempt('The end of stale sessions', () => endStaleSessions(client, schema))
        const update = 'update migrations set checksum = $2 where id = $1'
        for (const one of checksums) await client.query(update, one)
      },
      attempt,
    })
  } finally {
    await client.end()
  }
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

/** One migration of a schema at a time, and none beside a version before, whose one lock is for all schemas. */
const migrationLocks = (schema: string): string =>
  `select pg_advisory_lock_shared(hashtext('animal-store migrations')),
          pg_advisory_lock(hashtext('animal-store migrations of ${schema}'))`

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
    checksums.size === migrations.length &&
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
  throw new MovedDatabaseError(
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

export const checksumsOf = (rows: Record<string, unknown>[]): Map<number, string | null> =>
  new Map(rows.map(({ id, checksum = null }) => [Number(id), checksum as string | null]))

/** What a migration runs on an engine, and the checksum of it: white space does not count. */
export function statementsOf({ sql }: Migration, engine: Types['engine']) {
  const text = sql(typesOf[engine])
  return { text, checksum: hash('sha256', text.replaceAll(/\s+/g, ' ').trim()) }
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
    throw new NewerDatabaseError(
      `The database is at version ${current}, this program knows ${newest}: run the newer program, or restore a backup.`,
    )
  }
  const withoutChecksum = new Map<number, string>()
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
    if (stored === null) withoutChecksum.set(id, checksum)
    else if (stored !== checksum) {
      throw new ChangedMigrationError(
        `The database ${database} was created by another program: its migration ${id} (${name}) differs from this program's. Run the version that created it, or restore a backup.`,
      )
    }
  }
  if (withoutChecksum.size > 0) await connection.adopt(withoutChecksum)
}
