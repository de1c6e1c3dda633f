import type { Migration } from '#kit/database/migrate.ts'

/**
 * Renames columns of domains to the names in the program. Stored checks use the old field names, so they are
 * deleted, and every domain that is not paused is checked again.
 */
export const migration0006: Migration = {
  id: 6,
  name: 'names of columns of domains',
  sql: () => `
    alter table domains rename column proof to verification_token;
    alter table domains rename column wanted_at to verification_requested_at;
    alter table domains rename column told to last_notified;
    delete from domain_checks;
    update domains set check_at = 0, due_at = 0 where check_at is not null;
  `,
}
