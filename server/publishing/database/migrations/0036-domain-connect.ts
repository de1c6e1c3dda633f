import type { Migration } from '#kit/database/migrate.ts'

/** One click at DNS providers (Domain Connect): the keys that sign its links, and the clicks. */
export const migration0036: Migration = {
  id: 36,
  name: 'domain connect',
  sql: ({ int64, strict }) => `
    -- The newest active key signs. A retired one is kept while its links may still be open.
    create table connect_keys (
      label text not null primary key,
      -- PEM, encrypted.
      private_key text not null,
      created_at ${int64} not null,
      activated_at ${int64},
      retired_at ${int64}
    ) ${strict};

    create table domain_connections (
      -- SHA-256 of the state that the DNS provider returns, in hexadecimal.
      id text not null primary key,
      domain_id text not null references domains (id) on delete cascade,
      account_id text not null,
      -- The session that started it; null for an access token.
      session_id text,
      provider text not null,
      record_groups text not null,
      started_at ${int64} not null,
      expires_at ${int64} not null,
      returned_at ${int64},
      -- Set with returned_at: done, cancelled or failed, as the provider says.
      outcome text,
      error text
    ) ${strict};
    create index domain_connections_by_domain on domain_connections (domain_id, started_at);
    create index domain_connections_by_expiry on domain_connections (expires_at);

    -- When a link with its verification token was made last. Such a link works as long as the token does.
    alter table domains add column connect_linked_at ${int64};
  `,
}
