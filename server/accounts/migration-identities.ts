import type { Migration } from '#kit/database/migrate.ts'

/** Identities at an OpenID Connect provider. An account that was created by one has the password hash ''. */
export const identitiesMigration: Omit<Migration, 'id'> = {
  name: 'identities',
  sql: ({ int64, strict }) => `
    create table identities (
      id text not null primary key,
      account_id text not null references accounts (id) on delete cascade,
      -- Together they are the identity; the e-mail address only describes it.
      issuer text not null,
      subject text not null,
      email text,
      created_at ${int64} not null,
      last_used_at ${int64},
      unique (issuer, subject)
    ) ${strict};
    create index identities_by_account on identities (account_id, created_at);
  `,
}
