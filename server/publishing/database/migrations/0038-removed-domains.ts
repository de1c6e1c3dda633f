import type { Migration } from '#kit/database/migrate.ts'

/** The DNS records to delete after a domain was removed, and whether they were found since. */
export const migration0038: Migration = {
  id: 38,
  name: 'removed domains',
  sql: ({ int64, strict }) => `
    -- The last removal of a host from a project. Without records to delete there is none.
    create table removed_domains (
      project_id text not null,
      host text not null,
      -- Of the domain, and of its holder, as they were.
      domain_id text not null,
      holder text not null,
      removed_at ${int64} not null,
      -- What was told, with the answers of the name servers at the last check, as JSON.
      records text not null,
      checked_at ${int64},
      -- When it is checked next in the background; null once all records are deleted.
      due_at ${int64},
      claim text,
      -- When the owner was notified that records are left.
      notified_at ${int64},
      kept_until ${int64} not null,
      primary key (project_id, host)
    ) ${strict};
    create index removed_domains_by_time on removed_domains (project_id, removed_at);
    create index removed_domains_by_host on removed_domains (host);
    create index removed_domains_due on removed_domains (due_at) where due_at is not null;
    create index removed_domains_kept on removed_domains (kept_until);
  `,
}
