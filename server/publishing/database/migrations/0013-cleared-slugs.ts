import type { Migration } from '#kit/database/migrate.ts'

/** Until when the address of a reused slug removes what the earlier project's site has left in browsers. */
export const migration0013: Migration = {
  id: 13,
  name: 'cleared slugs',
  sql: ({ int64 }) => `
    alter table slugs add column cleared_until ${int64};
  `,
}
