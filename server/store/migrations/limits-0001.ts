import type { Migration } from '../../platform/database/migrate.ts'

/** Rate limits: counters that every process shares and that a crash may lose. */
export const limitsMigration0001: Migration = {
  id: 1,
  name: 'rate limits',
  sql: ({ int64, strict, unloggedTable }) => `
    create ${unloggedTable} rate_limits (
      key_id text not null primary key,
      whole_at ${int64} not null
    ) ${strict};
  `,
}
