// The tables of one environment's database, as the queries see them. migrations/ creates them.
import { rowWriter } from '#kit/database/insert-rows.ts'
import { queriesFor, statementsFor } from '#kit/database/query.ts'

export type PetStatus = 'available' | 'pending' | 'sold'
export type OrderStatus = 'placed' | 'approved' | 'delivered' | 'cancelled'

export interface StoreTables {
  /** One row: what changes with every write, kept in the write's own transaction. */
  store_state: {
    id: bigint
    /** Moves with every change of what the API shows. */
    content_version: bigint
    /** Moves with every change of a key that a cached look-up could miss. */
    keys_version: bigint
    last_pet_id: bigint
    available: bigint
    pending: bigint
    sold: bigint
    last_category_id: bigint
    categories: bigint
    last_order_id: bigint
    placed: bigint
    approved: bigint
    delivered: bigint
    cancelled: bigint
    /** 0 until the first start has done its part. */
    initialised: bigint
    /** How many webhooks get events: none, and no write has anything to do for them. */
    active_webhooks: bigint
    last_event_id: bigint
  }
  pets: { id: bigint; name: string; category_id: bigint; status: PetStatus }
  categories: { id: bigint; name: string }
  orders: { id: bigint; pet_id: bigint; status: OrderStatus; created_at: bigint }
  api_keys: {
    id: string
    /** Id of the first key of a chain of rotations: who they all belong to. */
    lineage: string
    label: string
    secret_hash: string
    /** Separated by spaces. */
    scopes: string
    rate_limit: string | null
    created_at: bigint
    expires_at: bigint | null
    revoked_at: bigint | null
    last_used_at: bigint | null
    /** How often it called what is deprecated, and when last. */
    deprecated_calls: bigint
    deprecated_at: bigint | null
  }
  idempotency_keys: {
    scope: string
    key: string
    fingerprint: string
    status: bigint
    location: string
    body: string
    created_at: bigint
  }
  webhooks: {
    id: string
    label: string
    url: string
    /** Separated by spaces, or `*`. */
    events: string
    /** Encrypted, like the one before it, which signs too until `previous_until`. */
    secret: string
    previous_secret: string | null
    previous_until: bigint | null
    created_at: bigint
    /** First failure since the last successful delivery. */
    failing_since: bigint | null
    disabled_at: bigint | null
    disabled_reason: string | null
    removed_at: bigint | null
  }
  webhook_events: {
    id: bigint
    message_id: string
    type: string
    /** The animal that puts events in order. */
    pet_id: bigint
    created_at: bigint
    payload: string
  }
  webhook_deliveries: {
    event_id: bigint
    webhook_id: string
    pet_id: bigint
    /** Null while it is held behind an earlier one of its animal, and once it has finished. */
    due_at: bigint | null
    /** Whose attempt it is, until `due_at`. */
    claim: string | null
    attempts: bigint
    /** Attempts since it was last resent: they decide the back-off. */
    tries: bigint
    /** 1 when it was resent: it holds no later event. */
    resent: bigint
    finished_at: bigint | null
    outcome: string | null
  }
  webhook_attempts: {
    webhook_id: string
    event_id: bigint
    attempt: bigint
    at: bigint
    duration_ms: bigint
    status: bigint | null
    error: string | null
    next_at: bigint | null
  }
}

export const prepareQuery = queriesFor<StoreTables>()
export const { insertRow } = rowWriter<StoreTables>()
export const prepare = statementsFor<StoreTables>()
