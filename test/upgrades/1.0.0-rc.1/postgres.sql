SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE SCHEMA limits;
CREATE SCHEMA production;
CREATE SCHEMA publishing;
CREATE SCHEMA staging;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE limits.migrations (
    id integer NOT NULL,
    name text NOT NULL,
    applied_at text DEFAULT CURRENT_TIMESTAMP NOT NULL
);
CREATE UNLOGGED TABLE limits.processes (
    id text NOT NULL,
    node text NOT NULL,
    pid bigint NOT NULL,
    started_at bigint NOT NULL,
    seen_at bigint NOT NULL
);
CREATE UNLOGGED TABLE limits.rate_limits (
    key_id text NOT NULL,
    whole_at bigint NOT NULL
);
CREATE UNLOGGED TABLE limits.request_minutes (
    minute bigint NOT NULL,
    environment text NOT NULL,
    errors bigint NOT NULL,
    within_0 bigint NOT NULL,
    within_1 bigint NOT NULL,
    within_2 bigint NOT NULL,
    within_3 bigint NOT NULL,
    within_4 bigint NOT NULL,
    within_5 bigint NOT NULL,
    within_6 bigint NOT NULL,
    within_7 bigint NOT NULL,
    within_8 bigint NOT NULL,
    within_9 bigint NOT NULL,
    within_10 bigint NOT NULL,
    within_11 bigint NOT NULL,
    within_12 bigint NOT NULL,
    within_13 bigint NOT NULL,
    within_14 bigint NOT NULL,
    within_15 bigint NOT NULL
);
CREATE TABLE production.api_keys (
    id text NOT NULL,
    lineage text NOT NULL,
    label text NOT NULL,
    secret_hash text NOT NULL,
    scopes text NOT NULL,
    rate_limit text,
    created_at bigint NOT NULL,
    expires_at bigint,
    revoked_at bigint,
    last_used_at bigint,
    deprecated_calls bigint DEFAULT 0 NOT NULL,
    deprecated_at bigint
);
CREATE TABLE production.categories (
    id bigint NOT NULL,
    name text NOT NULL
);
CREATE TABLE production.idempotency_keys (
    scope text NOT NULL,
    key text NOT NULL,
    fingerprint text NOT NULL,
    status bigint NOT NULL,
    location text NOT NULL,
    body text NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE production.migrations (
    id integer NOT NULL,
    name text NOT NULL,
    applied_at text DEFAULT CURRENT_TIMESTAMP NOT NULL
);
CREATE TABLE production.orders (
    id bigint NOT NULL,
    pet_id bigint NOT NULL,
    status text NOT NULL,
    created_at bigint NOT NULL,
    CONSTRAINT orders_status_check CHECK ((status = ANY (ARRAY['placed'::text, 'approved'::text, 'delivered'::text, 'cancelled'::text])))
);
CREATE TABLE production.pets (
    id bigint NOT NULL,
    name text NOT NULL,
    category_id bigint NOT NULL,
    status text NOT NULL,
    CONSTRAINT pets_status_check CHECK ((status = ANY (ARRAY['available'::text, 'pending'::text, 'sold'::text])))
);
CREATE TABLE production.store_state (
    id bigint NOT NULL,
    content_version bigint NOT NULL,
    keys_version bigint NOT NULL,
    last_pet_id bigint NOT NULL,
    available bigint NOT NULL,
    pending bigint NOT NULL,
    sold bigint NOT NULL,
    initialised bigint NOT NULL,
    last_category_id bigint DEFAULT 0 NOT NULL,
    categories bigint DEFAULT 0 NOT NULL,
    last_order_id bigint DEFAULT 0 NOT NULL,
    placed bigint DEFAULT 0 NOT NULL,
    approved bigint DEFAULT 0 NOT NULL,
    delivered bigint DEFAULT 0 NOT NULL,
    cancelled bigint DEFAULT 0 NOT NULL,
    active_webhooks bigint DEFAULT 0 NOT NULL,
    last_event_id bigint DEFAULT 0 NOT NULL,
    CONSTRAINT store_state_id_check CHECK ((id = 1))
);
CREATE TABLE production.webhook_attempts (
    webhook_id text NOT NULL,
    event_id bigint NOT NULL,
    attempt bigint NOT NULL,
    at bigint NOT NULL,
    duration_ms bigint NOT NULL,
    status bigint,
    error text,
    next_at bigint
);
CREATE TABLE production.webhook_deliveries (
    event_id bigint NOT NULL,
    webhook_id text NOT NULL,
    pet_id bigint NOT NULL,
    due_at bigint,
    claim text,
    attempts bigint NOT NULL,
    tries bigint NOT NULL,
    resent bigint NOT NULL,
    finished_at bigint,
    outcome text,
    CONSTRAINT webhook_deliveries_outcome_check CHECK ((outcome = ANY (ARRAY['delivered'::text, 'failed'::text])))
);
CREATE TABLE production.webhook_events (
    id bigint NOT NULL,
    message_id text NOT NULL,
    type text NOT NULL,
    pet_id bigint NOT NULL,
    created_at bigint NOT NULL,
    payload text NOT NULL
);
CREATE TABLE production.webhooks (
    id text NOT NULL,
    label text NOT NULL,
    url text NOT NULL,
    events text NOT NULL,
    secret text NOT NULL,
    previous_secret text,
    previous_until bigint,
    created_at bigint NOT NULL,
    failing_since bigint,
    disabled_at bigint,
    disabled_reason text,
    removed_at bigint
);
CREATE TABLE publishing.access_tokens (
    id text NOT NULL,
    account_id text NOT NULL,
    label text NOT NULL,
    secret_hash text NOT NULL,
    scopes text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    last_used_at bigint
);
CREATE TABLE publishing.account_links (
    id text NOT NULL,
    kind text NOT NULL,
    token_hash text NOT NULL,
    account_id text,
    email text,
    role text,
    plan text,
    created_by text,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    used_at bigint,
    CONSTRAINT account_links_kind_check CHECK ((kind = ANY (ARRAY['set_up'::text, 'invitation'::text, 'password'::text])))
);
CREATE TABLE publishing.accounts (
    id text NOT NULL,
    email text NOT NULL,
    email_key text NOT NULL,
    name text NOT NULL,
    password_hash text NOT NULL,
    role text NOT NULL,
    plan text NOT NULL,
    created_at bigint NOT NULL,
    CONSTRAINT accounts_plan_check CHECK ((plan = ANY (ARRAY['free'::text, 'paid'::text]))),
    CONSTRAINT accounts_role_check CHECK ((role = ANY (ARRAY['operator'::text, 'member'::text])))
);
CREATE TABLE publishing.acme_accounts (
    directory text NOT NULL,
    url text NOT NULL,
    private_key text NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE publishing.authority_ledger (
    id text NOT NULL,
    directory text NOT NULL,
    host text NOT NULL,
    registered_domain text NOT NULL,
    kind text NOT NULL,
    challenge_type text,
    at bigint NOT NULL,
    CONSTRAINT authority_ledger_kind_check CHECK ((kind = ANY (ARRAY['order'::text, 'failed_validation'::text, 'certificate'::text, 'renewal'::text])))
);
CREATE TABLE publishing.certificate_orders (
    domain_id text NOT NULL,
    host text NOT NULL,
    registered_domain text NOT NULL,
    directory text NOT NULL,
    step text NOT NULL,
    order_url text,
    challenge_type text,
    token text NOT NULL,
    key_authorization text NOT NULL,
    private_key text NOT NULL,
    replaces text,
    begun_at bigint NOT NULL,
    CONSTRAINT certificate_orders_step_check CHECK ((step = ANY (ARRAY['new'::text, 'ordered'::text, 'answered'::text, 'ready'::text, 'finalized'::text])))
);
CREATE TABLE publishing.certificates (
    id text NOT NULL,
    domain_id text NOT NULL,
    host text NOT NULL,
    issuer text NOT NULL,
    directory text NOT NULL,
    chain text NOT NULL,
    private_key text NOT NULL,
    fingerprint text NOT NULL,
    serial text NOT NULL,
    not_before bigint NOT NULL,
    not_after bigint NOT NULL,
    issued_at bigint NOT NULL,
    renewal_id text,
    is_current bigint NOT NULL,
    CONSTRAINT certificates_is_current_check CHECK ((is_current = ANY (ARRAY[(0)::bigint, (1)::bigint])))
);
CREATE TABLE publishing.deploy_files (
    project_id text NOT NULL,
    number bigint NOT NULL,
    path text NOT NULL,
    hash text NOT NULL
);
CREATE TABLE publishing.deploy_sources (
    project_id text NOT NULL,
    number bigint NOT NULL,
    path text NOT NULL,
    hash text NOT NULL
);
CREATE TABLE publishing.deploys (
    project_id text NOT NULL,
    number bigint NOT NULL,
    state text NOT NULL,
    kind text,
    source text NOT NULL,
    created_by text,
    created_at bigint NOT NULL,
    finished_at bigint,
    source_files bigint NOT NULL,
    source_bytes bigint NOT NULL,
    site_files bigint NOT NULL,
    site_bytes bigint NOT NULL,
    failure text,
    failure_file text,
    failure_line bigint,
    lease text,
    lease_until bigint,
    attempts bigint NOT NULL,
    CONSTRAINT deploys_kind_check CHECK ((kind = ANY (ARRAY['ready'::text, 'rendered'::text]))),
    CONSTRAINT deploys_source_check CHECK ((source = ANY (ARRAY['archive'::text, 'folder'::text, 'built_in'::text]))),
    CONSTRAINT deploys_state_check CHECK ((state = ANY (ARRAY['receiving'::text, 'uploaded'::text, 'building'::text, 'live'::text, 'superseded'::text, 'failed'::text, 'removed'::text])))
);
CREATE TABLE publishing.domain_checks (
    domain_id text NOT NULL,
    at bigint NOT NULL,
    judged text NOT NULL,
    evidence text NOT NULL
);
CREATE TABLE publishing.domain_events (
    "position" bigint NOT NULL,
    id text NOT NULL,
    at bigint NOT NULL,
    project_id text NOT NULL,
    host text NOT NULL,
    domain_id text NOT NULL,
    type text NOT NULL,
    actor text,
    detail text NOT NULL
);
CREATE TABLE publishing.domain_notices (
    "position" bigint NOT NULL,
    channel text NOT NULL,
    recipient text NOT NULL,
    project_id text NOT NULL,
    domain_id text NOT NULL,
    created_at bigint NOT NULL,
    due_at bigint NOT NULL,
    claim text,
    tries bigint NOT NULL,
    CONSTRAINT domain_notices_channel_check CHECK ((channel = ANY (ARRAY['mail'::text, 'webhook'::text])))
);
CREATE TABLE publishing.domain_tombstones (
    host text NOT NULL,
    holder text NOT NULL,
    removed_at bigint NOT NULL,
    held_until bigint NOT NULL
);
CREATE TABLE publishing.domain_webhooks (
    project_id text NOT NULL,
    url text NOT NULL,
    secret text NOT NULL,
    created_at bigint NOT NULL,
    attempted_at bigint,
    status bigint,
    error text,
    failing_since bigint
);
CREATE TABLE publishing.domains (
    id text NOT NULL,
    host text NOT NULL,
    project_id text NOT NULL,
    holder text NOT NULL,
    verification_token text NOT NULL,
    added_at bigint NOT NULL,
    verification_requested_at bigint NOT NULL,
    version bigint NOT NULL,
    ownership text NOT NULL,
    proven_by text,
    proven_at bigint,
    dns text NOT NULL,
    pointed_when_added bigint,
    checked_at bigint,
    failing_since bigint,
    partial_since bigint,
    serving text DEFAULT 'off'::text NOT NULL,
    certificate text DEFAULT 'none'::text NOT NULL,
    certificate_since bigint,
    attempt text,
    blocked_by text,
    problem text,
    failures bigint DEFAULT 0 NOT NULL,
    expires_at bigint,
    renew_at bigint,
    paused_at bigint,
    check_at bigint,
    issue_at bigint,
    due_at bigint,
    lease text,
    lease_until bigint,
    role text DEFAULT 'alias'::text NOT NULL,
    redirect_to text,
    redirect_status bigint,
    last_notified text,
    CONSTRAINT domains_certificate_check CHECK ((certificate = ANY (ARRAY['none'::text, 'preflight'::text, 'ordering'::text, 'validating'::text, 'issued'::text, 'renewing'::text, 'blocked'::text, 'retry_wait'::text, 'expired'::text]))),
    CONSTRAINT domains_dns_check CHECK ((dns = ANY (ARRAY['unchecked'::text, 'missing'::text, 'conflict'::text, 'wrong_target'::text, 'partial'::text, 'ok'::text, 'drifting'::text, 'lost'::text]))),
    CONSTRAINT domains_ownership_check CHECK ((ownership = ANY (ARRAY['unproven'::text, 'proven'::text, 'disputed'::text, 'revoked'::text]))),
    CONSTRAINT domains_pointed_when_added_check CHECK ((pointed_when_added = ANY (ARRAY[(0)::bigint, (1)::bigint]))),
    CONSTRAINT domains_proven_by_check CHECK ((proven_by = ANY (ARRAY['pointer'::text, 'txt'::text]))),
    CONSTRAINT domains_role_check CHECK ((role = ANY (ARRAY['primary'::text, 'alias'::text, 'redirect'::text]))),
    CONSTRAINT domains_serving_check CHECK ((serving = ANY (ARRAY['off'::text, 'http_only'::text, 'https'::text, 'suspended'::text]))),
    CONSTRAINT domains_told_check CHECK ((last_notified = ANY (ARRAY['active'::text, 'at_risk'::text, 'failed'::text])))
);
CREATE TABLE publishing.files (
    hash text NOT NULL,
    size bigint NOT NULL,
    content bytea NOT NULL,
    gzip bytea,
    brotli bytea,
    coded bigint NOT NULL,
    CONSTRAINT files_coded_check CHECK ((coded = ANY (ARRAY[(0)::bigint, (1)::bigint])))
);
CREATE TABLE publishing.internal_roots (
    id bigint NOT NULL,
    chain text NOT NULL,
    private_key text NOT NULL,
    CONSTRAINT internal_roots_id_check CHECK ((id = 1))
);
CREATE TABLE publishing.migrations (
    id integer NOT NULL,
    name text NOT NULL,
    applied_at text DEFAULT CURRENT_TIMESTAMP NOT NULL
);
CREATE TABLE publishing.nodes (
    id text NOT NULL,
    seen_at bigint NOT NULL,
    version bigint NOT NULL
);
CREATE TABLE publishing.projects (
    id text NOT NULL,
    owner_id text,
    name text NOT NULL,
    last_deploy bigint NOT NULL,
    live_deploy bigint,
    built_in text,
    created_at bigint NOT NULL
);
CREATE TABLE publishing.publishing_state (
    id bigint NOT NULL,
    version bigint NOT NULL,
    first_project bigint NOT NULL,
    last_event bigint DEFAULT 0 NOT NULL,
    CONSTRAINT publishing_state_id_check CHECK ((id = 1))
);
CREATE TABLE publishing.sessions (
    id text NOT NULL,
    account_id text NOT NULL,
    token_hash text NOT NULL,
    created_at bigint NOT NULL,
    seen_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    ended_at bigint,
    address text NOT NULL,
    user_agent text NOT NULL
);
CREATE TABLE publishing.slugs (
    slug text NOT NULL,
    project_id text,
    owner_id text,
    is_current bigint NOT NULL,
    held_until bigint,
    CONSTRAINT slugs_is_current_check CHECK ((is_current = ANY (ARRAY[(0)::bigint, (1)::bigint])))
);
CREATE TABLE publishing.uploads (
    project_id text NOT NULL,
    hash text NOT NULL,
    archive text NOT NULL,
    size bigint NOT NULL,
    uploaded_at bigint NOT NULL
);
CREATE TABLE publishing.withdrawn_hosts (
    version bigint NOT NULL,
    host text NOT NULL,
    at bigint NOT NULL,
    cut bigint DEFAULT 0 NOT NULL
);
CREATE TABLE staging.api_keys (
    id text NOT NULL,
    lineage text NOT NULL,
    label text NOT NULL,
    secret_hash text NOT NULL,
    scopes text NOT NULL,
    rate_limit text,
    created_at bigint NOT NULL,
    expires_at bigint,
    revoked_at bigint,
    last_used_at bigint,
    deprecated_calls bigint DEFAULT 0 NOT NULL,
    deprecated_at bigint
);
CREATE TABLE staging.categories (
    id bigint NOT NULL,
    name text NOT NULL
);
CREATE TABLE staging.idempotency_keys (
    scope text NOT NULL,
    key text NOT NULL,
    fingerprint text NOT NULL,
    status bigint NOT NULL,
    location text NOT NULL,
    body text NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE staging.migrations (
    id integer NOT NULL,
    name text NOT NULL,
    applied_at text DEFAULT CURRENT_TIMESTAMP NOT NULL
);
CREATE TABLE staging.orders (
    id bigint NOT NULL,
    pet_id bigint NOT NULL,
    status text NOT NULL,
    created_at bigint NOT NULL,
    CONSTRAINT orders_status_check CHECK ((status = ANY (ARRAY['placed'::text, 'approved'::text, 'delivered'::text, 'cancelled'::text])))
);
CREATE TABLE staging.pets (
    id bigint NOT NULL,
    name text NOT NULL,
    category_id bigint NOT NULL,
    status text NOT NULL,
    CONSTRAINT pets_status_check CHECK ((status = ANY (ARRAY['available'::text, 'pending'::text, 'sold'::text])))
);
CREATE TABLE staging.store_state (
    id bigint NOT NULL,
    content_version bigint NOT NULL,
    keys_version bigint NOT NULL,
    last_pet_id bigint NOT NULL,
    available bigint NOT NULL,
    pending bigint NOT NULL,
    sold bigint NOT NULL,
    initialised bigint NOT NULL,
    last_category_id bigint DEFAULT 0 NOT NULL,
    categories bigint DEFAULT 0 NOT NULL,
    last_order_id bigint DEFAULT 0 NOT NULL,
    placed bigint DEFAULT 0 NOT NULL,
    approved bigint DEFAULT 0 NOT NULL,
    delivered bigint DEFAULT 0 NOT NULL,
    cancelled bigint DEFAULT 0 NOT NULL,
    active_webhooks bigint DEFAULT 0 NOT NULL,
    last_event_id bigint DEFAULT 0 NOT NULL,
    CONSTRAINT store_state_id_check CHECK ((id = 1))
);
CREATE TABLE staging.webhook_attempts (
    webhook_id text NOT NULL,
    event_id bigint NOT NULL,
    attempt bigint NOT NULL,
    at bigint NOT NULL,
    duration_ms bigint NOT NULL,
    status bigint,
    error text,
    next_at bigint
);
CREATE TABLE staging.webhook_deliveries (
    event_id bigint NOT NULL,
    webhook_id text NOT NULL,
    pet_id bigint NOT NULL,
    due_at bigint,
    claim text,
    attempts bigint NOT NULL,
    tries bigint NOT NULL,
    resent bigint NOT NULL,
    finished_at bigint,
    outcome text,
    CONSTRAINT webhook_deliveries_outcome_check CHECK ((outcome = ANY (ARRAY['delivered'::text, 'failed'::text])))
);
CREATE TABLE staging.webhook_events (
    id bigint NOT NULL,
    message_id text NOT NULL,
    type text NOT NULL,
    pet_id bigint NOT NULL,
    created_at bigint NOT NULL,
    payload text NOT NULL
);
CREATE TABLE staging.webhooks (
    id text NOT NULL,
    label text NOT NULL,
    url text NOT NULL,
    events text NOT NULL,
    secret text NOT NULL,
    previous_secret text,
    previous_until bigint,
    created_at bigint NOT NULL,
    failing_since bigint,
    disabled_at bigint,
    disabled_reason text,
    removed_at bigint
);
INSERT INTO limits.migrations VALUES (1, 'rate limits', '2026-11-23 05:53:38.194632+00');
INSERT INTO limits.migrations VALUES (2, 'system', '2026-11-23 05:53:38.199955+00');
INSERT INTO limits.rate_limits VALUES ('sign-in ffef9f2193ffe69286cd87b92d4c9b92 from 127.0.0.1', 1795413309721000);
INSERT INTO limits.rate_limits VALUES ('sign-in ffef9f2193ffe69286cd87b92d4c9b92', 1795413255721000);
INSERT INTO limits.rate_limits VALUES ('sign-in from 127.0.0.1', 1795413249721000);
INSERT INTO limits.rate_limits VALUES ('sign-in c3f4f171840c373ef6b357d5d88df2d3 from 127.0.0.1', 1795413310083000);
INSERT INTO limits.rate_limits VALUES ('sign-in c3f4f171840c373ef6b357d5d88df2d3', 1795413256083000);
INSERT INTO limits.request_minutes VALUES (29923553, 'management', 0, 0, 0, 0, 0, 0, 0, 0, 2, 6, 2, 1, 2, 1, 0, 0, 0);
INSERT INTO limits.request_minutes VALUES (29923553, 'production', 0, 0, 0, 0, 0, 0, 0, 5, 2, 4, 2, 0, 1, 0, 0, 0, 0);
INSERT INTO production.api_keys VALUES ('DuMR4mmO6aoY', 'DuMR4mmO6aoY', 'first key', '9b8e9ccd2fc8ecbdd70b0774fa05557dcd1476806327d219b725a5e1082ab9a1', '*', NULL, 1795413218309, NULL, NULL, 1795413220754, 1, 1795413220754);
INSERT INTO production.idempotency_keys VALUES ('DuMR4mmO6aoY', 'pet-1', 'juzDfVtMTQJys9_3nuIMoMk3pwcotk7Ik_tLvh2Ye5k', 201, '/pets/1', '{"id":1,"name":"Animal 1 🐾","categoryId":1,"status":"pending"}', 1795413219379);
INSERT INTO production.idempotency_keys VALUES ('DuMR4mmO6aoY', 'pet-2', 'po3NoIzTghXU7oyXUIMAtQOgY-7o7Zsc7H6vKHEExLA', 201, '/pets/2', '{"id":2,"name":"Animal 2 🐾","categoryId":2,"status":"sold"}', 1795413219509);
INSERT INTO production.idempotency_keys VALUES ('DuMR4mmO6aoY', 'pet-3', 'c-x5_1zctfWUvVjCVk6uRm0mfXIMj2nIm1-2MqENADM', 201, '/pets/3', '{"id":3,"name":"Animal 3 🐾","categoryId":0,"status":"available"}', 1795413219532);
INSERT INTO production.idempotency_keys VALUES ('DuMR4mmO6aoY', 'pet-4', 'uVdQjAPSNxg9iCfAUHJVGcfk841N4s8SaXSjgi8z6VY', 201, '/pets/4', '{"id":4,"name":"Animal 4 🐾","categoryId":1,"status":"pending"}', 1795413219548);
INSERT INTO production.idempotency_keys VALUES ('DuMR4mmO6aoY', 'pet-5', '275PBX9KJ5KNPKozpInv22_HPuWsBKY7PfWApdwp7E8', 201, '/pets/5', '{"id":5,"name":"Animal 5 🐾","categoryId":2,"status":"sold"}', 1795413219561);
INSERT INTO production.idempotency_keys VALUES ('DuMR4mmO6aoY', 'pet-6', 'MFRY093Rt8KPq7kKm3NDrMsTH1HS1TOsRrJW_VSmqO0', 201, '/pets/6', '{"id":6,"name":"Animal 6 🐾","categoryId":0,"status":"available"}', 1795413219575);
INSERT INTO production.idempotency_keys VALUES ('DuMR4mmO6aoY', 'pet-7', 'XhEg6VUKH_nL6QPQbIfmsF2Sunpa53sUuREw4iX9WIo', 201, '/pets/7', '{"id":7,"name":"Animal 7 🐾","categoryId":1,"status":"pending"}', 1795413219581);
INSERT INTO production.idempotency_keys VALUES ('DuMR4mmO6aoY', 'pet-8', 'PipwIRKWbx1awVFNFRm08MSfG_xdKG58a8N6Z3VwX9k', 201, '/pets/8', '{"id":8,"name":"Animal 8 🐾","categoryId":2,"status":"sold"}', 1795413219588);
INSERT INTO production.idempotency_keys VALUES ('DuMR4mmO6aoY', 'pet-9', 'jy9mz4xbqMT-q4JyIdhMwOqfuzMvkndHlEszz5rl4Kg', 201, '/pets/9', '{"id":9,"name":"Animal 9 🐾","categoryId":0,"status":"available"}', 1795413219593);
INSERT INTO production.idempotency_keys VALUES ('DuMR4mmO6aoY', 'pet-10', 'wzbtsHwgYZxR1CrHy_q6Lp7EZg1x1Z8aEvNqOAuNb2o', 201, '/pets/10', '{"id":10,"name":"Animal 10 🐾","categoryId":1,"status":"pending"}', 1795413219599);
INSERT INTO production.idempotency_keys VALUES ('DuMR4mmO6aoY', 'pet-11', 'LfGfbShaYXnPBe_nJJxDanicUS8m8nr4kgQP1T5nWkk', 201, '/pets/11', '{"id":11,"name":"Animal 11 🐾","categoryId":2,"status":"sold"}', 1795413219617);
INSERT INTO production.idempotency_keys VALUES ('DuMR4mmO6aoY', 'pet-12', 'AwzKIMmbbWUer4PbMefleQRNWijbjMZhh5511Gtg7M8', 201, '/pets/12', '{"id":12,"name":"Animal 12 🐾","categoryId":0,"status":"available"}', 1795413219623);
INSERT INTO production.migrations VALUES (1, 'store', '2026-11-23 05:53:38.25384+00');
INSERT INTO production.migrations VALUES (2, 'categories and orders', '2026-11-23 05:53:38.265934+00');
INSERT INTO production.migrations VALUES (3, 'webhooks', '2026-11-23 05:53:38.277917+00');
INSERT INTO production.migrations VALUES (4, 'deprecated calls', '2026-11-23 05:53:38.295737+00');
INSERT INTO production.pets VALUES (1, 'Animal 1 🐾', 1, 'pending');
INSERT INTO production.pets VALUES (2, 'Animal 2 🐾', 2, 'sold');
INSERT INTO production.pets VALUES (3, 'Animal 3 🐾', 0, 'available');
INSERT INTO production.pets VALUES (4, 'Animal 4 🐾', 1, 'pending');
INSERT INTO production.pets VALUES (5, 'Animal 5 🐾', 2, 'sold');
INSERT INTO production.pets VALUES (6, 'Animal 6 🐾', 0, 'available');
INSERT INTO production.pets VALUES (7, 'Animal 7 🐾', 1, 'pending');
INSERT INTO production.pets VALUES (8, 'Animal 8 🐾', 2, 'sold');
INSERT INTO production.pets VALUES (9, 'Animal 9 🐾', 0, 'available');
INSERT INTO production.pets VALUES (10, 'Animal 10 🐾', 1, 'pending');
INSERT INTO production.pets VALUES (11, 'Animal 11 🐾', 2, 'sold');
INSERT INTO production.pets VALUES (12, 'Animal 12 🐾', 0, 'available');
INSERT INTO production.store_state VALUES (1, 12, 1, 12, 4, 4, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO publishing.access_tokens VALUES ('tM2rNOSEOXBn', 'acc_0mwsuoaz002ryfiua51ho', 'test', '8deb034aeb5a30ab8b25d68ba97235024ce1f229e939b5449126d4734a45d111', 'projects:read projects:write deploys:write domains:write store:read store:write', 1795413220249, 1803189220249, NULL);
INSERT INTO publishing.account_links VALUES ('lnk_0mwsuo9po0p0fkcmqq2hz', 'set_up', '3e5ec96dedcf42e5d2f5c54f281296532942635bb30f54e5921a83b555eda875', NULL, NULL, 'operator', 'paid', NULL, 1795413218604, 1796018018604, 1795413220023);
INSERT INTO publishing.account_links VALUES ('inv_0mwsuoau07laloh43h6wg', 'invitation', '7685d5636a527de60c132a33040c503820050f5ada96331ee2632ea3010a9fb0', NULL, NULL, 'member', 'paid', 'acc_0mwsuoat3prim49enret3', 1795413220056, 1796018020056, 1795413220236);
INSERT INTO publishing.accounts VALUES ('acc_0mwsuoat3prim49enret3', 'olga@example.com', 'olga@example.com', 'Somebody', '$argon2id$v=19$m=19456,t=2,p=1$Rkw3f0D6hCqavPdj0iRtgw$/Idyz5MU99BO9apAm/dvcjhHFaguW5nuVUweN/iSDzY', 'operator', 'paid', 1795413220023);
INSERT INTO publishing.accounts VALUES ('acc_0mwsuoaz002ryfiua51ho', 'member-2@example.com', 'member-2@example.com', 'Somebody', '$argon2id$v=19$m=19456,t=2,p=1$1VdGdDrC/v7fzQUbS+2eiQ$bUMRxSjwNXIwJQ9JFMXwcCe/6DxbrV86fq5w2d+Qzes', 'member', 'paid', 1795413220236);
INSERT INTO publishing.certificates VALUES ('crt_0mwsuoaejru2k6rsqe3ef', 'a3b6ddde-dd4f-4123-a921-0974acdbd72b', 'localhost', 'Animal Store Internal', 'internal', '-----BEGIN CERTIFICATE-----
MIIBuDCCAV2gAwIBAgIQfZFE7yIgivzsZJk60zwKHjAKBggqhkjOPQQDAjApMScw
JQYDVQQDDB5BbmltYWwgU3RvcmUgSW50ZXJuYWwgODhkNTFjOGIwHhcNMjYxMTIz
MDQ1MzM5WhcNMjcwMjIxMDU1MzM5WjAAMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD
QgAERzubx9SIpT7Qv8EHxO2TWi2zWVcZOGEVEQDRKtIYGYgKA8SnA/ckoX63dg7e
lNSvz71aUH8QlWpOC9gQNx1kBKOBjzCBjDAXBgNVHREBAf8EDTALgglsb2NhbGhv
c3QwDAYDVR0TAQH/BAIwADAOBgNVHQ8BAf8EBAMCB4AwEwYDVR0lBAwwCgYIKwYB
BQUHAwEwHQYDVR0OBBYEFKZvTCYy2oqrkLXHwZuXgq8Acg/YMB8GA1UdIwQYMBaA
FHfN1Iw5vsCRGEo41ss1lmYEP9WoMAoGCCqGSM49BAMCA0kAMEYCIQCp3AsNKyQZ
h/TDOg+Tfe6YiH0mIY4NgxpZpbC7NReGMwIhAJOVjWrXsyTiKE1EM1hxO8FWY8UG
pbuwePm+cRmlW6hB
-----END CERTIFICATE-----
', 'v1.8a1c9178214c1cd0.dYKBG1gqlwlGBjvnJX6S-x9w_6TwhCfMfqaaRtWNWWPC0zk2pVcQyHFhacIY2CrD3jKzAOCXIkwnnBuPTXo_VoqBvDsbgjsH7VXn1KbYyfamHsde2zMCdjmSAOT0SWA6pRCHFQhvF3x4pEPIavpTBMWV8Mq1tYTaBXwTedVplpj9uKyE-OGtu5NLF24PibbuX5_o9I4gQi87TIeE4JW_J3fqGW08_widhQxNQsGjCJjwz1Tz-rEYpXFC-jKCrOH5sI9USt34k8FZom8oJKPeb7vYKGvAmiNJGD3-mMJM-X0P0mY2-GUi_BnTpLHaQihKTVkprlRQPJ0qiuZ72BhD7bVOLJ3bHJ4ty1VvaBo', 'e6b616fe89f982cbf410cd00cdbd76d3532b7a98412425bc87228f11f5c912ce', '7d9144ef22208afcec64993ad33c0a1e', 1795409619000, 1803189219000, 1795413219499, 'd83UjDm-wJEYSjjWyzWWZgQ_1ag.fZFE7yIgivzsZJk60zwKHg', 1);
INSERT INTO publishing.certificates VALUES ('crt_0mwsuoafeyuyzuoeoc70c', '6cb33e0b-ec74-490c-be21-38d6b9360233', 'staging.localhost', 'Animal Store Internal', 'internal', '-----BEGIN CERTIFICATE-----
MIIBvzCCAWWgAwIBAgIQcXzq02QdxwoA00vgPC9gzTAKBggqhkjOPQQDAjApMScw
JQYDVQQDDB5BbmltYWwgU3RvcmUgSW50ZXJuYWwgODhkNTFjOGIwHhcNMjYxMTIz
MDQ1MzM5WhcNMjcwMjIxMDU1MzM5WjAAMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD
QgAEL7doLdM0EHs5DBNPnGi/1TdfFiDNymhptboysqQiBsxTqXlwH8pGja2TwHyi
DNBgHTOCUKhnu1v27hZUdCul/6OBlzCBlDAfBgNVHREBAf8EFTATghFzdGFnaW5n
LmxvY2FsaG9zdDAMBgNVHRMBAf8EAjAAMA4GA1UdDwEB/wQEAwIHgDATBgNVHSUE
DDAKBggrBgEFBQcDATAdBgNVHQ4EFgQUUN5/cqCoophXfKilb088/J296tIwHwYD
VR0jBBgwFoAUd83UjDm+wJEYSjjWyzWWZgQ/1agwCgYIKoZIzj0EAwIDSAAwRQIg
OX+w39QSKid2BFJEcgC7Wk5JJ9E1Hbw0SupUC5Yk+WYCIQCx7O/idwq8qwzXn3ln
v0RfecNHEs8N/mCc2Z+Xz9d4NA==
-----END CERTIFICATE-----
', 'v1.8a1c9178214c1cd0.iCkK6C_sLYPhjJ87VpgRLwdfpFKaxJHlH6zTkZxVzyUUgmlm8tAz7YKPkZhe185J095JhVsR0SGFUXvNtIhBwWWIr27ACqR2RM1QOxTtOgp4dBh8KpPTUHLX0nyR02wIgCAuVfYsk9xybs24UC4HVPbvBbcodDrjtaEQ3ypbfJI48e60BVQYjxaTA4FgVz-1WY2ZWxqVOGFk1m2gemKMz7j8uftKlr_MJUPer0omnuZl-x3F4ouyOwKikAq7ETab7lQpuCSybG3Fx7qpqvW_ZDYpiz_Ne2UPfvqvWn_MJ09nCzCWlToQ901GHdKoRetQYLIpa25GUJu4u1rS4LkIwfBf7GwappL_8703w9c', 'a653874766b772b4323a2186382c28dfbeac208faa1d93cc222070f92caf570d', '717cead3641dc70a00d34be03c2f60cd', 1795409619000, 1803189219000, 1795413219530, 'd83UjDm-wJEYSjjWyzWWZgQ_1ag.cXzq02QdxwoA00vgPC9gzQ', 1);
INSERT INTO publishing.deploy_files VALUES ('2c39d4ce-936d-44a2-a827-4246dba8f784', 1, 'index.html', 'cb256b76d7a9280c10426b150d40b41d4c43f7dd7aad109e6ab4a01ad7d9d469');
INSERT INTO publishing.deploy_files VALUES ('2c39d4ce-936d-44a2-a827-4246dba8f784', 1, 'notes/a.txt', '556ac82f23f64d2f41b3fb3b9a171791364021aa95c0af6df9e2b5e1d88c8038');
INSERT INTO publishing.deploy_sources VALUES ('2c39d4ce-936d-44a2-a827-4246dba8f784', 1, 'index.html', 'cb256b76d7a9280c10426b150d40b41d4c43f7dd7aad109e6ab4a01ad7d9d469');
INSERT INTO publishing.deploy_sources VALUES ('2c39d4ce-936d-44a2-a827-4246dba8f784', 1, 'notes/a.txt', '556ac82f23f64d2f41b3fb3b9a171791364021aa95c0af6df9e2b5e1d88c8038');
INSERT INTO publishing.deploys VALUES ('2c39d4ce-936d-44a2-a827-4246dba8f784', 1, 'live', 'ready', 'folder', 'acc_0mwsuoaz002ryfiua51ho', 1795413220333, 1795413220426, 2, 3059, 2, 3059, NULL, NULL, NULL, NULL, NULL, 1);
INSERT INTO publishing.domain_checks VALUES ('dom_0mwsuob5gpst87bsq07av', 1795413220481, '{"check":{"at":"2026-11-23T05:53:40.481Z","result":"missing","diagnostics":[{"code":"D07","severity":"blocks","title":"docs.example.com has no record yet","detail":"The resolver answered: there is no CNAME and no address.","fix":{"text":"Add a CNAME record: name docs, value docs.localhost.","remove":[],"add":[{"name":"docs.example.com","type":"CNAME","value":"docs.localhost","ttlSeconds":3600}],"forms":[{"tool":"zone-file","text":"$ORIGIN example.com.\ndocs 3600 IN CNAME docs.localhost.\n"},{"tool":"nsupdate","text":"zone example.com.\nupdate add docs.example.com. 3600 CNAME docs.localhost.\nsend\n"},{"tool":"terraform-route53","text":"resource \"aws_route53_record\" \"docs_example_com_cname\" {\n  zone_id = var.zone_id\n  name    = \"docs.example.com\"\n  type    = \"CNAME\"\n  ttl     = 3600\n  records = [\"docs.localhost\"]\n}\n"},{"tool":"terraform-cloudflare","text":"resource \"cloudflare_dns_record\" \"docs_example_com_cname\" {\n  zone_id = var.zone_id\n  name    = \"docs.example.com\"\n  type    = \"CNAME\"\n  ttl     = 3600\n  content = \"docs.localhost\"\n  proxied = false\n}\n"},{"tool":"dig","text":"dig +norecurse docs.example.com CNAME\n"}]},"found":[],"expected":[],"difference":null,"until":null}],"propagation":{"servers":[],"resolver":{"name":null,"address":"10.255.255.53","state":"ok","answer":"missing","records":[],"cachedUntil":null},"responding":0,"updated":0,"cachedUntil":null},"isCutShort":true,"zone":"example.com","provider":null},"label":"docs","isVerificationRequired":false}', '{"format":1,"at":1795413220481,"durationMs":73,"queries":40,"isCutShort":true,"subject":{"host":"docs.example.com","unicodeHost":"docs.example.com","registrableDomain":"example.com","label":"docs","isApex":false},"platform":{"host":"docs.localhost","addresses":[],"staleAddresses":[],"ownHosts":["localhost","staging.localhost","localhost"],"authorities":[],"verification":{"name":"_animal-store.docs.example.com","value":"animal-store-verify=CbxLiYrs4e4Bpj9fGPmR6g"}},"claim":{"addedAt":1795413220468,"isProven":false,"pointedWhenAdded":false,"heldByOther":"no","heldBefore":false},"zone":{"delegation":"unknown","nameServers":[],"dnssec":"unsigned"},"servers":[],"resolver":{"server":{"address":"10.255.255.53","port":53},"host":{"kind":"nothing","rcode":"NXDOMAIN"}},"caa":[{"name":"docs.example.com","isOurTarget":false,"rcode":"not-asked","records":[]}],"chain":[],"probes":[],"planned":[],"exchanges":[{"server":{"name":"a.root-servers.net","address":"198.41.0.4","port":53},"question":{"name":"com","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220489,"ms":7.6,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"b.root-servers.net","address":"170.247.170.2","port":53},"question":{"name":"com","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220497,"ms":2.5,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"c.root-servers.net","address":"192.33.4.12","port":53},"question":{"name":"com","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220500,"ms":3.6,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"d.root-servers.net","address":"199.7.91.13","port":53},"question":{"name":"com","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220504,"ms":0.7,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"e.root-servers.net","address":"192.203.230.10","port":53},"question":{"name":"com","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220505,"ms":0.5,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"f.root-servers.net","address":"192.5.5.241","port":53},"question":{"name":"com","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220505,"ms":0.5,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"g.root-servers.net","address":"192.112.36.4","port":53},"question":{"name":"com","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220506,"ms":1.6,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"h.root-servers.net","address":"198.97.190.53","port":53},"question":{"name":"com","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220508,"ms":0.4,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"i.root-servers.net","address":"192.36.148.17","port":53},"question":{"name":"com","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220508,"ms":3.3,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"j.root-servers.net","address":"192.58.128.30","port":53},"question":{"name":"com","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220512,"ms":0.7,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"k.root-servers.net","address":"193.0.14.129","port":53},"question":{"name":"com","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220513,"ms":0.4,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"l.root-servers.net","address":"199.7.83.42","port":53},"question":{"name":"com","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220513,"ms":0.9,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"m.root-servers.net","address":"202.12.27.33","port":53},"question":{"name":"com","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220514,"ms":0.3,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"m.root-servers.net","address":"202.12.27.33","port":53},"question":{"name":"","type":"NS"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220520,"ms":0.5,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"h.root-servers.net","address":"198.97.190.53","port":53},"question":{"name":"","type":"NS"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220520,"ms":3.2,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"k.root-servers.net","address":"193.0.14.129","port":53},"question":{"name":"","type":"NS"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220524,"ms":0.5,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"e.root-servers.net","address":"192.203.230.10","port":53},"question":{"name":"","type":"NS"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220524,"ms":0.4,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"f.root-servers.net","address":"192.5.5.241","port":53},"question":{"name":"","type":"NS"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220525,"ms":0.3,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"d.root-servers.net","address":"199.7.91.13","port":53},"question":{"name":"","type":"NS"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220525,"ms":0.3,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"j.root-servers.net","address":"192.58.128.30","port":53},"question":{"name":"","type":"NS"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220525,"ms":0.4,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"l.root-servers.net","address":"199.7.83.42","port":53},"question":{"name":"","type":"NS"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220526,"ms":0.3,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"g.root-servers.net","address":"192.112.36.4","port":53},"question":{"name":"","type":"NS"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220526,"ms":0.3,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"b.root-servers.net","address":"170.247.170.2","port":53},"question":{"name":"","type":"NS"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220527,"ms":0.3,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"i.root-servers.net","address":"192.36.148.17","port":53},"question":{"name":"","type":"NS"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220527,"ms":0.3,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"c.root-servers.net","address":"192.33.4.12","port":53},"question":{"name":"","type":"NS"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220527,"ms":0.3,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"a.root-servers.net","address":"198.41.0.4","port":53},"question":{"name":"","type":"NS"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220528,"ms":0.3,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"address":"10.255.255.53","port":53},"question":{"name":"","type":"SOA"},"wantsRecursion":true,"isCheckingDisabled":false,"transport":"udp","at":1795413220530,"ms":4.7,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"address":"10.255.255.53","port":53},"question":{"name":"docs.localhost","type":"A"},"wantsRecursion":true,"isCheckingDisabled":false,"transport":"udp","at":1795413220530,"ms":5.1,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"address":"10.255.255.53","port":53},"question":{"name":"docs.example.com","type":"A"},"wantsRecursion":true,"isCheckingDisabled":false,"transport":"udp","at":1795413220530,"ms":5.6,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"a.root-servers.net","address":"198.41.0.4","port":53},"question":{"name":"localhost","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220530,"ms":5.8,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"b.root-servers.net","address":"170.247.170.2","port":53},"question":{"name":"localhost","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220536,"ms":3.1,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"c.root-servers.net","address":"192.33.4.12","port":53},"question":{"name":"localhost","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220540,"ms":0.5,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"d.root-servers.net","address":"199.7.91.13","port":53},"question":{"name":"localhost","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220540,"ms":3.1,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"f.root-servers.net","address":"192.5.5.241","port":53},"question":{"name":"localhost","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220544,"ms":0.5,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"g.root-servers.net","address":"192.112.36.4","port":53},"question":{"name":"localhost","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220544,"ms":0.3,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"i.root-servers.net","address":"192.36.148.17","port":53},"question":{"name":"localhost","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220545,"ms":0.3,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"l.root-servers.net","address":"199.7.83.42","port":53},"question":{"name":"localhost","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220545,"ms":0.3,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"e.root-servers.net","address":"192.203.230.10","port":53},"question":{"name":"localhost","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220546,"ms":1.1,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"j.root-servers.net","address":"192.58.128.30","port":53},"question":{"name":"localhost","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220547,"ms":4.5,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"k.root-servers.net","address":"193.0.14.129","port":53},"question":{"name":"localhost","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413220552,"ms":0.6,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}}]}');
INSERT INTO publishing.domain_events VALUES (1, 'evt_0mwsuob5gfhwd45tgddpo', 1795413220468, '2c39d4ce-936d-44a2-a827-4246dba8f784', 'docs.example.com', 'dom_0mwsuob5gpst87bsq07av', 'added', 'acc_0mwsuoaz002ryfiua51ho', '{}');
INSERT INTO publishing.domain_events VALUES (2, 'evt_0mwsuob5tjijg7mjgandw', 1795413220481, '2c39d4ce-936d-44a2-a827-4246dba8f784', 'docs.example.com', 'dom_0mwsuob5gpst87bsq07av', 'dns_changed', NULL, '{"from":"unchecked","to":"missing"}');
INSERT INTO publishing.domains VALUES ('a3b6ddde-dd4f-4123-a921-0974acdbd72b', 'localhost', '', 'platform', '', 1795413219350, 1795413219350, 3, 'proven', NULL, 1795413219350, 'ok', NULL, NULL, NULL, NULL, 'https', 'issued', NULL, '{"begunAt":1795413219499,"orderedAt":1795413219499,"validatingAt":null,"endedAt":1795413219499,"isIssued":true}', NULL, NULL, 0, 1803189219000, 1800596019000, NULL, NULL, 1795456419499, 1795456419499, NULL, NULL, 'alias', NULL, NULL, 'active');
INSERT INTO publishing.domains VALUES ('6cb33e0b-ec74-490c-be21-38d6b9360233', 'staging.localhost', '', 'platform', '', 1795413219350, 1795413219350, 3, 'proven', NULL, 1795413219350, 'ok', NULL, NULL, NULL, NULL, 'https', 'issued', NULL, '{"begunAt":1795413219530,"orderedAt":1795413219530,"validatingAt":null,"endedAt":1795413219530,"isIssued":true}', NULL, NULL, 0, 1803189219000, 1800596019000, NULL, NULL, 1795456419530, 1795456419530, NULL, NULL, 'alias', NULL, NULL, 'active');
INSERT INTO publishing.domains VALUES ('dom_0mwsuob5gpst87bsq07av', 'docs.example.com', '2c39d4ce-936d-44a2-a827-4246dba8f784', 'acc_0mwsuoaz002ryfiua51ho', 'animal-store-verify=CbxLiYrs4e4Bpj9fGPmR6g', 1795413220468, 1795413220468, 1, 'unproven', NULL, NULL, 'missing', 0, 1795413220481, NULL, NULL, 'off', 'none', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, 1795413280481, NULL, 1795413280481, NULL, NULL, 'alias', NULL, NULL, NULL);
INSERT INTO publishing.files VALUES ('556ac82f23f64d2f41b3fb3b9a171791364021aa95c0af6df9e2b5e1d88c8038', 3000, '\x616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161', '\x1f8b0800000000000203edc13101000000c2a0aceb5fc21a1e40010000ef06c83cdc5eb80b0000', '\xc1b85d002011168f0512370000', 1);
INSERT INTO publishing.files VALUES ('cb256b76d7a9280c10426b150d40b41d4c43f7dd7aad109e6ab4a01ad7d9d469', 59, '\x3c21646f63747970652068746d6c3e3c7469746c653e47756964653c2f7469746c653e3c703e466565642074776963652061206461792e3c2f703e', NULL, NULL, 1);
INSERT INTO publishing.internal_roots VALUES (1, '-----BEGIN CERTIFICATE-----
MIIBlTCCATugAwIBAgIQebru9zr4tQ8rBEVBklrYpjAKBggqhkjOPQQDAjApMScw
JQYDVQQDDB5BbmltYWwgU3RvcmUgSW50ZXJuYWwgODhkNTFjOGIwHhcNMjYxMTIz
MDQ1MzM5WhcNMzYxMTIwMDU1MzM5WjApMScwJQYDVQQDDB5BbmltYWwgU3RvcmUg
SW50ZXJuYWwgODhkNTFjOGIwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAT3W850
J67KCGEhwIFVAoe/UGIGTWWK11jlgjprmA67ch9kW29v6CF5nuPN0R/RWuEUbEN1
b+vIUF9FkqLUupZKo0UwQzASBgNVHRMBAf8ECDAGAQH/AgEAMA4GA1UdDwEB/wQE
AwIBBjAdBgNVHQ4EFgQUd83UjDm+wJEYSjjWyzWWZgQ/1agwCgYIKoZIzj0EAwID
SAAwRQIhAM/e+BA8mlHnn9LAhdIjW09wr2K9Na+K6kU22yd4vpgKAiAzQJ2R0RTR
HLEnREY13r2P0mMVKYxLkWFBnxhYBcdKVA==
-----END CERTIFICATE-----
', 'v1.8a1c9178214c1cd0.NHpXHXDbI_uns6LUnwU7qUrOiBfVnL592tkcp0bEWYITfnfZm3eFF0q3ucXJsCcGSalOX8rS_TKl049wow0-nnde1BCEeB4dpggIvm-VVV08CvxFltvcCTrHIZvHH3ZbswRmKw6coyeR6I-dxpmAgSh7Lj4LsLRL_8yWRzYSmB2aNezDEXAztXSu7TjiodWlosq4dgo9htkcyf9fthdQe9oux0l8mEpb0QNdu3u3u6-o6wG20AbYUOoT7H7z2qrEV5ZexUFBqaFAXyC_E_SxcCWpd37wRG-9-OozXA2e97oi2JglhpH3HEE86U6bIC25M_MdTfqZviv46vD8yi-eOaAlpj6KBHmKnmHDcKs');
INSERT INTO publishing.migrations VALUES (1, 'accounts', '2026-11-23 05:53:38.48513+00');
INSERT INTO publishing.migrations VALUES (2, 'projects and deploys', '2026-11-23 05:53:38.500952+00');
INSERT INTO publishing.migrations VALUES (3, 'domains', '2026-11-23 05:53:38.525624+00');
INSERT INTO publishing.migrations VALUES (4, 'certificates', '2026-11-23 05:53:38.541746+00');
INSERT INTO publishing.migrations VALUES (5, 'events of domains', '2026-11-23 05:53:38.56883+00');
INSERT INTO publishing.migrations VALUES (6, 'names of columns of domains', '2026-11-23 05:53:38.588713+00');
INSERT INTO publishing.projects VALUES ('2c39d4ce-936d-44a2-a827-4246dba8f784', 'acc_0mwsuoaz002ryfiua51ho', 'Guide', 1, 1, NULL, 1795413220258);
INSERT INTO publishing.publishing_state VALUES (1, 7, 0, 2);
INSERT INTO publishing.sessions VALUES ('ses_0mwsuoat35txfdgykc8ae', 'acc_0mwsuoat3prim49enret3', '85e94bb74fe710b7485a405b673c1d64c2ad3af401ca18957d710fafd97017f4', 1795413220023, 1795413220023, 1798005220023, NULL, '127.0.0.1', '');
INSERT INTO publishing.sessions VALUES ('ses_0mwsuoaz0fsivghz8thgh', 'acc_0mwsuoaz002ryfiua51ho', 'e6140f82617427fcd7504fc25a2a6fa523518b565c3e46d9bd26749547c37c3f', 1795413220236, 1795413220236, 1798005220236, NULL, '127.0.0.1', '');
INSERT INTO publishing.slugs VALUES ('guide', '2c39d4ce-936d-44a2-a827-4246dba8f784', 'acc_0mwsuoaz002ryfiua51ho', 1, NULL);
INSERT INTO staging.api_keys VALUES ('F8RQaBmwjwYr', 'F8RQaBmwjwYr', 'first key', '3de3ffd7bf3323342fb2f8e14954fedd3217d0f19194d3b547e434c0eb4d5881', '*', NULL, 1795413218414, NULL, NULL, NULL, 0, NULL);
INSERT INTO staging.categories VALUES (1, 'Dogs');
INSERT INTO staging.categories VALUES (2, 'Cats');
INSERT INTO staging.categories VALUES (3, 'Birds');
INSERT INTO staging.categories VALUES (4, 'Rabbits');
INSERT INTO staging.categories VALUES (5, 'Fish');
INSERT INTO staging.categories VALUES (6, 'Reptiles');
INSERT INTO staging.categories VALUES (7, 'Horses');
INSERT INTO staging.migrations VALUES (1, 'store', '2026-11-23 05:53:38.385065+00');
INSERT INTO staging.migrations VALUES (2, 'categories and orders', '2026-11-23 05:53:38.393479+00');
INSERT INTO staging.migrations VALUES (3, 'webhooks', '2026-11-23 05:53:38.400464+00');
INSERT INTO staging.migrations VALUES (4, 'deprecated calls', '2026-11-23 05:53:38.410533+00');
INSERT INTO staging.pets VALUES (1, 'Rex', 1, 'available');
INSERT INTO staging.pets VALUES (2, 'Bella', 2, 'available');
INSERT INTO staging.pets VALUES (3, 'Milo', 3, 'pending');
INSERT INTO staging.pets VALUES (4, 'Luna', 4, 'available');
INSERT INTO staging.pets VALUES (5, 'Charlie', 5, 'sold');
INSERT INTO staging.pets VALUES (6, 'Nala', 6, 'available');
INSERT INTO staging.pets VALUES (7, 'Oscar', 7, 'available');
INSERT INTO staging.pets VALUES (8, 'Kiwi', 1, 'pending');
INSERT INTO staging.pets VALUES (9, 'Shadow', 2, 'available');
INSERT INTO staging.pets VALUES (10, 'Daisy', 3, 'sold');
INSERT INTO staging.pets VALUES (11, 'Simba', 4, 'available');
INSERT INTO staging.pets VALUES (12, 'Coco', 5, 'available');
INSERT INTO staging.pets VALUES (13, 'Rocky', 6, 'pending');
INSERT INTO staging.pets VALUES (14, 'Hazel', 7, 'available');
INSERT INTO staging.pets VALUES (15, 'Ziggy', 1, 'sold');
INSERT INTO staging.pets VALUES (16, 'Pepper', 2, 'available');
INSERT INTO staging.pets VALUES (17, 'Finn', 3, 'available');
INSERT INTO staging.pets VALUES (18, 'Olive', 4, 'pending');
INSERT INTO staging.pets VALUES (19, 'Bruno', 5, 'available');
INSERT INTO staging.pets VALUES (20, 'Willow', 6, 'sold');
INSERT INTO staging.pets VALUES (21, 'Gizmo', 7, 'available');
INSERT INTO staging.pets VALUES (22, 'Maple', 1, 'available');
INSERT INTO staging.pets VALUES (23, 'Otto', 2, 'pending');
INSERT INTO staging.pets VALUES (24, 'Pearl', 3, 'available');
INSERT INTO staging.pets VALUES (25, 'Taco', 4, 'sold');
INSERT INTO staging.pets VALUES (26, 'Ivy', 5, 'available');
INSERT INTO staging.pets VALUES (27, 'Bandit', 6, 'available');
INSERT INTO staging.pets VALUES (28, 'Honey', 7, 'pending');
INSERT INTO staging.pets VALUES (29, 'Loki', 1, 'available');
INSERT INTO staging.pets VALUES (30, 'Poppy', 2, 'sold');
INSERT INTO staging.pets VALUES (31, 'Felix', 3, 'available');
INSERT INTO staging.pets VALUES (32, 'Ruby', 4, 'available');
INSERT INTO staging.pets VALUES (33, 'Hugo', 5, 'pending');
INSERT INTO staging.pets VALUES (34, 'Ginger', 6, 'available');
INSERT INTO staging.pets VALUES (35, 'Storm', 7, 'sold');
INSERT INTO staging.pets VALUES (36, 'Clover', 1, 'available');
INSERT INTO staging.pets VALUES (37, 'Moose', 2, 'available');
INSERT INTO staging.pets VALUES (38, 'Saffron', 3, 'pending');
INSERT INTO staging.pets VALUES (39, 'Archie', 4, 'available');
INSERT INTO staging.pets VALUES (40, 'Juniper', 5, 'sold');
INSERT INTO staging.pets VALUES (41, 'Sókrates', 6, 'available');
INSERT INTO staging.pets VALUES (42, 'Žofka', 7, 'available');
INSERT INTO staging.pets VALUES (43, 'Ñandú', 1, 'pending');
INSERT INTO staging.pets VALUES (44, 'Büsi', 2, 'available');
INSERT INTO staging.pets VALUES (45, '小白', 3, 'sold');
INSERT INTO staging.pets VALUES (46, 'もも', 4, 'available');
INSERT INTO staging.pets VALUES (47, 'Мурка', 5, 'available');
INSERT INTO staging.pets VALUES (48, 'Ψίψι', 6, 'pending');
INSERT INTO staging.pets VALUES (49, 'Zoë', 7, 'available');
INSERT INTO staging.pets VALUES (50, '🐢 Flash', 1, 'sold');
INSERT INTO staging.store_state VALUES (1, 8, 1, 50, 30, 10, 10, 1, 7, 7, 0, 0, 0, 0, 0, 0, 0);
ALTER TABLE ONLY limits.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY limits.processes
    ADD CONSTRAINT processes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY limits.rate_limits
    ADD CONSTRAINT rate_limits_pkey PRIMARY KEY (key_id);
ALTER TABLE ONLY limits.request_minutes
    ADD CONSTRAINT request_minutes_pkey PRIMARY KEY (minute, environment);
ALTER TABLE ONLY production.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY production.categories
    ADD CONSTRAINT categories_pkey PRIMARY KEY (id);
ALTER TABLE ONLY production.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (scope, key);
ALTER TABLE ONLY production.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY production.orders
    ADD CONSTRAINT orders_pkey PRIMARY KEY (id);
ALTER TABLE ONLY production.pets
    ADD CONSTRAINT pets_pkey PRIMARY KEY (id);
ALTER TABLE ONLY production.store_state
    ADD CONSTRAINT store_state_pkey PRIMARY KEY (id);
ALTER TABLE ONLY production.webhook_attempts
    ADD CONSTRAINT webhook_attempts_pkey PRIMARY KEY (webhook_id, event_id, attempt);
ALTER TABLE ONLY production.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (event_id, webhook_id);
ALTER TABLE ONLY production.webhook_events
    ADD CONSTRAINT webhook_events_message_id_key UNIQUE (message_id);
ALTER TABLE ONLY production.webhook_events
    ADD CONSTRAINT webhook_events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY production.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (id);
ALTER TABLE ONLY publishing.access_tokens
    ADD CONSTRAINT access_tokens_pkey PRIMARY KEY (id);
ALTER TABLE ONLY publishing.account_links
    ADD CONSTRAINT account_links_pkey PRIMARY KEY (id);
ALTER TABLE ONLY publishing.account_links
    ADD CONSTRAINT account_links_token_hash_key UNIQUE (token_hash);
ALTER TABLE ONLY publishing.accounts
    ADD CONSTRAINT accounts_email_key_key UNIQUE (email_key);
ALTER TABLE ONLY publishing.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY publishing.acme_accounts
    ADD CONSTRAINT acme_accounts_pkey PRIMARY KEY (directory);
ALTER TABLE ONLY publishing.authority_ledger
    ADD CONSTRAINT authority_ledger_pkey PRIMARY KEY (id);
ALTER TABLE ONLY publishing.certificate_orders
    ADD CONSTRAINT certificate_orders_pkey PRIMARY KEY (domain_id);
ALTER TABLE ONLY publishing.certificates
    ADD CONSTRAINT certificates_pkey PRIMARY KEY (id);
ALTER TABLE ONLY publishing.deploy_files
    ADD CONSTRAINT deploy_files_pkey PRIMARY KEY (project_id, number, path);
ALTER TABLE ONLY publishing.deploy_sources
    ADD CONSTRAINT deploy_sources_pkey PRIMARY KEY (project_id, number, path);
ALTER TABLE ONLY publishing.deploys
    ADD CONSTRAINT deploys_pkey PRIMARY KEY (project_id, number);
ALTER TABLE ONLY publishing.domain_checks
    ADD CONSTRAINT domain_checks_pkey PRIMARY KEY (domain_id);
ALTER TABLE ONLY publishing.domain_events
    ADD CONSTRAINT domain_events_id_key UNIQUE (id);
ALTER TABLE ONLY publishing.domain_events
    ADD CONSTRAINT domain_events_pkey PRIMARY KEY ("position");
ALTER TABLE ONLY publishing.domain_notices
    ADD CONSTRAINT domain_notices_pkey PRIMARY KEY ("position", channel, recipient);
ALTER TABLE ONLY publishing.domain_tombstones
    ADD CONSTRAINT domain_tombstones_pkey PRIMARY KEY (host, holder);
ALTER TABLE ONLY publishing.domain_webhooks
    ADD CONSTRAINT domain_webhooks_pkey PRIMARY KEY (project_id);
ALTER TABLE ONLY publishing.domains
    ADD CONSTRAINT domains_pkey PRIMARY KEY (id);
ALTER TABLE ONLY publishing.files
    ADD CONSTRAINT files_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY publishing.internal_roots
    ADD CONSTRAINT internal_roots_pkey PRIMARY KEY (id);
ALTER TABLE ONLY publishing.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY publishing.nodes
    ADD CONSTRAINT nodes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY publishing.projects
    ADD CONSTRAINT projects_pkey PRIMARY KEY (id);
ALTER TABLE ONLY publishing.publishing_state
    ADD CONSTRAINT publishing_state_pkey PRIMARY KEY (id);
ALTER TABLE ONLY publishing.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY publishing.sessions
    ADD CONSTRAINT sessions_token_hash_key UNIQUE (token_hash);
ALTER TABLE ONLY publishing.slugs
    ADD CONSTRAINT slugs_pkey PRIMARY KEY (slug);
ALTER TABLE ONLY publishing.uploads
    ADD CONSTRAINT uploads_pkey PRIMARY KEY (project_id, archive, hash);
ALTER TABLE ONLY publishing.withdrawn_hosts
    ADD CONSTRAINT withdrawn_hosts_pkey PRIMARY KEY (version, host);
ALTER TABLE ONLY staging.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY staging.categories
    ADD CONSTRAINT categories_pkey PRIMARY KEY (id);
ALTER TABLE ONLY staging.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (scope, key);
ALTER TABLE ONLY staging.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY staging.orders
    ADD CONSTRAINT orders_pkey PRIMARY KEY (id);
ALTER TABLE ONLY staging.pets
    ADD CONSTRAINT pets_pkey PRIMARY KEY (id);
ALTER TABLE ONLY staging.store_state
    ADD CONSTRAINT store_state_pkey PRIMARY KEY (id);
ALTER TABLE ONLY staging.webhook_attempts
    ADD CONSTRAINT webhook_attempts_pkey PRIMARY KEY (webhook_id, event_id, attempt);
ALTER TABLE ONLY staging.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (event_id, webhook_id);
ALTER TABLE ONLY staging.webhook_events
    ADD CONSTRAINT webhook_events_message_id_key UNIQUE (message_id);
ALTER TABLE ONLY staging.webhook_events
    ADD CONSTRAINT webhook_events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY staging.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (id);
CREATE INDEX idempotency_keys_by_age ON production.idempotency_keys USING btree (created_at);
CREATE UNIQUE INDEX one_open_order_for_each_pet ON production.orders USING btree (pet_id) WHERE (status = ANY (ARRAY['placed'::text, 'approved'::text]));
CREATE INDEX orders_by_pet ON production.orders USING btree (pet_id, id);
CREATE INDEX orders_by_status ON production.orders USING btree (status, id);
CREATE INDEX pets_by_status ON production.pets USING btree (status, id, name, category_id);
CREATE INDEX webhook_deliveries_due ON production.webhook_deliveries USING btree (webhook_id, due_at, event_id) WHERE (due_at IS NOT NULL);
CREATE INDEX webhook_deliveries_finished ON production.webhook_deliveries USING btree (webhook_id, finished_at) WHERE (finished_at IS NOT NULL);
CREATE INDEX webhook_deliveries_oldest ON production.webhook_deliveries USING btree (webhook_id, event_id) WHERE (finished_at IS NULL);
CREATE INDEX webhook_deliveries_open ON production.webhook_deliveries USING btree (webhook_id, pet_id, event_id) WHERE (finished_at IS NULL);
CREATE INDEX access_tokens_by_account ON publishing.access_tokens USING btree (account_id, created_at);
CREATE INDEX access_tokens_by_end ON publishing.access_tokens USING btree (expires_at);
CREATE INDEX account_links_by_account ON publishing.account_links USING btree (account_id);
CREATE INDEX account_links_by_end ON publishing.account_links USING btree (expires_at);
CREATE INDEX account_links_by_maker ON publishing.account_links USING btree (created_by);
CREATE INDEX authority_ledger_by_age ON publishing.authority_ledger USING btree (at);
CREATE INDEX authority_ledger_by_domain ON publishing.authority_ledger USING btree (directory, registered_domain, at);
CREATE INDEX authority_ledger_by_host ON publishing.authority_ledger USING btree (directory, host, at);
CREATE INDEX certificate_orders_by_domain ON publishing.certificate_orders USING btree (directory, registered_domain);
CREATE INDEX certificate_orders_by_host ON publishing.certificate_orders USING btree (host);
CREATE INDEX certificates_by_age ON publishing.certificates USING btree (not_after);
CREATE INDEX deploy_files_by_hash ON publishing.deploy_files USING btree (hash);
CREATE INDEX deploy_sources_by_hash ON publishing.deploy_sources USING btree (hash, project_id);
CREATE INDEX deploys_received ON publishing.deploys USING btree (created_at) WHERE (state = 'receiving'::text);
CREATE INDEX deploys_to_build ON publishing.deploys USING btree (created_at) WHERE (state = ANY (ARRAY['uploaded'::text, 'building'::text]));
CREATE INDEX deploys_to_sweep ON publishing.deploys USING btree (project_id, number) WHERE (state = 'removed'::text);
CREATE INDEX domain_events_by_age ON publishing.domain_events USING btree (at);
CREATE INDEX domain_events_by_host ON publishing.domain_events USING btree (project_id, host, "position");
CREATE INDEX domain_events_by_project ON publishing.domain_events USING btree (project_id, "position");
CREATE INDEX domain_notices_by_project ON publishing.domain_notices USING btree (project_id, channel);
CREATE INDEX domain_notices_due ON publishing.domain_notices USING btree (channel, due_at);
CREATE INDEX domain_notices_in_order ON publishing.domain_notices USING btree (domain_id, channel, recipient, "position");
CREATE INDEX domain_tombstones_by_age ON publishing.domain_tombstones USING btree (held_until);
CREATE UNIQUE INDEX domains_by_host ON publishing.domains USING btree (host, holder);
CREATE INDEX domains_by_project ON publishing.domains USING btree (project_id, host);
CREATE INDEX domains_due ON publishing.domains USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX domains_of_platform ON publishing.domains USING btree (host) WHERE (holder = 'platform'::text);
CREATE UNIQUE INDEX one_current_certificate_for_each_domain ON publishing.certificates USING btree (domain_id) WHERE (is_current = 1);
CREATE UNIQUE INDEX one_current_slug_for_each_project ON publishing.slugs USING btree (project_id) WHERE (is_current = 1);
CREATE UNIQUE INDEX one_primary_for_each_project ON publishing.domains USING btree (project_id) WHERE (role = 'primary'::text);
CREATE UNIQUE INDEX one_proven_claim_for_each_host ON publishing.domains USING btree (host) WHERE (ownership = 'proven'::text);
CREATE INDEX projects_by_owner ON publishing.projects USING btree (owner_id, id);
CREATE INDEX sessions_by_account ON publishing.sessions USING btree (account_id, seen_at);
CREATE INDEX sessions_by_end ON publishing.sessions USING btree (expires_at);
CREATE INDEX slugs_by_project ON publishing.slugs USING btree (project_id);
CREATE INDEX slugs_held ON publishing.slugs USING btree (owner_id, held_until) WHERE (project_id IS NULL);
CREATE INDEX uploads_by_age ON publishing.uploads USING btree (uploaded_at);
CREATE INDEX uploads_by_hash ON publishing.uploads USING btree (hash, project_id);
CREATE INDEX idempotency_keys_by_age ON staging.idempotency_keys USING btree (created_at);
CREATE UNIQUE INDEX one_open_order_for_each_pet ON staging.orders USING btree (pet_id) WHERE (status = ANY (ARRAY['placed'::text, 'approved'::text]));
CREATE INDEX orders_by_pet ON staging.orders USING btree (pet_id, id);
CREATE INDEX orders_by_status ON staging.orders USING btree (status, id);
CREATE INDEX pets_by_status ON staging.pets USING btree (status, id, name, category_id);
CREATE INDEX webhook_deliveries_due ON staging.webhook_deliveries USING btree (webhook_id, due_at, event_id) WHERE (due_at IS NOT NULL);
CREATE INDEX webhook_deliveries_finished ON staging.webhook_deliveries USING btree (webhook_id, finished_at) WHERE (finished_at IS NOT NULL);
CREATE INDEX webhook_deliveries_oldest ON staging.webhook_deliveries USING btree (webhook_id, event_id) WHERE (finished_at IS NULL);
CREATE INDEX webhook_deliveries_open ON staging.webhook_deliveries USING btree (webhook_id, pet_id, event_id) WHERE (finished_at IS NULL);
ALTER TABLE ONLY publishing.access_tokens
    ADD CONSTRAINT access_tokens_account_id_fkey FOREIGN KEY (account_id) REFERENCES publishing.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY publishing.account_links
    ADD CONSTRAINT account_links_account_id_fkey FOREIGN KEY (account_id) REFERENCES publishing.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY publishing.account_links
    ADD CONSTRAINT account_links_created_by_fkey FOREIGN KEY (created_by) REFERENCES publishing.accounts(id) ON DELETE SET NULL;
ALTER TABLE ONLY publishing.projects
    ADD CONSTRAINT projects_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES publishing.accounts(id);
ALTER TABLE ONLY publishing.sessions
    ADD CONSTRAINT sessions_account_id_fkey FOREIGN KEY (account_id) REFERENCES publishing.accounts(id) ON DELETE CASCADE;
