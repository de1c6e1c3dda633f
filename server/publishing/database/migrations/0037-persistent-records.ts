import type { Migration } from '#kit/database/migrate.ts'

/**
 * Certificates before the switch by a TXT record that stays valid (dns-persist-01). It names an account at the
 * authority, so each holder of domains has accounts of its own, which are deactivated with its last such domain.
 */
export const migration0037: Migration = {
  id: 37,
  name: 'persistent records',
  sql: ({ int64, strict }) => `
    alter table domains add column preparation_method text not null default 'dns-01'
      check (preparation_method in ('dns-01', 'dns-persist-01'));
    -- Where an authority offered dns-persist-01 in its last authorization for the host, and its names, as JSON.
    alter table domains add column persist_offer text;

    create table holder_accounts (
      id text not null primary key,
      -- Whose domains it is for.
      holder text not null,
      directory text not null,
      -- Empty until the authority has created it.
      url text not null,
      -- PEM, encrypted.
      private_key text not null,
      created_at ${int64} not null,
      -- When it was given up; null while it is in use.
      released_at ${int64},
      -- When it is deactivated at the authority. A process that works on it moves it forward.
      due_at ${int64},
      claim text,
      tries ${int64} not null default 0,
      -- When the authority had deactivated it.
      closed_at ${int64}
    ) ${strict};
    create unique index one_account_for_each_holder on holder_accounts (holder, directory)
      where released_at is null;
    create index holder_accounts_by_creation on holder_accounts (directory, created_at);
    create index holder_accounts_by_url on holder_accounts (directory, url);
    create index holder_accounts_due on holder_accounts (due_at) where due_at is not null;
    create index holder_accounts_closed on holder_accounts (closed_at) where closed_at is not null;

    -- The last such record of a domain.
    create table persistent_records (
      domain_id text not null primary key,
      account_id text not null,
      value text not null,
      persist_until ${int64} not null,
      created_at ${int64} not null,
      -- When it was given up; null while the account may use it.
      released_at ${int64}
    ) ${strict};
    create index persistent_records_in_use on persistent_records (account_id)
      where released_at is null;

    -- Of the holder; null for the account of this installation.
    alter table certificate_orders add column account_id text;
  `,
}
