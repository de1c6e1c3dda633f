// The tables of one environment's database, as the queries see them. migrations/ creates them.
import { queriesOver } from '../platform/database/query.ts'

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
  }
  pets: { id: bigint; name: string; category_id: bigint; status: string }
  categories: { id: bigint; name: string }
  orders: { id: bigint; pet_id: bigint; status: string; created_at: bigint }
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
  /** The moment, in microseconds, at which a key's allowance is whole again (GCRA). */
  rate_limits: { key_id: string; whole_at: bigint }
}

/** `define<Params>()(…)` over the tables of an environment. */
export const define = queriesOver<StoreTables>()
