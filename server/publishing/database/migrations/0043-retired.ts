import type { Migration } from '../../../platform/database/migrate.ts'

/** Removes what only retired features have used. */
export const migration0043: Migration = {
  id: 43,
  name: 'retired features',
  sql: () => `
    drop index domains_with_preview;

    drop table removed_domains;
    delete from domain_notices where position in
      (select position from domain_events where type in ('records_left', 'records_deleted'));
    delete from domain_events where type in ('records_left', 'records_deleted');
  `,
}
