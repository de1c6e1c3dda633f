import type { Migration } from '../../platform/database/migrate.ts'

/** For operators: animals by category, and which keys still call what is deprecated. */
export const migration0004: Migration = {
  id: 4,
  name: 'management',
  sql: ({ int64 }) => `
    create index pets_by_category on pets (category_id, status, id);
    alter table api_keys add column deprecated_calls ${int64} not null default 0;
    alter table api_keys add column deprecated_at ${int64};
  `,
}
