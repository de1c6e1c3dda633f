import type { Migration } from '#kit/database/migrate.ts'

/** What a deploy changes, in the words of its author, and how it was created. */
export const migration0018: Migration = {
  id: 18,
  name: 'origins of deploys',
  sql: () => `
    alter table deploys add column message text;
    -- As in the audit log: session, token, command_line, program. Null for deploys of earlier releases.
    alter table deploys add column created_via text;
    -- Of the access token, which may be deleted.
    alter table deploys add column token_label text;
  `,
}
