import type { Migration } from '#kit/database/migrate.ts'

/**
 * Custom domains. A host may be claimed by several holders (accounts, or all operators), each with its
 * own claim. At most one claim is proven; only that one is served.
 */
export const migration0003: Migration = {
  id: 3,
  name: 'domains',
  sql: ({ int64, strict }) => `
    create table domains (
      id text not null primary key,
      -- Lower-case ASCII, without the trailing dot.
      host text not null,
      project_id text not null,
      -- The account that owns the project, or 'operators'.
      holder text not null,
      -- The required value of the TXT record.
      proof text not null,
      added_at ${int64} not null,
      -- When a user last added the domain or requested verification.
      wanted_at ${int64} not null,
      -- Increases with each change of the state below.
      version ${int64} not null,
      ownership text not null check (ownership in ('unproven', 'proven', 'disputed', 'revoked')),
      proven_by text check (proven_by in ('pointer', 'txt')),
      proven_at ${int64},
      dns text not null check (dns in
        ('unchecked', 'missing', 'conflict', 'wrong_target', 'partial', 'ok', 'drifting', 'lost')),
      -- Whether the host already pointed here when it was added; null until the first conclusive check.
      pointed_when_added ${int64} check (pointed_when_added in (0, 1)),
      checked_at ${int64},
      -- Since when the host no longer points here; when some servers were first seen with old records.
      failing_since ${int64},
      partial_since ${int64}
    ) ${strict};
    create unique index domains_by_host on domains (host, holder);
    create unique index one_proven_claim_for_each_host on domains (host) where ownership = 'proven';
    create index domains_by_project on domains (project_id, host);

    -- The last check of each domain: the diagnosis, and all queries with their responses.
    create table domain_checks (
      domain_id text not null primary key,
      at ${int64} not null,
      judged text not null,
      evidence text not null
    ) ${strict};

    -- The last holder of a removed host. For 90 days other accounts need a TXT record to prove ownership.
    create table domain_tombstones (
      host text not null,
      holder text not null,
      removed_at ${int64} not null,
      held_until ${int64} not null,
      primary key (host, holder)
    ) ${strict};
    create index domain_tombstones_by_age on domain_tombstones (held_until);
  `,
}
