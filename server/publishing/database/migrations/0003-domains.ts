import type { Migration } from '../../../platform/database/migrate.ts'

/**
 * Custom domains. A host may be claimed by several holders (accounts, or the operators in common), each
 * with a claim of his own; one at most is proven, and that is the one that is served.
 */
export const migration0003: Migration = {
  id: 3,
  name: 'domains',
  sql: ({ int64, strict }) => `
    create table domains (
      id text not null primary key,
      -- Lower-case ASCII, without the dot at the end.
      host text not null,
      project_id text not null,
      -- The account that owns the project, or 'operators'.
      holder text not null,
      -- What the TXT record has to say.
      proof text not null,
      added_at ${int64} not null,
      -- When a person last wanted it: added it, or had it verified.
      wanted_at ${int64} not null,
      -- Moves with each change of the state below.
      version ${int64} not null,
      ownership text not null check (ownership in ('unproven', 'proven', 'disputed', 'revoked')),
      proven_by text check (proven_by in ('pointer', 'txt')),
      proven_at ${int64},
      dns text not null check (dns in
        ('unchecked', 'missing', 'conflict', 'wrong_target', 'partial', 'ok', 'drifting', 'lost')),
      -- Whether the host led here already when it was added; null until a check could tell.
      pointed_when_added ${int64} check (pointed_when_added in (0, 1)),
      checked_at ${int64},
      -- Since when it has not led here although it did; when some servers were first seen to lag behind.
      failing_since ${int64},
      partial_since ${int64}
    ) ${strict};
    create unique index domains_by_host on domains (host, holder);
    create unique index one_proven_claim_for_each_host on domains (host) where ownership = 'proven';
    create index domains_by_project on domains (project_id, host);

    -- The last check of each domain: what was found, and everything that was asked and answered.
    create table domain_checks (
      domain_id text not null primary key,
      at ${int64} not null,
      judged text not null,
      evidence text not null
    ) ${strict};

    -- Who held a host until he removed it: for 90 days a pointer alone gives it to nobody else.
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
