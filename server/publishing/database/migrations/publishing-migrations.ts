// All migrations of the publishing database, in order. It also stores accounts.
import { addedAccountColumns, newAccountTables } from '#accounts/people/tables.ts'
import { createAuditLog } from '#kit/audit/tables.ts'
import { addColumns, createTables, type Migration } from '#kit/database/declared-tables.ts'
import { schema } from './schema.ts'

const newTables = {
  // The owner of a project is in its row.
  project_members: {
    project_id: 'text not null references projects (id) on delete cascade',
    account_id: 'text not null references accounts (id) on delete cascade',
    role: "text not null check (role in ('editor', 'viewer'))",
    joined_at: 'int64 not null',
    'primary key': '(project_id, account_id)',
  },
  // For an e-mail address, whether or not an account has it. The role owner offers the project itself.
  project_invitations: {
    id: 'text not null primary key',
    project_id: 'text not null references projects (id) on delete cascade',
    email: 'text not null',
    email_key: 'text not null',
    role: "text not null check (role in ('owner', 'editor', 'viewer'))",
    created_by: 'text references accounts (id) on delete set null',
    created_at: 'int64 not null',
    expires_at: 'int64 not null',
    unique: '(project_id, email_key)',
  },
  // Mails about invitations and offers, until they are sent, and for a while as what was sent.
  project_notices: {
    id: 'text not null primary key',
    project_id: 'text not null references projects (id) on delete cascade',
    // Who receives it, and who caused it.
    recipient: 'text not null references accounts (id) on delete cascade',
    actor: 'text references accounts (id) on delete set null',
    kind: "text not null check (kind in ('invited', 'offered', 'accepted', 'declined'))",
    created_at: 'int64 not null',
    // Null once it is sent or given up.
    due_at: 'int64',
    claim: 'text',
    tries: 'int64 not null default 0',
  },
  // Each lets a browser in at one host, once, with the session of the dashboard that asked for it.
  site_access_codes: {
    code_hash: 'text not null primary key',
    session_id: 'text not null references sessions (id) on delete cascade',
    host: 'text not null',
    project_id: 'text not null references projects (id) on delete cascade',
    // The hash of what the browser has in a cookie of the host.
    state: 'text not null',
    expires_at: 'int64 not null',
    unique: '(session_id, host)',
  },
  // Settings of sites that are chosen in the dashboard, as JSON.
  site_settings: {
    project_id: 'text not null primary key references projects (id) on delete cascade',
    settings: 'text not null',
    changed_at: 'int64 not null',
  },
  // Logos and favicons that were uploaded in the project settings. Each is a reference to its file.
  site_images: {
    project_id: 'text not null references projects (id) on delete cascade',
    name: "text not null check (name in ('logo', 'favicon'))",
    hash: 'text not null',
    type: 'text not null',
    size: 'int64 not null',
    // Null for SVG.
    width: 'int64',
    height: 'int64',
    uploaded_at: 'int64 not null',
    'primary key': '(project_id, name)',
  },
  // What visitors of sites did, without anything about the visitors.
  visits: {
    project_id: 'text not null references projects (id) on delete cascade',
    // The start of the UTC day, in milliseconds since the epoch.
    day: 'int64 not null',
    // view, not_found or search (without a result).
    kind: 'text not null',
    // The path or what was searched for. Empty for all names over the limit of a day.
    name: 'text not null',
    count: 'int64 not null',
    'primary key': '(project_id, day, kind, name)',
  },
  // Deploys at an address of their own.
  previews: {
    project_id: 'text not null',
    name: 'text not null',
    // The deploy that it shows; null until one is built.
    number: 'int64',
    // Null: everyone with the address can see it.
    password_hash: 'text',
    created_at: 'int64 not null',
    expires_at: 'int64 not null',
    'primary key': '(project_id, name)',
  },
  // The number of the last build of each owner: who waited longest builds next. Empty for the operators.
  build_turns: {
    owner: 'text not null primary key',
    turn: 'int64 not null',
  },
  // What is in the object storage.
  objects: {
    key: 'text not null primary key',
    // From then on it may be deleted. Null while a file refers to it.
    delete_at: 'int64',
  },
  // One row: the process that moves files, and the expiry of its lease.
  object_storage: {
    id: 'int64 not null primary key check (id = 1)',
    lease: 'text',
    lease_until: 'int64',
    // The ids by which this installation owns its bucket (bucket-owner.ts).
    owner: 'text',
    previous_owner: 'text',
  },
  // Authorizations at authorities: while one is valid, our account can request certificates without another
  // validation. They are deactivated after the domain is removed (RFC 8555, section 7.5.2).
  acme_authorizations: {
    url: 'text not null primary key',
    directory: 'text not null',
    // The URL of the account that holds it.
    account: 'text not null',
    domain_id: 'text not null',
    host: 'text not null',
    // Our upper bound for it.
    expires_at: 'int64 not null',
    // When it is deactivated; null while the domain has it. A process that works on it moves it forward.
    due_at: 'int64',
    claim: 'text',
    tries: 'int64 not null default 0',
  },
  // The keys that sign links to DNS providers (Domain Connect). The newest active one signs; a retired one is kept while
  // its links may still be open.
  connect_keys: {
    label: 'text not null primary key',
    // PEM, encrypted.
    private_key: 'text not null',
    created_at: 'int64 not null',
    activated_at: 'int64',
    retired_at: 'int64',
  },
  // Clicks on these links.
  domain_connections: {
    // SHA-256 of the state that the DNS provider returns, in hexadecimal.
    id: 'text not null primary key',
    domain_id: 'text not null references domains (id) on delete cascade',
    account_id: 'text not null',
    // The session that started it; null for an access token.
    session_id: 'text',
    provider: 'text not null',
    record_groups: 'text not null',
    started_at: 'int64 not null',
    expires_at: 'int64 not null',
    returned_at: 'int64',
    // Set with returned_at: done, cancelled or failed, as the provider says.
    outcome: 'text',
    error: 'text',
  },
} as const

