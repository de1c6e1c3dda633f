import type { Migration } from '#kit/database/migrate.ts'

/** Mails about invitations to projects and offers of them, until they are sent, and for a while as what was sent. */
export const migration0042: Migration = {
  id: 42,
  name: 'project notices',
  sql: ({ int64, strict }) => `
    create table project_notices (
      id text not null primary key,
      project_id text not null references projects (id) on delete cascade,
      -- Who receives it, and who caused it.
      recipient text not null references accounts (id) on delete cascade,
      actor text references accounts (id) on delete set null,
      kind text not null check (kind in ('invited', 'offered', 'accepted', 'declined')),
      created_at ${int64} not null,
      -- Null once it is sent or given up.
      due_at ${int64},
      claim text,
      tries ${int64} not null default 0
    ) ${strict};
    create index project_notices_due on project_notices (due_at) where due_at is not null;
    create index project_notices_by_project on project_notices (project_id, created_at);
    create index project_notices_by_recipient on project_notices (recipient, created_at);
    create index project_notices_by_age on project_notices (created_at);
  `,
}
