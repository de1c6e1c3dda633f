// Numbered, append-only migrations. Each is applied once, in one transaction, under a lock.
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

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

interface Connection {
  types: Types
  run(sql: string): Promise<void>
  applied(): Promise<number>
  record(migration: Migration): Promise<void>
}

const createTable = `create table if not exists migrations
  (id int not null primary key, name text not null, applied_at text not null default current_timestamp)`

export async function migrateSqlite(path: string, migrations: Migration[]): Promise<void> {
  const database = new DatabaseSync(path, { timeout: 10_000 })
  try {
    database.exec('pragma journal_mode = wal; pragma synchronous = full')
    database.exec('begin immediate')
    const insert = 'insert into migrations (id, name) values (?, ?)'
    await apply(migrations, {
      types: {
        engine: 'sqlite',
        int64: 'integer',
        bytes: 'blob',
        strict: 'strict',
        unloggedTable: 'table',
      },
      // The write lock is held from the first read to the last commit.
      run: async (sql) =>
        sql === 'commit'
          ? database.exec('commit; begin immediate')
          : sql === 'begin'
            ? undefined
            : database.exec(sql),
      applied: async () =>
        Number(database.prepare('select coalesce(max(id), 0) as id from migrations').get()?.id),
      record: async ({ id, name }) => void database.prepare(insert).run(id, name),
    })
    database.exec('commit')
  } finally {
    database.close()
  }
}

export async function migratePostgres(
  url: string,
  schema: string,
  migrations: Migration[],
): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5000,
    options: `-c search_path=${schema}`,
  })
  await client.connect()
  try {
    await client.query(`select pg_advisory_lock(hashtext('animal-store migrations'))`)
    await client.query(`create schema if not exists ${schema}`)
    await apply(migrations, {
      types: {
        engine: 'postgres',
        int64: 'bigint',
        bytes: 'bytea',
        strict: '',
        unloggedTable: 'unlogged table',
      },
      run: async (sql) => void (await client.query(sql)),
      applied: async () =>
        (await client.query('select coalesce(max(id), 0) as id from migrations')).rows[0].id,
      record: async ({ id, name }) =>
        void (await client.query('insert into migrations (id, name) values ($1, $2)', [id, name])),
    })
  } finally {
    await client.end()
  }
}

async function apply(migrations: Migration[], connection: Connection): Promise<void> {
  await connection.run(createTable)
  const applied = await connection.applied()
  const newest = migrations.at(-1)?.id ?? 0
  if (applied > newest) {
    throw new NewerDatabaseError(
      `The database is at version ${applied}, this program knows ${newest}: run the newer program, or restore a backup.`,
    )
  }
  for (const migration of migrations.filter(({ id }) => id > applied)) {
    await connection.run('begin')
    await connection.run(migration.sql(connection.types))
    await connection.record(migration)
    await connection.run('commit')
  }
}
