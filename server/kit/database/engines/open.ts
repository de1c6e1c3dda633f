// Migrates and opens the program's databases: files on SQLite, schemas on PostgreSQL.
import { accessSync, constants, existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../clock.ts'
import { ConfigError } from '../../config/config.ts'
import { createFolder } from '../../disk.ts'
import type { RequestBatches } from '../../http/request-batches.ts'
import type { Metrics } from '../../metrics.ts'
import type { Database, Session } from '../database.ts'
import type { Migration } from '../declared-tables.ts'
import { markCommit } from '../transactions.ts'
import {
  migratePostgres,
  migrateSqlite,
  poolerText,
  RefusedDatabaseError,
  type Report,
} from './migrate.ts'
import { openPostgres } from './postgres.ts'
import { createPostgresServers, type PostgresServers } from './postgres-servers.ts'
import { statementMsWithin } from './postgres-transaction.ts'
import { openSqlite, removeLeftStagings } from './sqlite.ts'

export interface Place {
  dataDir: string
  databaseUrl?: string | undefined
  /** The longest wait of a write; the default of DATABASE_TIMEOUT_MS. */
  databaseTimeoutMs?: number | undefined
  /** Of this process to PostgreSQL, for all of its databases; the default of DATABASE_CONNECTIONS. */
  databaseConnections?: number | undefined
}

/** The databases that a process has open: production, staging, publishing and limits. */
const databasesPerProcess = 4
const defaultConnections = 36

const defaultTimeoutMs = 1400

interface OpenOptions {
  /** `off`: for counters that may be lost in a power failure. They are not what a request changes. */
  durability?: 'full' | 'off'
  /** Of the process. One that is not the system's replaces the database's own. */
  clock?: Clock
  /** On PostgreSQL, of all databases of the process (findServers). */
  servers?: PostgresServers | undefined
  onError: (error: Error) => void
  metrics?: Metrics
  /** Of the requests that this process answers. */
  batches?: RequestBatches | undefined
}

/**
 * Migrates the database `name` to this program's version. Throws ConfigError if it cannot be used, and
 * RefusedDatabaseError if this program must not. `report` hears what a migration waits for.
 */
export async function migrateDatabase(
  place: Place,
  name: string,
  migrations: readonly Migration[],
  report?: Report,
): Promise<void> {
  if (place.databaseUrl === undefined) {
    const file = sqliteFile(place, name)
    refuseUnfinishedRestore(place.dataDir)
    removeLeftStagings(file)
    await migrateSqlite(file, name, migrations)
    return
  }
  try {
    await migratePostgres(place.databaseUrl, name, migrations, report)
  } catch (error) {
    const isKnown = error instanceof ConfigError || error instanceof RefusedDatabaseError
    if (!(error instanceof Error) || isKnown) throw error
    const { code } = error as { code?: string }
    if (code === '3F000' || code === '26000' || code === '42P05')
      throw new ConfigError(poolerText, { cause: error })
    const reason = error.message || code
    throw new ConfigError(
      `DATABASE_URL cannot be used: ${reason}. It accepts the address of a PostgreSQL 15 or newer.`,
      { cause: error },
    )
  }
}

/** The servers of DATABASE_URL. Databases that share them move to another one together. */
export function findServers(place: Place): PostgresServers | undefined {
  const { databaseUrl, databaseTimeoutMs = defaultTimeoutMs } = place
  if (databaseUrl === undefined) return undefined
  return createPostgresServers(databaseUrl, statementMsWithin(databaseTimeoutMs))
}

/** Opens a database that `migrateDatabase` has prepared. */
export function openDatabase(place: Place, name: string, options: OpenOptions): Database {
  const { databaseUrl: url, databaseTimeoutMs: timeoutMs = defaultTimeoutMs } = place
  const { databaseConnections: connections = defaultConnections } = place
  const { clock, durability = 'full' } = options
  const database =
    url === undefined
      ? openSqlite(sqliteFile(place, name), {
          durability,
          timeoutMs,
          clock,
          batches: options.batches,
        })
      : openPostgres({
          url,
          schema: name,
          readers: Math.floor(connections / databasesPerProcess) - 1,
          durability,
          onError: options.onError,
          timeoutMs,
          clock,
          servers: options.servers,
        })
  return observed(database, durability === 'full', options.metrics)
}

/** Migrates a database, and opens it for as long as `use` runs. */
export async function withDatabase<T>(
  place: Place,
  {
    migrations,
    name,
    report,
  }: { name: string; migrations: readonly Migration[]; report?: Report | undefined },
  use: (database: Database) => Promise<T>,
): Promise<T> {
  await migrateDatabase(place, name, migrations, report)
  const database = openDatabase(place, name, { onError: () => {} })
  try {
    return await use(database)
  } finally {
    await database.close()
  }
}

export const sqliteFileOf = (dataDir: string, name: string): string => join(dataDir, `${name}.db`)

/** Where a restore builds the databases before they are moved into the data folder. */
export const restoringFolderIn = (dataDir: string): string => join(dataDir, 'restoring')

/** Part of the databases may be missing: the program would start with new ones. */
function refuseUnfinishedRestore(dataDir: string): void {
  const folder = restoringFolderIn(dataDir)
  if (!existsSync(folder)) return
  throw new ConfigError(
    `DATA_DIR cannot be ${dataDir}: a restore is running there, or was interrupted. In that case delete its *.db files and ${folder}, and restore again.`,
  )
}

function sqliteFile({ dataDir }: Place, name: string): string {
  try {
    createFolder(dataDir)
    accessSync(dataDir, constants.W_OK | constants.X_OK)
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code
    throw new ConfigError(
      `DATA_DIR cannot be ${dataDir} (${reason}): it accepts a folder that can be written.`,
    )
  }
  return sqliteFileOf(dataDir, name)
}

/**
 * Wraps a database so that requests know of their commits, if it is durable, and that the time of each read and write is
 * measured, where there are metrics.
 */
function observed(database: Database, isDurable: boolean, metrics: Metrics | undefined): Database {
  const mark = isDurable ? markCommit : <T>(write: Promise<T>) => write
  const timed =
    <P extends unknown[], T>(kind: 'read' | 'write', call: (...given: P) => T) =>
    (...given: P): T => {
      const start = performance.now()
      const result = call(...given)
      if (result instanceof Promise) {
        const done = () => metrics?.observeDatabase((performance.now() - start) / 1000, kind)
        result.then(done, done)
      } else metrics?.observeDatabase((performance.now() - start) / 1000, kind)
      return result
    }
  const { execute, read, write } = database
  return {
    ...database,
    read: {
      ...read,
      all: timed('read', read.all) as Session['all'],
      tuples: timed('read', read.tuples) as Session['tuples'],
    },
    write: timed('write', (work, input) => mark(write(work, input))) as Database['write'],
    execute: timed('write', execute) as Database['execute'],
    async openStaging(columns) {
      const staging = await database.openStaging(columns)
      return { ...staging, transaction: (body) => mark(staging.transaction(body)) }
    },
  }
}
