// The tables of publishing, as the queries see them. migrations/ creates them and says what they hold.
import type { AccountTables } from '#accounts/tables.ts'
import { rowWriter } from '#kit/database/insert-rows.ts'
import { queriesFor, statementsFor } from '#kit/database/query.ts'

export interface PublishingTables extends AccountTables {
  publishing_state: { id: bigint; version: bigint; first_project: bigint; last_event: bigint }
  projects: {
    id: string
    owner_id: string | null
    name: string
    last_deploy: bigint
    live_deploy: bigint | null
    built_in: string | null
    created_at: bigint
    visibility: string
    /** Null unless the visibility is `password`. */
    site_password_hash: string | null
  }
  project_members: { project_id: string; account_id: string; role: string; joined_at: bigint }
  project_invitations: {
    id: string
    project_id: string
    email: string
    email_key: string
    role: string
    created_by: string | null
    created_at: bigint
    expires_at: bigint
  }
  project_notices: {
    id: string
    project_id: string
    recipient: string
    actor: string | null
    kind: string
    created_at: bigint
    due_at: bigint | null
    claim: string | null
    tries: bigint
  }
  site_settings: { project_id: string; settings: string; changed_at: bigint }
  site_images: {
    project_id: string
    name: string
    hash: string
    type: string
    size: bigint
    width: bigint | null
    height: bigint | null
    uploaded_at: bigint
  }
  site_access_codes: {
    code_hash: string
    session_id: string
    host: string
    project_id: string
    state: string
    expires_at: bigint
  }
  slugs: {
    slug: string
    project_id: string | null
    owner_id: string | null
    is_current: bigint
    held_until: bigint | null
    /** Until then its address removes from browsers what an earlier project's site has left there. */
    cleared_until: bigint | null
  }
  files: {
    hash: string
    size: bigint
    content: Uint8Array
    gzip: Uint8Array | null
    brotli: Uint8Array | null
    coded: bigint
    /** The key of the object that has the bytes instead of this row. */
    object: string | null
    gzip_size: bigint | null
    brotli_size: bigint | null
    block_digests: Uint8Array | null
  }
  objects: { key: string; delete_at: bigint | null }
  object_storage: {
    id: bigint
    lease: string | null
    lease_until: bigint | null
    owner: string | null
    previous_owner: string | null
  }
  uploads: {
    project_id: string
    hash: string
    archive: string
    size: bigint
    uploaded_at: bigint
  }
  deploys: {
    project_id: string
    number: bigint
    state: string
    kind: string | null
    source: string
    created_by: string | null
    created_at: bigint
    finished_at: bigint | null
    source_files: bigint
    source_bytes: bigint
    site_files: bigint
    site_bytes: bigint
    failure: string | null
    failure_file: string | null
    failure_line: bigint | null
    lease: string | null
    lease_until: bigint | null
    attempts: bigint
    message: string | null
    created_via: string | null
    token_label: string | null
    /** The preview that it was deployed for; null for a deploy of the site. */
    preview: string | null
    warnings: bigint | null
    report: string | null
    is_strict: bigint
    /** The deploy whose sources it builds again, with other settings of the site. */
    rebuild_of: bigint | null
  }
  previews: {
    project_id: string
    name: string
    number: bigint | null
    password_hash: string | null
    created_at: bigint
    expires_at: bigint
  }
  build_turns: { owner: string; turn: bigint }
  deploy_sources: { project_id: string; number: bigint; path: string; hash: string }
  deploy_files: {
    project_id: string
    number: bigint
    path: string
    hash: string
    connect_to: string | null
  }
  domains: {
    id: string
    host: string
    project_id: string
    holder: string
    /** Whose turns and shares it uses: the holder, or the owner of the site at a platform host. */
    turn_owner: string
    verification_token: string
    added_at: bigint
    verification_requested_at: bigint
    version: bigint
    ownership: string
    proven_by: string | null
    proven_at: bigint | null
    dns: string
    pointed_when_added: bigint | null
    checked_at: bigint | null
    failing_since: bigint | null
    partial_since: bigint | null
    serving: string
    certificate: string
    certificate_since: bigint | null
    attempt: string | null
    blocked_by: string | null
    problem: string | null
    failures: bigint
    expires_at: bigint | null
    renew_at: bigint | null
    paused_at: bigint | null
    check_at: bigint | null
    issue_at: bigint | null
    due_at: bigint | null
    lease: string | null
    lease_until: bigint | null
    role: string
    redirect_to: string | null
    redirect_status: bigint | null
    last_notified: string | null
    preparation: string
    preparation_at: bigint | null
    prepared_count: bigint
    txt_found_at: bigint | null
    record_until: bigint | null
    former_challenge: string | null
    connect_linked_at: bigint | null
  }
  domain_checks: { domain_id: string; at: bigint; judged: string; evidence: string }
  domain_tombstones: {
    host: string
    holder: string
    removed_at: bigint
    held_until: bigint
    first_added_at: bigint
    pointer_until: bigint | null
  }
  domain_events: {
    position: bigint
    id: string
    at: bigint
    project_id: string
    host: string
    domain_id: string
    type: string
    actor: string | null
    detail: string
  }
  domain_webhooks: {
    project_id: string
    url: string
    secret: string
    created_at: bigint
    attempted_at: bigint | null
    status: bigint | null
    error: string | null
    failing_since: bigint | null
  }
  domain_notices: {
    position: bigint
    channel: string
    recipient: string
    project_id: string
    domain_id: string
    created_at: bigint
    due_at: bigint
    claim: string | null
    tries: bigint
  }
  connect_keys: {
    label: string
    private_key: string
    created_at: bigint
    activated_at: bigint | null
    retired_at: bigint | null
  }
  domain_connections: {
    id: string
    domain_id: string
    account_id: string
    session_id: string | null
    provider: string
    record_groups: string
    started_at: bigint
    expires_at: bigint
    returned_at: bigint | null
    outcome: string | null
    error: string | null
  }
  acme_accounts: { directory: string; url: string; private_key: string; created_at: bigint }
  internal_roots: { id: bigint; chain: string; private_key: string }
  certificate_orders: {
    domain_id: string
    host: string
    registered_domain: string
    directory: string
    step: string
    order_url: string | null
    challenge_type: string | null
    token: string
    key_authorization: string
    private_key: string
    replaces: string | null
    begun_at: bigint
    expires_at: bigint | null
    record_seen_at: bigint | null
  }
  acme_authorizations: {
    url: string
    directory: string
    account: string
    domain_id: string
    host: string
    expires_at: bigint
    due_at: bigint | null
    claim: string | null
    tries: bigint
  }
  certificates: {
    id: string
    domain_id: string
    host: string
    issuer: string
    directory: string
    chain: string
    private_key: string
    fingerprint: string
    serial: string
    not_before: bigint
    not_after: bigint
    issued_at: bigint
    renewal_id: string | null
    is_current: bigint
  }
  authority_ledger: {
    id: string
    directory: string
    host: string
    registered_domain: string
    kind: string
    challenge_type: string | null
    at: bigint
    holder: string | null
  }
  visits: { project_id: string; day: bigint; kind: string; name: string; count: bigint }
  withdrawn_hosts: { version: bigint; host: string; at: bigint; cut: bigint }
  nodes: { id: string; seen_at: bigint; version: bigint }
}

export const prepareQuery = queriesFor<PublishingTables>()
export const prepare = statementsFor<PublishingTables>()
export const { insertRow, saveRow } = rowWriter<PublishingTables>()
