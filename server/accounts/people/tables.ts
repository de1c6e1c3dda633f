// The tables of accounts, which are in the publishing database: its migrations create them. Times are milliseconds since
// the epoch.

import type { Plan, Role } from '#kit/caller.ts'
import type { RowsOf } from '#kit/database/declared-tables.ts'
import { rowWriter } from '#kit/database/insert-rows.ts'
import { queriesFor, statementsFor } from '#kit/database/query.ts'
import type { LinkKind, SignInMethod } from './schema.ts'

/** Those of 1.0.0-rc.1, which never change. */
export const accountTables = {
  // People.
  accounts: {
    id: 'text not null primary key',
    // As entered.
    email: 'text not null',
    // Equal for different spellings of one address.
    email_key: 'text not null unique',
    name: 'text not null',
    // PHC string of argon2id; empty while the account has no password and signs in by a provider.
    password_hash: 'text not null',
    role: "text not null check (role in ('operator', 'member'))",
    plan: "text not null check (plan in ('free', 'paid'))",
    created_at: 'int64 not null',
  },
  // Browsers that are signed in.
  sessions: {
    id: 'text not null primary key',
    account_id: 'text not null references accounts (id) on delete cascade',
    token_hash: 'text not null unique',
    created_at: 'int64 not null',
    seen_at: 'int64 not null',
    // At most ended_at, if the session has ended.
    expires_at: 'int64 not null',
    // Kept for a while, because of where it was begun from.
    ended_at: 'int64',
    address: 'text not null',
    user_agent: 'text not null',
  },
  // One-time links: for the first account, for others, and for forgotten passwords.
  account_links: {
    id: 'text not null primary key',
    kind: "text not null check (kind in ('set_up', 'invitation', 'password'))",
    token_hash: 'text not null unique',
    // The account whose password it resets; null for other links.
    account_id: 'text references accounts (id) on delete cascade',
    email: 'text',
    // Of the account that it creates; null for password links.
    role: 'text',
    plan: 'text',
    // Null for the set-up link and for links created on the command line.
    created_by: 'text references accounts (id) on delete set null',
    created_at: 'int64 not null',
    expires_at: 'int64 not null',
    used_at: 'int64',
  },
  // Personal access tokens.
  access_tokens: {
    id: 'text not null primary key',
    account_id: 'text not null references accounts (id) on delete cascade',
    label: 'text not null',
    secret_hash: 'text not null',
    // Separated by spaces.
    scopes: 'text not null',
    created_at: 'int64 not null',
    expires_at: 'int64 not null',
    last_used_at: 'int64',
  },
} as const

/** Since 1.0.0-rc.1. */
export const newAccountTables = {
  // The last link that was sent to each account. Notices go to confirmed addresses only.
  email_confirmations: {
    account_id: 'text not null primary key references accounts (id) on delete cascade',
    // The address that it was sent to: a changed one has to be confirmed again.
    email_key: 'text not null',
    // Null once it was used.
    token_hash: 'text unique',
    sent_at: 'int64 not null',
    confirmed_at: 'int64',
  },
  // Addresses that accounts change to once they are confirmed.
  pending_emails: {
    account_id: 'text not null primary key references accounts (id) on delete cascade',
    email: 'text not null',
    email_key: 'text not null',
    token_hash: 'text not null unique',
    requested_at: 'int64 not null',
  },
  // The secrets of authenticator apps, encrypted. One is off until it is confirmed.
  one_time_codes: {
    account_id: 'text not null primary key references accounts (id) on delete cascade',
    secret: 'text not null',
    created_at: 'int64 not null',
    // Null until a first code has shown that the app has the secret.
    confirmed_at: 'int64',
    // The step of the last accepted code: each is accepted once.
    last_step: 'int64 not null',
  },
  // Each is accepted once instead of a code of the app.
  recovery_codes: {
    account_id: 'text not null references accounts (id) on delete cascade',
    code_hash: 'text not null',
    used_at: 'int64',
    'primary key': '(account_id, code_hash)',
  },
  // Credentials of WebAuthn.
  passkeys: {
    // The credential id, in base64url.
    id: 'text not null primary key',
    account_id: 'text not null references accounts (id) on delete cascade',
    label: 'text not null',
    // COSE, in base64url.
    public_key: 'text not null',
    counter: 'int64 not null',
    // Separated by spaces.
    transports: 'text not null',
    created_at: 'int64 not null',
    last_used_at: 'int64',
  },
  // Challenges that have been answered, until they expire: each is accepted once.
  used_challenges: {
    challenge_hash: 'text not null primary key',
    expires_at: 'int64 not null',
  },
  // At an OpenID Connect provider. An account that was created by one has the password hash ''.
  identities: {
    id: 'text not null primary key',
    account_id: 'text not null references accounts (id) on delete cascade',
    // Together they are the identity; the e-mail address only describes it.
    issuer: 'text not null',
    subject: 'text not null',
    // What the provider said last. It identifies nobody.
    email: 'text',
    created_at: 'int64 not null',
    last_used_at: 'int64',
    unique: '(issuer, subject)',
  },
} as const

export const addedAccountColumns = {
  sessions: {
    signed_in_by: "text not null default 'password'",
  },
  access_tokens: {
    // A deploy token is for one project. Its scope is one that 1.0.0-rc.1 does not know, and refuses.
    project_id: 'text',
  },
} as const

type Rows = RowsOf<typeof accountTables & typeof newAccountTables, typeof addedAccountColumns>

export type AccountTables = Rows & {
  accounts: { role: Role; plan: Plan }
  sessions: { signed_in_by: SignInMethod }
  account_links: { kind: LinkKind; role: Role | null; plan: Plan | null }
}

export const prepareQuery = queriesFor<AccountTables>()
export const { insertRow } = rowWriter<AccountTables>()
export const prepare = statementsFor<AccountTables>()
