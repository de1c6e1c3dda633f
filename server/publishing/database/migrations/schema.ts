// The tables of 1.0.0-rc.1, apart from those of accounts. They never change: what is new is in publishing-migrations.ts.
import { accountTables } from '#accounts/people/tables.ts'
import { createTables, type Migration } from '#kit/database/declared-tables.ts'

export const tables = {
  // One row: the lock that orders writes, and the version that validates caches.
  publishing_state: {
    id: 'int64 not null primary key check (id = 1)',
    version: 'int64 not null',
    // 1 once the program has created its first project, which the operator may remove permanently.
    first_project: 'int64 not null',
    // The position of the last event. It increases under the lock, so that positions follow the order of commits.
    last_event: 'int64 not null default 0',
  },
  // Each has one site.
  projects: {
    id: 'text not null primary key',
    // Null for projects that belong to all operators.
    owner_id: 'text references accounts (id)',
    name: 'text not null',
    // The number of deploys so far, and the number of the live one.
    last_deploy: 'int64 not null',
    live_deploy: 'int64',
    // The content that the program itself publishes here; null for all other projects.
    built_in: 'text',
    created_at: 'int64 not null',
  },
  // Every slug a project has or had. One that is not current redirects; one without a project is held
  // for its last owner until held_until.
  slugs: {
    slug: 'text not null primary key',
    project_id: 'text',
    owner_id: 'text',
    is_current: 'int64 not null check (is_current in (0, 1))',
    held_until: 'int64',
  },
  // Files of deploys by content. One is kept as long as anything refers to it: an upload that no deploy has
  // taken yet, the sources of a deploy, or its published files.
  files: {
    hash: 'text not null primary key',
    size: 'int64 not null',
    content: 'bytes not null',
    // Null if compression does not help; coded says whether it was tried.
    gzip: 'bytes',
    brotli: 'bytes',
    coded: 'int64 not null check (coded in (0, 1))',
  },
  // Files that no deploy has taken yet.
  uploads: {
    project_id: 'text not null',
    hash: 'text not null',
    // The archive that contained the file; if the archive is refused, its files are removed. Empty for a single file.
    archive: 'text not null',
    size: 'int64 not null',
    uploaded_at: 'int64 not null',
    'primary key': '(project_id, archive, hash)',
  },
  // Versions of sites, numbered within a project.
  deploys: {
    project_id: 'text not null',
    number: 'int64 not null',
    state: `text not null check (state in
      ('receiving', 'uploaded', 'building', 'live', 'superseded', 'failed', 'removed'))`,
    // Whether the sources are served unchanged or rendered. Null until that is known.
    kind: "text check (kind in ('ready', 'rendered'))",
    source: "text not null check (source in ('archive', 'folder', 'built_in'))",
    created_by: 'text',
    created_at: 'int64 not null',
    finished_at: 'int64',
    source_files: 'int64 not null',
    source_bytes: 'int64 not null',
    site_files: 'int64 not null',
    site_bytes: 'int64 not null',
    failure: 'text',
    failure_file: 'text',
    failure_line: 'int64',
    // The process that builds it, the expiry of its lease, and the number of attempts.
    lease: 'text',
    lease_until: 'int64',
    attempts: 'int64 not null',
    'primary key': '(project_id, number)',
  },
  // What was uploaded for a deploy.
  deploy_sources: {
    project_id: 'text not null',
    number: 'int64 not null',
    path: 'text not null',
    hash: 'text not null',
    'primary key': '(project_id, number, path)',
  },
  // What is served of a deploy.
  deploy_files: {
    project_id: 'text not null',
    number: 'int64 not null',
    path: 'text not null',
    hash: 'text not null',
    'primary key': '(project_id, number, path)',
  },
  // Claims of hosts. A host may be claimed by several holders, each with its own claim; at most one claim is proven, and
  // only that one is served. Platform hosts have a row, too (holder 'platform', no project).
  domains: {
    id: 'text not null primary key',
    // Lower-case ASCII, without the trailing dot.
    host: 'text not null',
    project_id: 'text not null',
    // The account that owns the project, or 'operators'.
    holder: 'text not null',
    // The required value of the TXT record.
    verification_token: 'text not null',
    added_at: 'int64 not null',
    // When a user last added the domain or requested verification.
    verification_requested_at: 'int64 not null',
    // Increases with each change of the state below.
    version: 'int64 not null',
    ownership: "text not null check (ownership in ('unproven', 'proven', 'disputed', 'revoked'))",
    proven_by: "text check (proven_by in ('pointer', 'txt'))",
    proven_at: 'int64',
    dns: `text not null check (dns in
      ('unchecked', 'missing', 'conflict', 'wrong_target', 'partial', 'ok', 'drifting', 'lost'))`,
    // Whether the host already pointed here when it was added; null until the first conclusive check.
    pointed_when_added: 'int64 check (pointed_when_added in (0, 1))',
    checked_at: 'int64',
    // Since when the host no longer points here; when some servers were first seen with old records.
    failing_since: 'int64',
    partial_since: 'int64',
    serving:
      "text not null default 'off' check (serving in ('off', 'http_only', 'https', 'suspended'))",
    certificate: `text not null default 'none'
      check (certificate in ('none', 'preflight', 'ordering', 'validating', 'issued', 'renewing',
      'blocked', 'retry_wait', 'expired'))`,
    // When the current attempt to get a certificate started.
    certificate_since: 'int64',
    // When the last attempt reached each step, as JSON.
    attempt: 'text',
    // The diagnostic that blocks the certificate request.
    blocked_by: 'text',
    // The last error response of the authority, as JSON.
    problem: 'text',
    failures: 'int64 not null default 0',
    expires_at: 'int64',
    renew_at: 'int64',
    paused_at: 'int64',
    // When the next DNS check and the next certificate job are due; due_at is the earlier of the two.
    check_at: 'int64',
    issue_at: 'int64',
    due_at: 'int64',
    // The process that works on it, and the expiry of its lease.
    lease: 'text',
    lease_until: 'int64',
    // The response to visitors: the site, or a redirect to another host of the project.
    role: "text not null default 'alias' check (role in ('primary', 'alias', 'redirect'))",
    redirect_to: 'text',
    redirect_status: 'int64',
    // So that each change is notified once: some badges change with time alone. The constraint has the name that
    // PostgreSQL gave it there.
    last_notified:
      "text constraint domains_told_check check (last_notified in ('active', 'at_risk', 'failed'))",
  },
  // The last check of each domain: the diagnosis, and all queries with their responses.
  domain_checks: {
    domain_id: 'text not null primary key',
    at: 'int64 not null',
    judged: 'text not null',
    evidence: 'text not null',
  },
  // The last holder of a removed host. For 90 days other accounts need a TXT record to prove ownership.
  domain_tombstones: {
    host: 'text not null',
    holder: 'text not null',
    removed_at: 'int64 not null',
    held_until: 'int64 not null',
    'primary key': '(host, holder)',
  },
  // What happened to domains, in order.
  domain_events: {
    position: 'int64 not null primary key',
    id: 'text not null unique',
    at: 'int64 not null',
    // Empty for platform hosts.
    project_id: 'text not null',
    host: 'text not null',
    domain_id: 'text not null',
    type: 'text not null',
    // The account that caused it; null for the program itself.
    actor: 'text',
    detail: 'text not null',
  },
  // Where projects get the events of their domains.
  domain_webhooks: {
    project_id: 'text not null primary key',
    url: 'text not null',
    // Encrypted.
    secret: 'text not null',
    created_at: 'int64 not null',
    // The result of the last attempt.
    attempted_at: 'int64',
    status: 'int64',
    error: 'text',
    failing_since: 'int64',
  },
  // Pending notifications of an event.
  domain_notices: {
    position: 'int64 not null',
    channel: "text not null check (channel in ('mail', 'webhook'))",
    // The account that gets the e-mail; empty for the webhook of the project.
    recipient: 'text not null',
    project_id: 'text not null',
    domain_id: 'text not null',
    created_at: 'int64 not null',
    // When the next attempt is due; during an attempt, when the lease expires.
    due_at: 'int64 not null',
    claim: 'text',
    tries: 'int64 not null',
    'primary key': '(position, channel, recipient)',
  },
  // One row for each authority where the platform has an account.
  acme_accounts: {
    directory: 'text not null primary key',
    url: 'text not null',
    private_key: 'text not null',
    created_at: 'int64 not null',
  },
  // The root of the internal certificate authority, for localhost and private networks.
  internal_roots: {
    id: 'int64 not null primary key check (id = 1)',
    chain: 'text not null',
    private_key: 'text not null',
  },
  // An open order, at most one for each domain. Any process can resume it.
  // Token and key authorization are served to every client: first those of the pre-check, which tests that the
  // response is reachable, then those of the authority.
  certificate_orders: {
    domain_id: 'text not null primary key',
    host: 'text not null',
    registered_domain: 'text not null',
    directory: 'text not null',
    step: "text not null check (step in ('new', 'ordered', 'answered', 'ready', 'finalized'))",
    order_url: 'text',
    challenge_type: 'text',
    token: 'text not null',
    key_authorization: 'text not null',
    private_key: 'text not null',
    replaces: 'text',
    begun_at: 'int64 not null',
  },
  // Issued certificates with their keys.
  certificates: {
    id: 'text not null primary key',
    domain_id: 'text not null',
    host: 'text not null',
    // The display name of the authority, and its directory; 'internal' for the internal authority.
    issuer: 'text not null',
    directory: 'text not null',
    chain: 'text not null',
    private_key: 'text not null',
    fingerprint: 'text not null',
    serial: 'text not null',
    not_before: 'int64 not null',
    not_after: 'int64 not null',
    issued_at: 'int64 not null',
    // Identifies the certificate at the authority (RFC 9773); null for the internal authority.
    renewal_id: 'text',
    is_current: 'int64 not null check (is_current in (0, 1))',
  },
  // Requests to authorities, kept for the longest window of their rate limits.
  authority_ledger: {
    id: 'text not null primary key',
    directory: 'text not null',
    host: 'text not null',
    registered_domain: 'text not null',
    // A renewal replaces a certificate (RFC 9773); rate limits do not count it.
    kind: "text not null check (kind in ('order', 'failed_validation', 'certificate', 'renewal'))",
    // The error of the failed validation.
    challenge_type: 'text',
    at: 'int64 not null',
  },
  // Hosts that are no longer served, with the first version without them. Each process closes their connections.
  withdrawn_hosts: {
    version: 'int64 not null',
    host: 'text not null',
    at: 'int64 not null',
    // Connections closed, summed over all processes.
    cut: 'int64 not null default 0',
    'primary key': '(version, host)',
  },
  // Each serving process: its heartbeat, and the version up to which it has closed connections.
  nodes: {
    id: 'text not null primary key',
    seen_at: 'int64 not null',
    version: 'int64 not null',
  },
} as const

