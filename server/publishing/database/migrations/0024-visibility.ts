import type { Migration } from '#kit/database/migrate.ts'

/** Who may see the site of a project. A process of the release before shows every site to everyone. */
export const migration0024: Migration = {
  id: 24,
  name: 'visibility',
  sql: ({ int64, strict }) => `
    alter table projects add column site_password_hash text;
    alter table projects add column visibility text not null default 'public' check (
      visibility in ('public', 'members') or (visibility = 'password' and site_password_hash is not null)
    );

    -- Each lets a browser in at one host, once, with the session of the dashboard that asked for it.
    create table site_access_codes (
      code_hash text not null primary key,
      session_id text not null references sessions (id) on delete cascade,
      host text not null,
      project_id text not null references projects (id) on delete cascade,
      -- The hash of what the browser has in a cookie of the host.
      state text not null,
      expires_at ${int64} not null,
      unique (session_id, host)
    ) ${strict};
    create index site_access_codes_by_expiry on site_access_codes (expires_at);
    create index site_access_codes_by_project on site_access_codes (project_id);
  `,
}
