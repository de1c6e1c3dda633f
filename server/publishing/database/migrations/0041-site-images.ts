import type { Migration } from '#kit/database/migrate.ts'

/** Logos and favicons that were uploaded in the project settings. Each is a reference to its file. */
export const migration0041: Migration = {
  id: 41,
  name: 'site images',
  sql: ({ int64, strict }) => `
    create table site_images (
      project_id text not null references projects (id) on delete cascade,
      name text not null check (name in ('logo', 'favicon')),
      hash text not null,
      type text not null,
      size ${int64} not null,
      -- Null for SVG.
      width ${int64},
      height ${int64},
      uploaded_at ${int64} not null,
      primary key (project_id, name)
    ) ${strict};
    create index site_images_by_hash on site_images (hash);
  `,
}
