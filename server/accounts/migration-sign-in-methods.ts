import type { Migration } from '#kit/database/migrate.ts'

/** Second factors and passkeys; how each session was started. */
export const signInMethodsMigration: Omit<Migration, 'id'> = {
  name: 'sign-in methods',
  sql: ({ int64, strict }) => `
    alter table sessions add column signed_in_by text not null default 'password';

    -- The secret of an authenticator app, encrypted. Off until it is confirmed.
    create table one_time_codes (
      account_id text not null primary key references accounts (id) on delete cascade,
      secret text not null,
      created_at ${int64} not null,
      confirmed_at ${int64},
      -- The step of the last accepted code: each is accepted once.
      last_step ${int64} not null
    ) ${strict};

    create table recovery_codes (
      account_id text not null references accounts (id) on delete cascade,
      code_hash text not null,
      used_at ${int64},
      primary key (account_id, code_hash)
    ) ${strict};

    create table passkeys (
      -- The credential id, in base64url.
      id text not null primary key,
      account_id text not null references accounts (id) on delete cascade,
      label text not null,
      -- COSE, in base64url.
      public_key text not null,
      counter ${int64} not null,
      -- Separated by spaces.
      transports text not null,
      created_at ${int64} not null,
      last_used_at ${int64}
    ) ${strict};
    create index passkeys_by_account on passkeys (account_id, created_at);

    -- Challenges that have been answered, until they expire: each is accepted once.
    create table used_challenges (
      challenge_hash text not null primary key,
      expires_at ${int64} not null
    ) ${strict};
    create index used_challenges_by_end on used_challenges (expires_at);
  `,
}
