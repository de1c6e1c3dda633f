import type { Migration } from '../../../platform/database/migrate.ts'

/** Removes what only retired features have used. */
export const migration0043: Migration = {
  id: 43,
  name: 'retired features',
  sql: () => `
    drop index domains_with_preview;
  `,
}
