// The tables of accounts, as the queries see them. Times are milliseconds since the epoch. The database
// belongs to publishing, whose tables stand beside these.
import { queriesFor } from '../database/query.ts'

export interface AccountTables {
  accounts: {
    id: string
    /** As it was typed. */
    email: string
    /** What two spellings of one address share: unique. */
    email_key: string
    name: string
    /** PHC string of argon2id. */
    password_hash: string
    role: string
    plan: string
    created_at: bigint
  }
  sessions: {
    id: string
    account_id: string
    token_hash: string
    created_at: bigint
    seen_at: bigint
    /** Not later than when it ended. */
    expires_at: bigint
    ended_at: bigint | null
    address: string
    user_agent: string
  }
  /** One-time links: to make an account (the first operator's too), or to set a password anew. */
  account_links: {
    id: string
    kind: string
    token_hash: string
    /** Whose password it sets; null for an invitation. */
    account_id: string | null
    email: string | null
    /** Of the account that it makes; null where it makes none. */
    role: string | null
    plan: string | null
    /** Null for the set-up link and for what the command line made. */
    created_by: string | null
    created_at: bigint
    expires_at: bigint
    used_at: bigint | null
  }
  access_tokens: {
    id: string
    account_id: string
    label: string
    secret_hash: string
    /** Separated by spaces. */
    scopes: string
    created_at: bigint
    expires_at: bigint
    last_used_at: bigint | null
  }
}

/** Defines statements over the tables of accounts alone. */
export const prepareQuery = queriesFor<AccountTables>()
