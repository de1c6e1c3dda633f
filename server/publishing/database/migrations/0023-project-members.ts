import type { Migration } from '#kit/database/migrate.ts'

/** Members of projects. The owner is in the row of the project. A process of the release before sees owners only. */
export const migration0023: Migration = {
  id: 23,
  name: 'project members',
  sql: ({ int64, strict }) => `
    create table project_members (
      project_id text not null references projects (id) on delete cascade,
      account_id text not null references accounts (id) on delete cascade,
      role text not null check (role in ('editor', 'viewer')),
      joined_at ${int64} not null,
      primary key (project_id, account_id)
    ) ${strict};
    create index project_members_by_account on project_members (account_id);

    -- For an e-mail address, whether or not an account has it. The role owner offers the project itself.
    create table project_invitations (
      id text not null primary key,
      project_id text not null references projects (id) on delete cascade,
      email text not null,
      email_key text not null,
      role text not null check (role in ('owner', 'editor', 'viewer')),
      created_by text references accounts (id) on delete set null,
      created_at ${int64} not null,
      expires_at ${int64} not null,
      unique (project_id, email_key)
    ) ${strict};
    create index project_invitations_by_email on project_invitations (email_key);
    create index project_invitations_by_expiry on project_invitations (expires_at);
  `,
}
