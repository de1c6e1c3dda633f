// Sessions start with a sign-in, are found by the hash of their token, and end by sign-out, by a password
// change, after 30 days without use, or after 90 days. Ended sessions are kept for a while, because their
// addresses show from where the owner signs in.
import {
  type Database,
  type Session as DatabaseSession,
  each,
  findOne,
} from '../database/database.ts'
import type { Account } from '../management/caller.ts'
import { createRecordId } from '../record-id.ts'
import { hashSecret, randomToken } from '../secret-text.ts'
import { toAccount } from './accounts.ts'
import { lockAccounts } from './lock-accounts.ts'
import { prepareQuery } from './tables.ts'

export interface AccountSession {
  id: string
  accountId: string
  address: string
  userAgent: string
  /** Milliseconds since the epoch, like all times here. */
  createdAt: number
  seenAt: number
  expiresAt: number
}

/** Where a session was started. */
export interface Origin {
  address: string
  userAgent: string
}

const dayMs = 24 * 60 * 60_000
const idleMs = 30 * dayMs
/** The longest lifetime of a session. */
export const longestSessionMs = 90 * dayMs
const seenEveryMs = 5 * 60_000
const maxSessions = 50
const userAgentLength = 300

const columns = [
  'sessions.id',
  'sessions.account_id',
  'sessions.address',
  'sessions.user_agent',
  'sessions.created_at',
  'sessions.seen_at',
  'sessions.expires_at',
] as const

interface Row {
  id: string
  account_id: string
  address: string
  user_agent: string
  created_at: bigint
  seen_at: bigint
  expires_at: bigint
}

const openByHash = prepareQuery<{ hash: string; now: number }>()((db, param) =>
  db
    .selectFrom('sessions')
    .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
    .select(columns)
    .select(['email', 'name', 'role', 'plan', 'accounts.created_at as account_created_at'])
    .where('token_hash', '=', param('hash'))
    .where('ended_at', 'is', null)
    .where('expires_at', '>', param('now')),
)
const openOfAccount = prepareQuery<{ id: string; now: number; most: number }>()((db, param) =>
  db
    .selectFrom('sessions')
    .select(columns)
    .where('account_id', '=', param('id'))
    .where('ended_at', 'is', null)
    .where('expires_at', '>', param('now'))
    .orderBy('seen_at', 'desc')
    .orderBy('id', 'desc')
    .limit(param('most')),
)
const addressesOfAccount = prepareQuery<{ id: string }>()((db, param) =>
  db.selectFrom('sessions').select('address').distinct().where('account_id', '=', param('id')),
)
const insert = prepareQuery<{
  id: string
  account_id: string
  hash: string
  address: string
  user_agent: string
  now: number
  end: number
}>()((db, param) =>
  db.insertInto('sessions').values({
    id: param('id'),
    account_id: param('account_id'),
    token_hash: param('hash'),
    address: param('address'),
    user_agent: param('user_agent'),
    created_at: param('now'),
    seen_at: param('now'),
    expires_at: param('end'),
  }),
)
const dropBeyond = prepareQuery<{ id: string; most: number }>()((db, param) =>
  db
    .deleteFrom('sessions')
    .where('account_id', '=', param('id'))
    .where('id', 'not in', (eb) =>
      eb
        .selectFrom('sessions')
        .select('id')
        .where('account_id', '=', param('id'))
        .orderBy((order) => order.case().when('ended_at', 'is', null).then(0).else(1).end())
        .orderBy('seen_at', 'desc')
        .orderBy('id', 'desc')
        .limit(param('most')),
    ),
)
const setSeen = prepareQuery<{ id: string; now: number; before: number; end: number }>()(
  (db, param) =>
    db
      .updateTable('sessions')
      .set({ seen_at: param('now'), expires_at: param('end') })
      .where('id', '=', param('id'))
      .where('ended_at', 'is', null)
      .where('seen_at', '<=', param('before')),
)
const endOne = prepareQuery<{ id: string; account_id: string; now: number }>()((db, param) =>
  db
    .updateTable('sessions')
    .set({ ended_at: param('now'), expires_at: param('now') })
    .where('id', '=', param('id'))
    .where('account_id', '=', param('account_id'))
    .where('ended_at', 'is', null)
    .where('expires_at', '>', param('now'))
    .returning('id'),
)
const endAllBut = prepareQuery<{ id: string; account_id: string; now: number }>()((db, param) =>
  db
    .updateTable('sessions')
    .set({ ended_at: param('now'), expires_at: param('now') })
    .where('account_id', '=', param('account_id'))
    .where('id', '!=', param('id'))
    .where('ended_at', 'is', null)
    .where('expires_at', '>', param('now')),
)

