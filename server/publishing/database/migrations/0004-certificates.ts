import type { Migration } from '#kit/database/migrate.ts'

/**
 * How a domain is served, its certificate, and when work is due. Platform hosts have a row among the domains,
 * too (holder 'platform', no project), and get their certificates the same way.
 */
export const migration0004: Migration = {
  id: 4,
  name: 'certificates',
  sql: ({ int64, strict }) => `
    alter table domains add column serving text not null default 'off'
      check (serving in ('off', 'http_only', 'https', 'suspended'));
    alter table domains add column certificate text not null default 'none'
      check (certificate in ('none', 'preflight', 'ordering', 'validating', 'issued', 'renewing',
        'blocked', 'retry_wait', 'expired'));
    -- When the current attempt to get a certificate started.
    alter table domains add column certificate_since ${int64};
    -- When the last attempt reached each step, as JSON.
    alter table domains add column attempt text;
    -- The diagnostic that blocks the certificate request.
    alter table domains add column blocked_by text;
    -- The last error response of the authority, as JSON.
    alter table domains add column problem text;
    alter table domains add column failures ${int64} not null default 0;
    alter table domains add column expires_at ${int64};
    alter table domains add column renew_at ${int64};
    alter table domains add column paused_at ${int64};
    -- When the next DNS check and the next certificate job are due; due_at is the earlier of the two.
    alter table domains add column check_at ${int64};
    alter table domains add column issue_at ${int64};
    alter table domains add column due_at ${int64};
    -- The process that works on it, and the expiry of its lease.
    alter table domains add column lease text;
    alter table domains add column lease_until ${int64};
    -- The response to visitors: the site, or a redirect to another host of the project.
    alter table domains add column role text not null default 'alias'
      check (role in ('primary', 'alias', 'redirect'));
    alter table domains add column redirect_to text;
    alter table domains add column redirect_status ${int64};
    create index domains_due on domains (due_at) where due_at is not null;
    create unique index one_primary_for_each_project on domains (project_id) where role = 'primary';

    create index domains_of_platform on domains (host) where holder = 'platform';

    -- One row for each authority where the platform has an account.
    create table acme_accounts (
      directory text not null primary key,
      url text not null,
      private_key text not null,
      created_at ${int64} not null
    ) ${strict};

    -- The root of the internal certificate authority, for localhost and private networks.
    create table internal_roots (
      id ${int64} not null primary key check (id = 1),
      chain text not null,
      private_key text not null
    ) ${strict};

    -- An open order, at most one for each domain. Any process can resume it.
    -- Token and key authorization are served to every client: first those of the pre-check, which tests that the
    -- response is reachable, then those of the authority.
    create table certificate_orders (
      domain_id text not null primary key,
      host text not null,
      registered_domain text not null,
      directory text not null,
      step text not null check (step in ('new', 'ordered', 'answered', 'ready', 'finalized')),
      order_url text,
      challenge_type text,
      token text not null,
      key_authorization text not null,
      private_key text not null,
      replaces text,
      begun_at ${int64} not null
    ) ${strict};
    -- Anyone may request a challenge, by host.
    create index certificate_orders_by_host on certificate_orders (host);
    create index certificate_orders_by_domain on certificate_orders (directory, registered_domain);

    create table certificates (
      id text not null primary key,
      domain_id text not null,
      host text not null,
      -- The display name of the authority, and its directory; 'internal' for the internal authority.
      issuer text not null,
      directory text not null,
      chain text not null,
      private_key text not null,
      fingerprint text not null,
      serial text not null,
      not_before ${int64} not null,
      not_after ${int64} not null,
      issued_at ${int64} not null,
      -- Identifies the certificate at the authority (RFC 9773); null for the internal authority.
      renewal_id text,
      is_current ${int64} not null check (is_current in (0, 1))
    ) ${strict};
    create unique index one_current_certificate_for_each_domain on certificates (domain_id)
      where is_current = 1;
    create index certificates_by_age on certificates (not_after);

    -- Requests to authorities, kept for the longest window of their rate limits.
    create table authority_ledger (
      id text not null primary key,
      directory text not null,
      host text not null,
      registered_domain text not null,
      -- A renewal replaces a certificate (RFC 9773); rate limits do not count it.
      kind text not null check (kind in ('order', 'failed_validation', 'certificate', 'renewal')),
      -- The error of the failed validation.
      challenge_type text,
      at ${int64} not null
    ) ${strict};
    create index authority_ledger_by_host on authority_ledger (directory, host, at);
    create index authority_ledger_by_domain on authority_ledger (directory, registered_domain, at);
    create index authority_ledger_by_age on authority_ledger (at);

    -- Hosts that are no longer served, with the first version without them. Each process closes their connections.
    create table withdrawn_hosts (
      version ${int64} not null,
      host text not null,
      at ${int64} not null,
      -- Connections closed, summed over all processes.
      cut ${int64} not null default 0,
      primary key (version, host)
    ) ${strict};

    -- Each serving process: its heartbeat, and the version up to which it has closed connections.
    create table nodes (
      id text not null primary key,
      seen_at ${int64} not null,
      version ${int64} not null
    ) ${strict};
  `,
}
