import type { Migration } from '#kit/database/migrate.ts'

/**
 * Projects, their deploys, and the files of these by content. A file is kept as long as anything refers
 * to it: an upload that no deploy has taken yet, the sources of a deploy, or its published files.
 */
export const migration0002: Migration = {
  id: 2,
  name: 'projects and deploys',
  sql: ({ bytes, int64, strict }) => `
    -- One row: the lock that orders writes, and the version that validates caches.
    create table publishing_state (
      id ${int64} not null primary key check (id = 1),
      version ${int64} not null,
      -- 1 once the program has created its first project, which the operator may remove permanently.
      first_project ${int64} not null
    ) ${strict};
    insert into publishing_state values (1, 0, 0);

    create table projects (
      id text not null primary key,
      -- Null for projects that belong to all operators.
      owner_id text references accounts (id),
      name text not null,
      -- The number of deploys so far, and the number of the live one.
      last_deploy ${int64} not null,
      live_deploy ${int64},
      -- The content that the program itself publishes here; null for all other projects.
      built_in text,
      created_at ${int64} not null
    ) ${strict};
    create index projects_by_owner on projects (owner_id, id);

    -- Every slug a project has or had. One that is not current redirects; one without a project is held
    -- for its last owner until held_until.
    create table slugs (
      slug text not null primary key,
      project_id text,
      owner_id text,
      is_current ${int64} not null check (is_current in (0, 1)),
      held_until ${int64}
    ) ${strict};
    create index slugs_by_project on slugs (project_id);
    create index slugs_held on slugs (owner_id, held_until) where project_id is null;
    create unique index one_current_slug_for_each_project on slugs (project_id) where is_current = 1;

    create table files (
      hash text not null primary key,
      size ${int64} not null,
      content ${bytes} not null,
      -- Null if compression does not help; coded says whether it was tried.
      gzip ${bytes},
      brotli ${bytes},
      coded ${int64} not null check (coded in (0, 1))
    ) ${strict};

    create table uploads (
      project_id text not null,
      hash text not null,
      -- The archive that contained the file; if the archive is refused, its files are removed. Empty for a single file.
      archive text not null,
      size ${int64} not null,
      uploaded_at ${int64} not null,
      primary key (project_id, archive, hash)
    ) ${strict};
    create index uploads_by_age on uploads (uploaded_at);
    create index uploads_by_hash on uploads (hash, project_id);

    create table deploys (
      project_id text not null,
      number ${int64} not null,
      state text not null check (state in
        ('receiving', 'uploaded', 'building', 'live', 'superseded', 'failed', 'removed')),
      -- Whether the sources are served unchanged or rendered. Null until that is known.
      kind text check (kind in ('ready', 'rendered')),
      source text not null check (source in ('archive', 'folder', 'built_in')),
      created_by text,
      created_at ${int64} not null,
      finished_at ${int64},
      source_files ${int64} not null,
      source_bytes ${int64} not null,
      site_files ${int64} not null,
      site_bytes ${int64} not null,
      failure text,
      failure_file text,
      failure_line ${int64},
      -- The process that builds it, the expiry of its lease, and the number of attempts.
      lease text,
      lease_until ${int64},
      attempts ${int64} not null,
      primary key (project_id, number)
    ) ${strict};
    create index deploys_to_build on deploys (created_at) where state in ('uploaded', 'building');
    -- Its sources are written in several transactions; the process may stop before the last one.
    create index deploys_received on deploys (created_at) where state = 'receiving';
    -- The content of a removed project is deleted in small steps, then its row.
    create index deploys_to_sweep on deploys (project_id, number) where state = 'removed';

    create table deploy_sources (
      project_id text not null,
      number ${int64} not null,
      path text not null,
      hash text not null,
      primary key (project_id, number, path)
    ) ${strict};
    create index deploy_sources_by_hash on deploy_sources (hash, project_id);

    create table deploy_files (
      project_id text not null,
      number ${int64} not null,
      path text not null,
      hash text not null,
      primary key (project_id, number, path)
    ) ${strict};
    create index deploy_files_by_hash on deploy_files (hash);
  `,
}
