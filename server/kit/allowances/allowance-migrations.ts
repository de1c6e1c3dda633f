// Migrations of the database of allowances: counters that every process shares and that a crash may lose, and
// what the program remembers of itself.
import { backupsMigration } from '../backups/backups-migration.ts'
import type { Migration } from '../database/migrate.ts'
import { processVersionMigration, systemMigration } from '../system/system-migration.ts'

export const allowanceMigrations: Migration[] = [
  {
    id: 1,
    name: 'rate limits',
    sql: ({ int64, strict, unloggedTable }) => `
    create ${unloggedTable} rate_limits (
      key_id text not null primary key,
      whole_at ${int64} not null
    ) ${strict};
  `,
  },
  systemMigration,
  backupsMigration,
  processVersionMigration,
  {
    id: 5,
    name: 'the last change of a counter',
    sql: ({ int64 }) =>
      ['cost', 'width', 'given_back', 'taken']
        .map(
          (column) => `alter table rate_limits add column ${column} ${int64} not null default 0;`,
        )
        .join('\n'),
  },
  {
    id: 6,
    name: 'one statement for each request',
    sql: () =>
      ['cost', 'width', 'given_back']
        .map((column) => `alter table rate_limits drop column ${column};`)
        .join('\n'),
  },
]