const statements = [
  'insert into publishing_state values (1, 0, 0, 0)',
  'create index sessions_by_account on sessions (account_id, seen_at)',
  'create index sessions_by_end on sessions (expires_at)',
  'create index account_links_by_end on account_links (expires_at)',
  'create index account_links_by_account on account_links (account_id)',
  'create index account_links_by_maker on account_links (created_by)',
  'create index access_tokens_by_end on access_tokens (expires_at)',
  'create index access_tokens_by_account on access_tokens (account_id, created_at)',
  'create index projects_by_owner on projects (owner_id, id)',
  'create index slugs_by_project on slugs (project_id)',
  'create index slugs_held on slugs (owner_id, held_until) where project_id is null',
  'create unique index one_current_slug_for_each_project on slugs (project_id) where is_current = 1',
  'create index uploads_by_age on uploads (uploaded_at)',
  'create index uploads_by_hash on uploads (hash, project_id)',
  "create index deploys_to_build on deploys (created_at) where state in ('uploaded', 'building')",
  // Its sources are written in several transactions; the process may stop before the last one.
  "create index deploys_received on deploys (created_at) where state = 'receiving'",
  // The content of a removed project is deleted in small steps, then its row.
  "create index deploys_to_sweep on deploys (project_id, number) where state = 'removed'",
  'create index deploy_sources_by_hash on deploy_sources (hash, project_id)',
  'create index deploy_files_by_hash on deploy_files (hash)',
  'create unique index domains_by_host on domains (host, holder)',
  "create unique index one_proven_claim_for_each_host on domains (host) where ownership = 'proven'",
  'create index domains_by_project on domains (project_id, host)',
  'create index domains_due on domains (due_at) where due_at is not null',
  "create unique index one_primary_for_each_project on domains (project_id) where role = 'primary'",
  "create index domains_of_platform on domains (host) where holder = 'platform'",
  'create index domain_tombstones_by_age on domain_tombstones (held_until)',
  'create index domain_events_by_project on domain_events (project_id, position)',
  'create index domain_events_by_host on domain_events (project_id, host, position)',
  'create index domain_events_by_age on domain_events (at)',
  'create index domain_notices_due on domain_notices (channel, due_at)',
  'create index domain_notices_in_order on domain_notices (domain_id, channel, recipient, position)',
  'create index domain_notices_by_project on domain_notices (project_id, channel)',
  // Anyone may request a challenge, by host.
  'create index certificate_orders_by_host on certificate_orders (host)',
  'create index certificate_orders_by_domain on certificate_orders (directory, registered_domain)',
  `create unique index one_current_certificate_for_each_domain on certificates (domain_id)
    where is_current = 1`,
  'create index certificates_by_age on certificates (not_after)',
  'create index authority_ledger_by_host on authority_ledger (directory, host, at)',
  'create index authority_ledger_by_domain on authority_ledger (directory, registered_domain, at)',
  'create index authority_ledger_by_age on authority_ledger (at)',
]

/** The last migration of 1.0.0-rc.1 had this number. */
export const schema: Migration = {
  id: 6,
  name: 'schema of 1.0.0-rc.1',
  sql: (types) => createTables({ ...accountTables, ...tables }, types) + statements.join(';\n'),
}
