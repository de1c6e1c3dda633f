// Personal access tokens: as_pat_<id>_<secret><checksum>, shown once, stored as a hash. Each has scopes and
// an expiry time. A revoked token is deleted at once; an expired one is still listed for a while.
import { type Database, each, findOne, getOne, type Session } from '../database/database.ts'
import type { Account } from '../management/caller.ts'
import { isTokenScope, type TokenScope } from '../management/token-scopes.ts'
import { createSecretText, hashSecret, parseSecretText, sameHash } from '../secret-text.ts'
import { toAccount } from './accounts.ts'
import { lockAccounts } from './lock-accounts.ts'
import { prepareQuery } from './tables.ts'

export interface AccessToken {
  id: string
  accountId: string
  label: string
  scopes: TokenScope[]
  /** Milliseconds since the epoch, like all times here. */
  createdAt: number
  expiresAt: number
  lastUsedAt: number | undefined
}

export interface NewAccessToken {
  accountId: string
  label: string
  scopes: TokenScope[]
  expiresAt: number
}

const mark = 'as_pat_'
export const maxTokens = 100
/** The longest lifetime of a token, in days. */
export const longestTokenDays = 366
export const standardTokenDays = 90
const usedEveryMs = 5 * 60_000

const columns = [
  'access_tokens.id',
  'account_id',
  'label',
  'scopes',
  'access_tokens.created_at',
  'expires_at',
  'last_used_at',
] as const

interface Row {
  id: string
  account_id: string
  label: string
  scopes: string
  created_at: bigint
  expires_at: bigint
  last_used_at: bigint | null
}

const byId = prepareQuery<{ id: string }>()((db, param) =>
  db
    .selectFrom('access_tokens')
    .innerJoin('accounts', 'accounts.id', 'access_tokens.account_id')
    .select(columns)
    .select(['secret_hash', 'email', 'name', 'role', 'plan'])
    .select('accounts.created_at as account_created_at')
    .where('access_tokens.id', '=', param('id')),
)
const ofAccount = prepareQuery<{ id: string; most: number }>()((db, param) =>
  db
    .selectFrom('access_tokens')
    .select(columns)
    .where('account_id', '=', param('id'))
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(param('most')),
)
const countOfAccount = prepareQuery<{ id: string }>()((db, param) =>
  db
    .selectFrom('access_tokens')
    .select((eb) => eb.fn.countAll<bigint>().as('tokens'))
    .where('account_id', '=', param('id')),
)
const insert = prepareQuery<{
  id: string
  account_id: string
  label: string
  hash: string
  scopes: string
  now: number
  end: number
}>()((db, param) =>
  db.insertInto('access_tokens').values({
    id: param('id'),
    account_id: param('account_id'),
    label: param('label'),
    secret_hash: param('hash'),
    scopes: param('scopes'),
    created_at: param('now'),
    expires_at: param('end'),
  }),
)
const remove = prepareQuery<{ id: string }>()((db, param) =>
  db.deleteFrom('access_tokens').where('id', '=', param('id')).returning('id'),
)
const removeOf = prepareQuery<{ id: string; account_id: string }>()((db, param) =>
  db
    .deleteFrom('access_tokens')
    .where('id', '=', param('id'))
    .where('account_id', '=', param('account_id'))
    .returning('id'),
)
const setUsed = prepareQuery<{ id: string; now: number; before: number }>()((db, param) =>
  db
    .updateTable('access_tokens')
    .set({ last_used_at: param('now') })
    .where('id', '=', param('id'))
    .where((eb) =>
      eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<=', param('before'))]),
    ),
)

/** Finds a token, expired or not, and its account; undefined for an unknown token. */
export async function findToken(
  session: Session,
  text: string,
): Promise<{ account: Account; token: AccessToken } | undefined> {
  const parsed = parseSecretText(text)
  if (parsed?.mark !== mark) return undefined
  const row = await findOne(session, byId, { id: parsed.id })
  if (!row || !sameHash(row.secret_hash, hashSecret(text))) return undefined
  const { account_created_at: created_at, account_id: id } = row
  return { account: toAccount({ ...row, id, created_at }), token: toToken(row) }
}

/** Newest first. */
export async function listTokens(session: Session, accountId: string): Promise<AccessToken[]> {
  return (await session.all(ofAccount, { id: accountId, most: maxTokens })).map(toToken)
}

/** Creates a token. `text` is not stored and is shown only once. Undefined if the account has `maxTokens`. */
export async function createToken(
  database: Database,
  token: NewAccessToken,
  now: number,
): Promise<{ token: AccessToken; text: string } | undefined> {
  return await database.write(createTokenTransaction, { token, now })
}

const createTokenTransaction = each(
  async (session, { now, token }: { token: NewAccessToken; now: number }) => {
    await lockAccounts(session)
    const { accountId, expiresAt, label, scopes } = token
    const { tokens } = await getOne(session, countOfAccount, { id: accountId })
    if (tokens >= BigInt(maxTokens)) return undefined
    const { hash, id, text } = createSecretText(mark)
    const row = { id, account_id: accountId, label, hash, scopes: scopes.join(' ') }
    await session.all(insert, { ...row, now, end: expiresAt })
    return { token: { ...token, id, createdAt: now, lastUsedAt: undefined }, text }
  },
)

/**
 * Revokes a token immediately on every node. False if it does not exist or, with `accountId`, belongs to
 * another account.
 */
export async function revokeToken(
  database: Database,
  id: string,
  accountId?: string,
): Promise<boolean> {
  return await database.write(revokeTokenTransaction, { id, accountId })
}

const revokeTokenTransaction = each(
  async (session, { accountId, id }: { id: string; accountId: string | undefined }) => {
    await lockAccounts(session)
    const removed =
      accountId === undefined
        ? await session.all(remove, { id })
        : await session.all(removeOf, { id, account_id: accountId })
    return removed.length > 0
  },
)

/** Records that a token was used, at most every five minutes. */
export async function recordUse(
  database: Database,
  { id, lastUsedAt = 0 }: AccessToken,
  now: number,
): Promise<void> {
  if (now - lastUsedAt < usedEveryMs) return
  await database.write(recordUseTransaction, { id, now })
}

const recordUseTransaction = each(async (session, { id, now }: { id: string; now: number }) => {
  await lockAccounts(session)
  await session.all(setUsed, { id, now, before: now - usedEveryMs })
})

function toToken(row: Row): AccessToken {
  return {
    id: row.id,
    accountId: row.account_id,
    label: row.label,
    scopes: row.scopes.split(' ').filter(isTokenScope),
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
    lastUsedAt: row.last_used_at === null ? undefined : Number(row.last_used_at),
  }
}
