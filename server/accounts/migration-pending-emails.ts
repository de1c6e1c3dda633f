import type { Migration } from '#kit/database/migrate.ts'

/** Addresses that accounts change to once they are confirmed. Invitations name their address from now on. */
export const pendingEmailsMigration: Omit<Migration, 'id'> = {
  name: 'pending e-mail addresses',
  sql: ({ int64, strict }) => `
    create table pending_emails (
      account_id text not null primary key references accounts (id) on delete cascade,
      email text not null,
      email_key text not null,
      token_hash text not null unique,
      requested_at ${int64} not null
    ) ${strict};
    create index pending_emails_by_age on pending_emails (requested_at);

    -- Invitations for any address could tell which addresses have accounts.
    delete from account_links where kind = 'invitation' and email is null and used_at is null;
  `,
}
