import type { Migration } from '#kit/database/migrate.ts'

/** Hosts of sites below the platform host use the turns and shares of their project's owner. */
export const migration0014: Migration = {
  id: 14,
  name: 'turns of platform hosts',
  sql: () => `
    -- The holder, or the owner of the site at a platform host.
    alter table domains add column turn_owner text not null default '';
    update domains set turn_owner = holder;

    drop index domains_due_by_owner;
    drop index domains_by_lease;
    create index domains_due_by_owner on domains (due_at, turn_owner, lease_until, id) where due_at is not null;
    create index domains_by_lease on domains (lease_until, turn_owner) where lease is not null;

    -- First certificates of an owner within a registrable domain.
    create index authority_ledger_by_holder_in_domain
      on authority_ledger (directory, registered_domain, holder, at) where holder is not null;
  `,
}
