import type { Migration } from '#kit/database/migrate.ts'

/** Domains that are the owner's while DNS leads elsewhere: each has a host that shows what it will show. */
export const migration0033: Migration = {
  id: 33,
  name: 'domain previews',
  sql: () => `
    create index domains_with_preview on domains (id)
      where ownership = 'proven' and proven_by = 'txt' and paused_at is null
        and dns in ('missing', 'conflict', 'wrong_target', 'partial');
  `,
}
