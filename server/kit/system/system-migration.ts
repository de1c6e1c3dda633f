// The tables of the system status, in the database that may be lost in a crash.
import type { Migration } from '../database/migrate.ts'
import { latencyColumns } from './system-tables.ts'

/** Requests per minute, and running processes. */
export const systemMigration: Migration = {
  id: 2,
  name: 'system',
  sql: ({ int64, strict, unloggedTable }) => `
    create ${unloggedTable} request_minutes (
      minute ${int64} not null,
      environment text not null,
      errors ${int64} not null,
      ${latencyColumns.map((column) => `${column} ${int64} not null,`).join('\n      ')}
      primary key (minute, environment)
    ) ${strict};
    create ${unloggedTable} processes (
      id text not null primary key,
      node text not null,
      pid ${int64} not null,
      started_at ${int64} not null,
      seen_at ${int64} not null
    ) ${strict};
  `,
}

/** Which version of the program a process runs; null: one that records none. */
export const processVersionMigration: Migration = {
  id: 4,
  name: 'versions of processes',
  sql: () => 'alter table processes add column version text;',
}
