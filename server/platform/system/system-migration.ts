// What the program remembers of itself, in the database that a crash may empty.
import type { Migration } from '../database/migrate.ts'
import { latencyColumns } from './system-tables.ts'

/** Requests by minute, and the processes that serve. */
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
