import type { Migration } from '#kit/database/migrate.ts'

/** Settings of sites that are chosen in the dashboard, as JSON. A process of the release before builds without them. */
export const migration0025: Migration = {
  id: 25,
  name: 'site settings',
  sql: ({ int64, strict }) => `
    create table site_settings (
      project_id text not null primary key references projects (id) on delete cascade,
      settings text not null,
      changed_at ${int64} not null
    ) ${strict};
  `,
}
