import type { Migration } from '#kit/database/migrate.ts'

/** What visitors of sites did, without anything about the visitors. */
export const migration0021: Migration = {
  id: 21,
  name: 'visits',
  sql: ({ int64, strict }) => `
    create table visits (
      project_id text not null references projects (id) on delete cascade,
      -- The start of the UTC day, in milliseconds since the epoch.
      day ${int64} not null,
      -- view, not_found or search (without a result).
      kind text not null,
      -- The path or what was searched for. Empty for all names over the limit of a day.
      name text not null,
      count ${int64} not null,
      primary key (project_id, day, kind, name)
    ) ${strict};
    create index visits_by_day on visits (day);
  `,
}
