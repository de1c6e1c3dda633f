// The column types of the account tables, which are in the publishing database. Times are milliseconds
// since the epoch.
import { rowWriter } from '#kit/database/insert-rows.ts'
import { queriesFor, statementsFor } from '#kit/database/query.ts'
import type { Plan, Role } from '#kit/management/caller.ts'
import type { LinkKind, SignInMethod } from './schema.ts'

export interface AccountTables {
  accounts: {
    id: string
    /** As entered. */
    email: string
    /** Unique; equal for different spellings of one address. */
    email_key: string
    name: string
    /** PHC string of argon2id; empty while the account has no password and signs in by a provider. */
    password_hash: string
    role: Role
    plan: Plan
    created_at: bigint
  }
  sessions: {
    id: string
    account_id: string
    token_hash: string
    created_at: bigint
    seen_at: bigint
    /** At most `ended_at`, if the session has ended. */
    expires_at: bigint
    ended_at: bigint | null
    address: string
    user_agent: string
    signed_in_by: SignInMethod
  }
  /** One-time links for creating accounts (including the first operator's) and resetting passwords. */
  account_links: {
    id: string
    kind: LinkKind
    token_hash: string
    /** The account whose password it resets; null for other links. */
    account_id: string | null
    email: string | null
    /** Of the account that it creates; null for password links. */
    role: Role | null
    plan: Plan | null
    /** Null for the set-up link and for links created on the command line. */
    created_by: string | null
    created_at: bigint
    expires_at: bigint
    used_at: bigint | null
  }
  /** The last link to confirm the address of an account, and when it was used. */
  email_confirmations: {
    account_id: string
    /** The address that the link was sent to, as in `accounts`. */
    email_key: string
    token_hash: string | null
    sent_at: bigint
    confirmed_at: bigint | null
  }
  /** The address that an account changes to once it is confirmed. */
  pending_emails: {
    account_id: string
    email: string
    email_key: string
    token_hash: string
    requested_at: bigint
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
    /** Of a deploy token. */
    project_id: string | null
  }
  one_time_codes: {
    account_id: string
    /** Encrypted. */
    secret: string
    created_at: bigint
    /** Null until a first code has shown that the app has the secret. */
    confirmed_at: bigint | null
    /** The step of the last accepted code. */
    last_step: bigint
  }
  recovery_codes: {
    account_id: string
    code_hash: string
    used_at: bigint | null
  }
  passkeys: {
    /** The credential id, in base64url. */
    id: string
    account_id: string
    label: string
    /** COSE, in base64url. */
    public_key: string
    counter: bigint
    /** Separated by spaces. */
    transports: string
    created_at: bigint
    last_used_at: bigint | null
  }
  /** At an OpenID Connect provider; issuer and subject are unique together. */
  identities: {
    id: string
    account_id: string
    issuer: string
    subject: string
    /** What the provider said last. It identifies nobody. */
    email: string | null
    created_at: bigint
    last_used_at: bigint | null
  }
  used_challenges: {
    challenge_hash: string
    expires_at: bigint
  }
}

export const prepareQuery = queriesFor<AccountTables>()
export const { insertRow } = rowWriter<AccountTables>()
export const prepare = statementsFor<AccountTables>()
