import type { Migration } from '#kit/database/migrate.ts'

/** For operators: which keys still use deprecated operations. */
export const migration0004: Migration = {
  id: 4,
  name: 'deprecated calls',
  sql: ({ int64 }) => `
    alter table api_keys add column deprecated_calls ${int64} not null default 0;
    alter table api_keys add column deprecated_at ${int64};
  `,
}
