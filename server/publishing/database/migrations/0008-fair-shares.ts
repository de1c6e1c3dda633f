import type { Migration } from '#kit/database/migrate.ts'

/** What fair turns and shares of owners need, and which e-mail addresses are confirmed. */
export const migration0008: Migration = {
  id: 8,
  name: 'fair shares, confirmed addresses',
  sql: ({ int64, strict }) => `
    -- The number of the last build of each owner: who waited longest builds next. Empty for the operators.
    create table build_turns (
      owner text not null primary key,
      turn ${int64} not null
    ) ${strict};
    create unique index build_turns_in_order on build_turns (turn);

    -- The domains that are due, and those that are being processed, by owner.
    drop index domains_due;
    create index domains_due_by_owner on domains (due_at, holder, lease_until, id) where due_at is not null;
    create index domains_by_lease on domains (lease_until, holder) where lease is not null;

    -- The owner for whom a first certificate was ordered, so that orders are shared. Null for all other attempts.
    alter table authority_ledger add column holder text;
    create index authority_ledger_by_holder on authority_ledger (directory, holder, at);

    -- Notices go to confirmed addresses only. The last link that was sent to each account.
    create table email_confirmations (
      account_id text not null primary key references accounts (id) on delete cascade,
      -- The address that it was sent to: a changed one has to be confirmed again.
      email_key text not null,
      -- Null once it was used.
      token_hash text unique,
      sent_at ${int64} not null,
      confirmed_at ${int64}
    ) ${strict};
  `,
}
