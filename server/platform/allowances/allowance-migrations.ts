// Migrations of the database of allowances: counters that every process shares and that a crash may lose.
import type { Migration } from '../database/migrate.ts'

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
]
