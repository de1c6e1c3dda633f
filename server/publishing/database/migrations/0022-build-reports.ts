import type { Migration } from '#kit/database/migrate.ts'

/** What the build of a deploy found in its sources. Deploys of earlier releases have no report. */
export const migration0022: Migration = {
  id: 22,
  name: 'build reports',
  sql: ({ int64 }) => `
    -- Its number of problems; null while unknown.
    alter table deploys add column warnings ${int64};
    -- The first of them, as JSON.
    alter table deploys add column report text;
    -- 1: problems fail the build.
    alter table deploys add column is_strict ${int64} not null default 0;
  `,
}
