// All migrations of an environment's database, in order.
import { createAuditLog } from '#kit/audit/tables.ts'
import { createTables, type Migration } from '#kit/database/declared-tables.ts'

/** Those of 1.0.0-rc.1, which never change. */
export const tables = {
  // One row: the versions, the last ids and the counters, which are written with every change.
  store_state: {
    id: 'int64 not null primary key check (id = 1)',
    // Moves with every change of what the API shows.
    content_version: 'int64 not null',
    // Moves with every change of a key that a cached look-up could miss.
    keys_version: 'int64 not null',
    last_pet_id: 'int64 not null',
    available: 'int64 not null',
    pending: 'int64 not null',
    sold: 'int64 not null',
    // 0 until the first start has done its part.
    initialised: 'int64 not null',
    last_category_id: 'int64 not null default 0',
    categories: 'int64 not null default 0',
    last_order_id: 'int64 not null default 0',
    placed: 'int64 not null default 0',
    approved: 'int64 not null default 0',
    delivered: 'int64 not null default 0',
    cancelled: 'int64 not null default 0',
    // How many webhooks get events: none, and no write has anything to do for them.
    active_webhooks: 'int64 not null default 0',
    last_event_id: 'int64 not null default 0',
  },
  // The animals.
  pets: {
    id: 'int64 not null primary key',
    name: 'text not null',
    category_id: 'int64 not null',
    status: "text not null check (status in ('available', 'pending', 'sold'))",
  },
  // Names of the categories that animals refer to.
  categories: {
    id: 'int64 not null primary key',
    name: 'text not null',
  },
  // An animal has at most one open order.
  orders: {
    id: 'int64 not null primary key',
    pet_id: 'int64 not null',
    status: "text not null check (status in ('placed', 'approved', 'delivered', 'cancelled'))",
    created_at: 'int64 not null',
  },
  // The keys of the API. Their secrets are hashes.
  api_keys: {
    id: 'text not null primary key',
    // Id of the first key of a chain of rotations: who they all belong to.
    lineage: 'text not null',
    label: 'text not null',
    secret_hash: 'text not null',
    // Separated by spaces.
    scopes: 'text not null',
    rate_limit: 'text',
    created_at: 'int64 not null',
    expires_at: 'int64',
    revoked_at: 'int64',
    last_used_at: 'int64',
    // How often it called what is deprecated, and when last.
    deprecated_calls: 'int64 not null default 0',
    deprecated_at: 'int64',
  },
  // Responses that are sent again when a request is repeated with its key.
  idempotency_keys: {
    scope: 'text not null',
    key: 'text not null',
    fingerprint: 'text not null',
    status: 'int64 not null',
    location: 'text not null',
    body: 'text not null',
    created_at: 'int64 not null',
    'primary key': '(scope, key)',
  },
  // Who gets events.
  webhooks: {
    id: 'text not null primary key',
    label: 'text not null',
    url: 'text not null',
    // Separated by spaces, or `*`.
    events: 'text not null',
    // Encrypted, like the one before it, which signs too until previous_until.
    secret: 'text not null',
    previous_secret: 'text',
    previous_until: 'int64',
    created_at: 'int64 not null',
    // First failure since the last successful delivery.
    failing_since: 'int64',
    disabled_at: 'int64',
    disabled_reason: 'text',
    removed_at: 'int64',
  },
  // The outbox.
  webhook_events: {
    id: 'int64 not null primary key',
    message_id: 'text not null unique',
    type: 'text not null',
    // The animal that puts events in order.
    pet_id: 'int64 not null',
    created_at: 'int64 not null',
    payload: 'text not null',
  },
  // One is open until it has finished. An open one without a due time waits for an earlier one of its animal; the due
  // time of a claimed one is when its lease expires.
  webhook_deliveries: {
    event_id: 'int64 not null',
    webhook_id: 'text not null',
    pet_id: 'int64 not null',
    // Null while it is held behind an earlier one of its animal, and once it has finished.
    due_at: 'int64',
    // Whose attempt it is, until due_at.
    claim: 'text',
    attempts: 'int64 not null',
    // Attempts since it was last resent: they decide the back-off.
    tries: 'int64 not null',
    // 1 when it was resent: it holds no later event.
    resent: 'int64 not null',
    finished_at: 'int64',
    outcome: "text check (outcome in ('delivered', 'failed'))",
    'primary key': '(event_id, webhook_id)',
  },
  // The log of deliveries.
  webhook_attempts: {
    webhook_id: 'text not null',
    event_id: 'int64 not null',
    attempt: 'int64 not null',
    at: 'int64 not null',
    duration_ms: 'int64 not null',
    status: 'int64',
    error: 'text',
    next_at: 'int64',
    'primary key': '(webhook_id, event_id, attempt)',
  },
} as const

const statements = [
  `insert into store_state (id, content_version, keys_version, last_pet_id, available, pending, sold, initialised)
    values (1, 0, 0, 0, 0, 0, 0, 0)`,
  // With all columns, so that the index alone serves a page of one status.
  'create index pets_by_status on pets (status, id, name, category_id)',
  'create index orders_by_status on orders (status, id)',
  'create index orders_by_pet on orders (pet_id, id)',
  `create unique index one_open_order_for_each_pet on orders (pet_id)
    where status in ('placed', 'approved')`,
  'create index idempotency_keys_by_age on idempotency_keys (created_at)',
  `create index webhook_deliveries_due on webhook_deliveries (webhook_id, due_at, event_id)
    where due_at is not null`,
  `create index webhook_deliveries_open on webhook_deliveries (webhook_id, pet_id, event_id)
    where finished_at is null`,
  `create index webhook_deliveries_oldest on webhook_deliveries (webhook_id, event_id)
    where finished_at is null`,
  `create index webhook_deliveries_finished on webhook_deliveries (webhook_id, finished_at)
    where finished_at is not null`,
]

/** The last migration of 1.0.0-rc.1 had this number. */
const schema: Migration = {
  id: 4,
  name: 'schema of 1.0.0-rc.1',
  sql: (types) => createTables(tables, types) + statements.join(';\n'),
}

/** What has changed since 1.0.0-rc.1. */
const upgrade: Migration = {
  id: 8,
  name: 'changes since 1.0.0-rc.1',
  sql: (types) => {
    // As in name-key.ts: orders as the bytes of UTF-8 do.
    const key = types.engine === 'postgres' ? 'lower(name collate "C")' : 'lower(name)'
    return `
    create index pets_by_name on pets (${key}, id);
    create index categories_by_name on categories (${key}, id);
    create index pets_by_category on pets (category_id, id);
    ${createAuditLog(types)}`
  },
}

export const storeMigrations: Migration[] = [schema, upgrade]
