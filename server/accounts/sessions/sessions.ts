// Sessions start with a sign-in, are found by the hash of their token, and end by sign-out, by a password
// change, after 30 days without use, or after 90 days. Ended sessions are kept for a while, because their
// addresses show from where the owner signs in. At the end is their cookie.
import { type AuditOrigin, recordAudit } from '#kit/audit/record-audit.ts'
import type { Account } from '#kit/caller.ts'
import { type Database, type Session as DatabaseSession, findOne } from '#kit/database/database.ts'
import { type PlainRow, plainRow } from '#kit/database/plain-row.ts'
import { locked } from '#kit/database/transactions.ts'
import { cookiesNamed } from '#kit/http/request/request-head.ts'
import { createRecordId, hashSecret, randomToken } from '#kit/identifiers.ts'
import { joinedColumns, toAccount } from '../people/accounts.ts'
import type { SignInMethod } from '../people/schema.ts'
import { type AccountTables, insertRow, prepare, prepareQuery } from '../people/tables.ts'

/** An active session. Times are milliseconds since the epoch. */
export type AccountSession = PlainRow<
  Omit<AccountTables['sessions'], 'account_id' | 'token_hash' | 'ended_at'>
>

/** Where a session was started. */
export type Origin = Pick<AccountSession, 'address' | 'userAgent'>

const dayMs = 24 * 60 * 60_000
const idleMs = 30 * dayMs
/** The longest lifetime of a session. */
export const longestSessionMs = 90 * dayMs
const seenEveryMs = 5 * 60_000
const maxSessions = 50
const userAgentLength = 300

const columns = [
  ...(['id', 'address', 'user_agent', 'signed_in_by'] as const),
  ...(['created_at', 'seen_at', 'expires_at'] as const),
]

const openByHash = prepareQuery<{ hash: string; now: number }>()((db, param) =>
  db
    .selectFrom('sessions')
    .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
    .select(columns.map((column) => `sessions.${column}` as const))
    .select(joinedColumns)
    .where('token_hash', '=', param('hash'))
    .where('ended_at', 'is', null)
    .where('expires_at', '>', param('now')),
)
const openOfAccount = prepare.select(
  'sessions',
  columns,
  { account_id: 'id', ended_at: null, expires_at: { '>': 'now' } },
  { orderBy: ['seen_at desc', 'id desc'], limit: maxSessions },
)
const addressesOfAccount = prepare.select('sessions', ['address'], { account_id: 'id' })
const deleteBeyond = prepareQuery<{ id: string; most: number }>()((db, param) =>
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
const updateSignedInBy = prepare.update('sessions', { signed_in_by: 'method' }, { id: 'id' })
const setSeen = prepare.update(
  'sessions',
  { seen_at: 'now', expires_at: 'end' },
  { id: 'id', ended_at: null, seen_at: { '<=': 'before' } },
)
const endOne = prepare.update(
  'sessions',
  { ended_at: 'now', expires_at: 'now' },
  { id: 'id', account_id: 'account_id', ended_at: null, expires_at: { '>': 'now' } },
  ['id'],
)
const endAllBut = prepare.update(
  'sessions',
  { ended_at: 'now', expires_at: 'now' },
  { account_id: 'account_id', id: { '!=': 'id' }, ended_at: null, expires_at: { '>': 'now' } },
)

/** The active session of a token, and its account. */
export async function findSession(
  session: DatabaseSession,
  token: string,
  now: number,
): Promise<{ account: Account; session: AccountSession } | undefined> {
  const row = await findOne(session, openByHash, { hash: hashSecret(token), now })
  return row && { account: toAccount(row), session: plainRow(row) }
}

/** The active sessions of an account, most recently used first. */
export const listSessions = async (session: DatabaseSession, id: string, now: number) =>
  (await session.all(openOfAccount, { id, now })).map(plainRow)

/** The addresses of an account's sessions, including sessions that ended recently. */
export async function listAddresses(
  session: DatabaseSession,
  accountId: string,
): Promise<string[]> {
  return (await session.all(addressesOfAccount, { id: accountId })).map(({ address }) => address)
}

/** A session that has just started. */
interface StartedSession {
  id: string
  /** For the cookie; only its hash is stored. */
  token: string
}

/** Inside a transaction that holds the lock. */
export async function startSession(
  session: DatabaseSession,
  accountId: string,
  { address, userAgent }: Origin,
  signedInBy: SignInMethod,
  now: number,
): Promise<StartedSession> {
  const token = randomToken()
  const id = createRecordId('ses', now)
  await insertRow(session, 'sessions', {
    ...{ id, accountId, tokenHash: hashSecret(token), address, signedInBy },
    userAgent: userAgent.replace(/\p{Cc}/gu, ' ').slice(0, userAgentLength),
    ...{ createdAt: now, seenAt: now, expiresAt: now + idleMs },
  })
  await session.all(deleteBeyond, { id: accountId, most: maxSessions })
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
  await setSeenAndEnd(database, { id, now, end, before: now - seenEveryMs })
}

const setSeenAndEnd = locked(
  async (session, seen: { id: string; now: number; end: number; before: number }) => {
    await session.all(setSeen, seen)
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

/** Inside a transaction: the session has proven a second factor since it started. */
export async function setSignedInBy(
  session: DatabaseSession,
  id: string | null,
  method: SignInMethod,
): Promise<void> {
  if (id !== null) await session.all(updateSignedInBy, { id, method })
}

/** `endSession` in a transaction of its own: takes effect immediately on every node. */
export const endSessionNow = locked(
  async (session, accountId: string, id: string, origin: AuditOrigin): Promise<boolean> => {
    if (!(await endSession(session, accountId, id, origin.at))) return false
    await recordAudit(session, origin, 'session.ended', { id, name: origin.actorName })
    return true
  },
)

/** `endSessions` in a transaction of its own. */
export const endSessionsNow = locked(
  async (session, accountId: string, origin: AuditOrigin, kept?: string): Promise<void> => {
    await endSessions(session, accountId, origin.at, kept)
    const target = { id: accountId, name: origin.actorName }
    await recordAudit(session, origin, 'session.others_ended', target)
  },
)

const form = /^[0-9A-Za-z]{43}$/
/** The browser's order is not trusted. */
const maxTokens = 20

/**
 * The session cookie: not readable by scripts and not sent with cross-site requests. With an https dashboard, it is also
 * never sent unencrypted or set by a sibling domain (RFC 6265bis, __Host-).
 */
export function sessionCookie(dashboardUrl: URL) {
  const isSecure = dashboardUrl.protocol === 'https:'
  const name = isSecure ? '__Host-animal-store' : 'animal-store'
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  return {
    /** The tokens in a request's Cookie header that could be valid, at most `maxTokens`. */
    read(field?: string): string[] {
      const values = cookiesNamed(field, name)
      return [...new Set(values.filter((value) => form.test(value)))].slice(0, maxTokens)
    },
    /** Set-Cookie for a new session. */
    write: (token: string) => `${name}=${token}; Max-Age=${longestSessionMs / 1000}; ${attributes}`,
    /** Set-Cookie for a session that has ended. */
    clear: () => `${name}=; Max-Age=0; ${attributes}`,
  }
}