const addedColumns = {
  projects: {
    site_password_hash: 'text',
    // Who may see the site.
    visibility: `text not null default 'public' check (
      visibility in ('public', 'members') or (visibility = 'password' and site_password_hash is not null)
      )`,
  },
  slugs: {
    // Until when the address of a reused slug removes what the earlier project's site has left in browsers.
    cleared_until: 'int64',
  },
  deploys: {
    // What a deploy changes, in the words of its author.
    message: 'text',
    // As in the audit log: session, token, command_line, program. Null for deploys of 1.0.0-rc.1.
    created_via: 'text',
    // Of the access token, which may be deleted.
    token_label: 'text',
    // The preview for which it was deployed; null for a deploy of the site. Built ones are superseded in the table.
    preview: "text check (preview is null or state <> 'live')",
    // The number of problems in its sources; null while unknown, and for deploys of 1.0.0-rc.1.
    warnings: 'int64',
    // The first of them, as JSON.
    report: 'text',
    // 1: problems fail the build.
    is_strict: 'int64 not null default 0',
    // The number of the deploy that brought the sources; null if it is this one.
    rebuild_of: 'int64',
  },
  deploy_files: {
    // The origin to which the page may connect (tryIt in site.yaml), apart from its own; null for all other files.
    connect_to: 'text',
  },
  files: {
    // The key of the object with all forms; null if they are in this row. Otherwise content is empty, gzip and brotli are
    // null, and their sizes are here. block_digests has the SHA-256 of each block of each form (read-objects.ts).
    object: 'text',
    gzip_size: 'int64',
    brotli_size: 'int64',
    block_digests: 'bytes',
  },
  domains: {
    // The holder, or the owner of the site at a platform host: whose turns and shares it uses.
    turn_owner: "text not null default ''",
    // Whether the owner has asked for the certificate before the switch, or has switched since.
    preparation: `text not null default 'off'
      check (preparation in ('off', 'requested', 'switched'))`,
    // When it was requested, or DNS was switched.
    preparation_at: 'int64',
    // Certificates issued since it was requested.
    prepared_count: 'int64 not null default 0',
    // When a check last found the TXT record that proves ownership; null once it is missing.
    txt_found_at: 'int64',
    // Until when the TXT record of the challenge has to be set; null unless it is awaited.
    record_until: 'int64',
    // The last value of that record that is no longer valid, and why, as JSON.
    former_challenge: 'text',
    // When a link with its verification token was made last. Such a link works as long as the token does.
    connect_linked_at: 'int64',
  },
  domain_tombstones: {
    // Every removed claim leaves a tombstone, so that removing and adding a host again does not start the time anew in
    // which a pointer proves ownership. When the holder first added the host.
    first_added_at: 'int64 not null default 0',
    // Until then a pointer proves ownership for the holder again; null for a claim that was never proven.
    pointer_until: 'int64',
  },
  certificate_orders: {
    // Until when the TXT record of the challenge can be set: before the authority ends the order.
    expires_at: 'int64',
    // When every name server was first seen to have the TXT record of the challenge.
    record_seen_at: 'int64',
  },
  authority_ledger: {
    // The owner for whom a first certificate was ordered, so that orders are shared. Null for all other attempts.
    holder: 'text',
  },
} as const

