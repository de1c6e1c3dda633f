import type { Migration } from '#kit/database/migrate.ts'

/**
 * Every removed claim leaves a tombstone, so that removing and adding a host again does not start the time anew
 * in which a pointer proves ownership.
 */
export const migration0007: Migration = {
  id: 7,
  name: 'removed claims',
  sql: ({ int64 }) => `
    -- When the holder first added the host.
    alter table domain_tombstones add column first_added_at ${int64} not null default 0;
    -- Until then a pointer proves ownership for the holder again; null for a claim that was never proven.
    alter table domain_tombstones add column pointer_until ${int64};
    update domain_tombstones
      set first_added_at = removed_at, pointer_until = removed_at + ${30 * 24 * 3_600_000};
  `,
}
