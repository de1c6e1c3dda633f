// All migrations of the database of allowances, in order: counters that every process shares and that a crash may lose, and
// what the program remembers of itself.
import {
  addColumns,
  createTables,
  type Migration,
  type RowsOf,
} from '../database/declared-tables.ts'

const latencies = Array.from({ length: 16 }, (_, i) => [`within_${i}`, 'int64 not null'])

/** Those of 1.0.0-rc.1, which never change. */
const tables = {
  // Times are in microseconds, so that a limit of thousands per second still has whole numbers.
  rate_limits: {
    key_id: 'text not null primary key',
    // When the allowance of the key is whole again.
    whole_at: 'int64 not null',
  },
  // Requests of each minute since the epoch, by latency.
  request_minutes: {
    minute: 'int64 not null',
    environment: 'text not null',
    // Responses with a 5xx status.
    errors: 'int64 not null',
    ...(Object.fromEntries(latencies) as object),
    'primary key': '(minute, environment)',
  },
  // The running processes. Times are in milliseconds since the epoch.
  processes: {
    id: 'text not null primary key',
    node: 'text not null',
    pid: 'int64 not null',
    started_at: 'int64 not null',
    seen_at: 'int64 not null',
  },
} as const

const addedColumns = {
  rate_limits: {
    // 1 if the last request was within the limit.
    taken: 'int64 not null default 0',
  },
  processes: {
    // Null: one that records none.
    version: 'text',
  },
} as const

const newTables = {
  // One row: the state of scheduled backups. Unlike the other tables of this database it is logged.
  backup_schedule: {
    id: 'int64 not null primary key check (id = 1)',
    // Marks the files of this installation: a schedule deletes no others.
    installation: 'text not null',
    // The interval, and when a process with it last looked.
    interval_ms: 'int64',
    polled_at: 'int64',
    // The last good backup: when it began, its path, size and duration.
    last_at: 'int64',
    last_node: 'text',
    last_file: 'text',
    last_bytes: 'int64',
    last_ms: 'int64',
    // The last failure; failures since the last good one.
    failed_at: 'int64',
    failure: 'text',
    failures: 'int64 not null default 0',
    // The process that makes one, and the expiry of its lease.
    lease: 'text',
    lease_until: 'int64',
  },
} as const

export type AllowanceTables = RowsOf<typeof tables & typeof newTables, typeof addedColumns> & {
  request_minutes: Record<`within_${number}`, bigint>
}

/** The last migration of 1.0.0-rc.1 had this number. */
const schema: Migration = {
  id: 2,
  name: 'schema of 1.0.0-rc.1',
  sql: (types) => createTables(tables, types, types.unloggedTable),
}

/** What has changed since 1.0.0-rc.1. */
const upgrade: Migration = {
  id: 6,
  name: 'changes since 1.0.0-rc.1',
  sql: (types) => `${addColumns(addedColumns, types)}${createTables(newTables, types)}
    insert into backup_schedule (id, installation) values (1, ${randomText[types.engine]});`,
}

const randomText = {
  sqlite: 'lower(hex(randomblob(16)))',
  postgres: "replace(gen_random_uuid()::text, '-', '')",
}

export const allowanceMigrations: Migration[] = [schema, upgrade]
