import type { Migration } from '#kit/database/migrate.ts'

/** Accounts with their sessions, one-time links and personal access tokens. Secrets are hashes alone. */
export const accountsMigration: Omit<Migration, 'id'> = {
  name: 'accounts',
  sql: ({ int64, strict }) => `
    create table accounts (
      id text not null primary key,
      email text not null,
      email_key text not null unique,
      name text not null,
      password_hash text not null,
      role text not null check (role in ('operator', 'member')),
      plan text not null check (plan in ('free', 'paid')),
      created_at ${int64} not null
    ) ${strict};

    create table sessions (
      id text not null primary key,
      account_id text not null references accounts (id) on delete cascade,
      token_hash text not null unique,
      created_at ${int64} not null,
      seen_at ${int64} not null,
      expires_at ${int64} not null,
      -- Kept for a while, because of where it was begun from.
      ended_at ${int64},
      address text not null,
      user_agent text not null
    ) ${strict};
    create index sessions_by_account on sessions (account_id, seen_at);
    create index sessions_by_end on sessions (expires_at);

    create table account_links (
      id text not null primary key,
      kind text not null check (kind in ('set_up', 'invitation', 'password')),
      token_hash text not null unique,
      account_id text references accounts (id) on delete cascade,
      email text,
      role text,
      plan text,
      created_by text references accounts (id) on delete set null,
      created_at ${int64} not null,
      expires_at ${int64} not null,
      used_at ${int64}
    ) ${strict};
    create index account_links_by_end on account_links (expires_at);
    create index account_links_by_account on account_links (account_id);
    create index account_links_by_maker on account_links (created_by);

    create table access_tokens (
      id text not null primary key,
      account_id text not null references accounts (id) on delete cascade,
      label text not null,
      secret_hash text not null,
      scopes text not null,
      created_at ${int64} not null,
      expires_at ${int64} not null,
      last_used_at ${int64}
    ) ${strict};
    create index access_tokens_by_end on access_tokens (expires_at);
    create index access_tokens_by_account on access_tokens (account_id, created_at);
  `,
}
