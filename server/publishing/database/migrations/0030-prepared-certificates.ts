import type { Migration } from '#kit/database/migrate.ts'

/**
 * Certificates that are issued before DNS points to us (dns-01), and the authorizations that certificate
 * authorities keep for our account, so that they can be deactivated.
 */
export const migration0030: Migration = {
  id: 30,
  name: 'prepared certificates',
  sql: ({ int64, strict }) => `
    -- Whether the owner has asked for the certificate before the switch, or has switched since.
    alter table domains add column preparation text not null default 'off'
      check (preparation in ('off', 'requested', 'switched'));
    -- When it was requested, or DNS was switched.
    alter table domains add column preparation_at ${int64};
    -- Certificates issued since it was requested.
    alter table domains add column prepared_count ${int64} not null default 0;
    -- When a check last found the TXT record that proves ownership; null once it is missing.
    alter table domains add column txt_found_at ${int64};
    -- Until when the TXT record of the challenge has to be set; null unless it is awaited.
    alter table domains add column record_until ${int64};
    -- The last value of that record that is no longer valid, and why, as JSON.
    alter table domains add column former_challenge text;

    -- Until when the TXT record of the challenge can be set: before the authority ends the order.
    alter table certificate_orders add column expires_at ${int64};
    -- When every name server was first seen to have the TXT record of the challenge.
    alter table certificate_orders add column record_seen_at ${int64};

    -- Authorizations at authorities: while one is valid, our account can request certificates without another
    -- validation. They are deactivated after the domain is removed (RFC 8555, section 7.5.2).
    create table acme_authorizations (
      url text not null primary key,
      directory text not null,
      -- The URL of the account that holds it.
      account text not null,
      domain_id text not null,
      host text not null,
      -- Our upper bound for it.
      expires_at ${int64} not null,
      -- When it is deactivated; null while the domain has it. A process that works on it moves it forward.
      due_at ${int64},
      claim text,
      tries ${int64} not null default 0
    ) ${strict};
    create index acme_authorizations_by_domain on acme_authorizations (domain_id);
    create index acme_authorizations_due on acme_authorizations (due_at) where due_at is not null;
    create index acme_authorizations_by_age on acme_authorizations (expires_at);
  `,
}
