import type { Migration } from '#kit/database/migrate.ts'

/** Access tokens of one project. Their scope is one that earlier versions do not know, and refuse. */
export const deployTokensMigration: Omit<Migration, 'id'> = {
  name: 'deploy tokens',
  sql: () => `
    alter table access_tokens add column project_id text;
    create index access_tokens_by_project on access_tokens (project_id, created_at)
      where project_id is not null;
  `,
}
