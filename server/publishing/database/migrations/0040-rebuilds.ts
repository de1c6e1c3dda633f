import type { Migration } from '#kit/database/migrate.ts'

/** Deploys that build the sources of an earlier one again, with other settings of the site. */
export const migration0040: Migration = {
  id: 40,
  name: 'rebuilds',
  sql: ({ int64 }) => `
    -- The number of the deploy that brought the sources; null if it is this one.
    alter table deploys add column rebuild_of ${int64};
  `,
}
