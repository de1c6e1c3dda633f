import type { Migration } from '#kit/database/migrate.ts'

/**
 * Previews: deploys at an address of their own. A process of the release before never makes one of them live: its
 * switch fails at the constraint.
 */
export const migration0020: Migration = {
  id: 20,
  name: 'previews',
  sql: ({ int64, strict }) => `
    -- The preview for which it was deployed; null for a deploy of the site. Built ones are superseded in the table.
    alter table deploys add column preview text check (preview is null or state <> 'live');
    create index deploys_by_preview on deploys (project_id, preview, number) where preview is not null;

    create table previews (
      project_id text not null,
      name text not null,
      -- The deploy that it shows; null until one is built.
      number ${int64},
      -- Null: everyone with the address can see it.
      password_hash text,
      created_at ${int64} not null,
      expires_at ${int64} not null,
      primary key (project_id, name)
    ) ${strict};
    create index previews_by_expiry on previews (expires_at);
  `,
}