/** The active session of a token, and its account. */
export async function findSession(
  session: DatabaseSession,
  token: string,
  now: number,
): Promise<{ account: Account; session: AccountSession } | undefined> {
  const row = await findOne(session, openByHash, { hash: hashSecret(token), now })
  if (!row) return undefined
  const { account_created_at: created_at, account_id: id } = row
  return { account: toAccount({ ...row, id, created_at }), session: toSession(row) }
}

/** The active sessions of an account, most recently used first. */
export async function listSessions(
  session: DatabaseSession,
  accountId: string,
  now: number,
): Promise<AccountSession[]> {
  return (await session.all(openOfAccount, { id: accountId, now, most: maxSessions })).map(
    toSession,
  )
}

/** The addresses of an account's sessions, including sessions that ended recently. */
export async function listAddresses(
  session: DatabaseSession,
  accountId: string,
): Promise<string[]> {
  return (await session.all(addressesOfAccount, { id: accountId })).map(({ address }) => address)
}

/** Inside a transaction that holds the lock. `token` is for the cookie; only its hash is stored. */
export async function beginSession(
  session: DatabaseSession,
  accountId: string,
  { address, userAgent }: Origin,
  now: number,
): Promise<{ id: string; token: string }> {
  const token = randomToken()
  const id = createRecordId('ses', now)
  const row = { id, account_id: accountId, hash: hashSecret(token), address }
  const user_agent = userAgent.replace(/\p{Cc}/gu, ' ').slice(0, userAgentLength)
  await session.all(insert, { ...row, user_agent, now, end: now + idleMs })
  await session.all(dropBeyond, { id: accountId, most: maxSessions })
  return { id, token }
}

/** Records that a session was used, at most every five minutes. */
export async function recordSeen(
  database: Database,
  { createdAt, id, seenAt }: AccountSession,
  now: number,
): Promise<void> {
  if (now - seenAt < seenEveryMs) return
  const end = Math.min(createdAt + longestSessionMs, now + idleMs)
  await database.write(recordSeenTransaction, { id, now, end })
}

const recordSeenTransaction = each(
  async (session, seen: { id: string; now: number; end: number }) => {
    await lockAccounts(session)
    await session.all(setSeen, { ...seen, before: seen.now - seenEveryMs })
  },
)

/** Inside a transaction. False if the account has no such session. */
export async function endSession(
  session: DatabaseSession,
  accountId: string,
  id: string,
  now: number,
): Promise<boolean> {
  return (await session.all(endOne, { id, account_id: accountId, now })).length > 0
}

/** Inside a transaction: ends all sessions of an account, except the one with the id `kept`. */
export async function endSessions(
  session: DatabaseSession,
  accountId: string,
  now: number,
  kept = '',
): Promise<void> {
  await session.all(endAllBut, { id: kept, account_id: accountId, now })
}

interface SessionToEnd {
  accountId: string
  id: string
  now: number
}

/** Ends a session immediately on every node. False if the account has no such session. */
export const endSessionTransaction = each(async (session, { accountId, id, now }: SessionToEnd) => {
  await lockAccounts(session)
  return await endSession(session, accountId, id, now)
})

/** Ends all sessions of an account except the one with this id. */
export const endOtherSessionsTransaction = each(
  async (session, { accountId, id, now }: SessionToEnd) => {
    await lockAccounts(session)
    await endSessions(session, accountId, now, id)
  },
)

function toSession(row: Row): AccountSession {
  return {
    id: row.id,
    accountId: row.account_id,
    address: row.address,
    userAgent: row.user_agent,
    createdAt: Number(row.created_at),
    seenAt: Number(row.seen_at),
    expiresAt: Number(row.expires_at),
  }
}
