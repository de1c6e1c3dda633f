import type { Migration } from '#kit/database/migrate.ts'

/** The ids by which this installation owns its bucket (bucket-owner.ts). */
export const migration0017: Migration = {
  id: 17,
  name: 'owner of the bucket',
  sql: () => `
    alter table object_storage add column owner text;
    alter table object_storage add column previous_owner text;
  `,
}
