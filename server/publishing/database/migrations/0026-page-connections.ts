import type { Migration } from '#kit/database/migrate.ts'

/** The pages from which readers can send requests to another origin (`tryIt` in site.yaml). */
export const migration0026: Migration = {
  id: 26,
  name: 'page connections',
  sql: () => `
    -- The origin to which the page may connect, apart from its own; null for all other files.
    alter table deploy_files add column connect_to text;
  `,
}