const statements = [
  `create index access_tokens_by_project on access_tokens (project_id, created_at)
    where project_id is not null`,
  // Invitations for any address could tell which addresses have accounts.
  "delete from account_links where kind = 'invitation' and email is null and used_at is null",
  'create index pending_emails_by_age on pending_emails (requested_at)',
  'create index passkeys_by_account on passkeys (account_id, created_at)',
  'create index used_challenges_by_end on used_challenges (expires_at)',
  'create index identities_by_account on identities (account_id, created_at)',
  'create index project_members_by_account on project_members (account_id)',
  'create index project_invitations_by_email on project_invitations (email_key)',
  'create index project_invitations_by_expiry on project_invitations (expires_at)',
  'create index project_notices_due on project_notices (due_at) where due_at is not null',
  'create index project_notices_by_project on project_notices (project_id, created_at)',
  'create index project_notices_by_recipient on project_notices (recipient, created_at)',
  'create index project_notices_by_age on project_notices (created_at)',
  'create index site_access_codes_by_expiry on site_access_codes (expires_at)',
  'create index site_access_codes_by_project on site_access_codes (project_id)',
  'create index site_images_by_hash on site_images (hash)',
  'create index visits_by_day on visits (day)',
  'create index deploys_by_preview on deploys (project_id, preview, number) where preview is not null',
  'create index previews_by_expiry on previews (expires_at)',
  'create unique index build_turns_in_order on build_turns (turn)',
  'create index files_to_move on files (hash) where object is null and coded = 1 and size >= 65536',
  'create index files_moved on files (hash) where object is not null',
  'create index objects_to_delete on objects (delete_at) where delete_at is not null',
  'insert into object_storage (id) values (1)',
  'update domains set turn_owner = holder',
  // The domains that are due, and those that are being processed, by owner.
  'drop index domains_due',
  'create index domains_due_by_owner on domains (due_at, turn_owner, lease_until, id) where due_at is not null',
  'create index domains_by_lease on domains (lease_until, turn_owner) where lease is not null',
  `update domain_tombstones
    set first_added_at = removed_at, pointer_until = removed_at + ${30 * 24 * 3_600_000}`,
  'create index authority_ledger_by_holder on authority_ledger (directory, holder, at)',
  `create index authority_ledger_by_holder_in_domain
    on authority_ledger (directory, registered_domain, holder, at) where holder is not null`,
  'create index acme_authorizations_by_domain on acme_authorizations (domain_id)',
  'create index acme_authorizations_due on acme_authorizations (due_at) where due_at is not null',
  'create index acme_authorizations_by_age on acme_authorizations (expires_at)',
  'create index domain_connections_by_domain on domain_connections (domain_id, started_at)',
  'create index domain_connections_by_expiry on domain_connections (expires_at)',
]

/** What has changed since 1.0.0-rc.1. */
const upgrade: Migration = {
  id: 43,
  name: 'changes since 1.0.0-rc.1',
  sql: (types) =>
    createTables({ ...newAccountTables, ...newTables }, types) +
    addColumns({ ...addedAccountColumns, ...addedColumns }, types) +
    statements.map((statement) => `${statement};\n`).join('') +
    createAuditLog(types),
}

const furtherColumns = {
  domains: {
    // Since when checks find that nobody can look the host up.
    unresolvable_since: 'int64',
  },
} as const

const further: Migration = {
  id: 44,
  name: 'hosts that nobody can look up',
  sql: (types) => addColumns(furtherColumns, types),
}

/** What queries see. The tables and columns of a further migration are joined with `&`. */
export type NewTables = typeof newTables
export type AddedColumns = typeof addedColumns & typeof furtherColumns

export const publishingMigrations: Migration[] = [schema, upgrade, further]
