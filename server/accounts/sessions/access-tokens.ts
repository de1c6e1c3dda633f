// Access tokens: as_pat_<id>_<secret><checksum>, shown once, stored as a hash. Each has scopes and an expiry time; a
// deploy token has a project, too. A revoked token is deleted at once; an expired one is still listed for a while.

import { type AuditOrigin, recordAudit } from '#kit/audit/record-audit.ts'
import { type Account, type GrantedScope, isGrantedScope, type ProjectScope } from '#kit/caller.ts'
import { type Database, findOne, getOne, type Session } from '#kit/database/database.ts'
import { type PlainRow, plainRow } from '#kit/database/plain-row.ts'
import { locked } from '#kit/database/transactions.ts'
import { createSecretText, hasHash, parseSecretText } from '#kit/identifiers.ts'
import { joinedColumns, toAccount } from '../people/accounts.ts'
import { type AccountTables, insertRow, prepare, prepareQuery } from '../people/tables.ts'

/** Times are milliseconds since the epoch. */
export interface AccessToken
  extends PlainRow<Omit<AccountTables['access_tokens'], 'scopes' | 'secret_hash'>> {
  scopes: GrantedScope[]
}

type NewAccessToken = Pick<
  AccessToken,
  'accountId' | 'label' | 'scopes' | 'expiresAt' | 'projectId'
>

const mark = 'as_pat_'
/** Of an account, and of a project. */
export const maxTokens = 100
/** The longest lifetime of a token, in days. */
export const longestTokenDays = 366
export const standardTokenDays = 90
const usedEveryMs = 5 * 60_000

const columns = [
  ...(['id', 'account_id', 'label', 'scopes', 'created_at', 'expires_at'] as const),
  ...(['last_used_at', 'project_id'] as const),
]
const joined = columns.map((column) => `access_tokens.${column}` as const)

const byId = prepareQuery<{ id: string }>()((db, param) =>
  db
    .selectFrom('access_tokens')
    .innerJoin('accounts', 'accounts.id', 'access_tokens.account_id')
    .select(joined)
    .select('secret_hash')
    .select(joinedColumns)
    .where('access_tokens.id', '=', param('id')),
)
const ofAccount = prepare.select(
  'access_tokens',
  columns,
  { account_id: 'id' },
  { orderBy: ['created_at desc', 'id'], limit: maxTokens },
)
const countOfAccount = prepare.count('access_tokens', { account_id: 'id' })
const ofProject = prepareQuery<{ id: string; most: number }>()((db, param) =>
  db
    .selectFrom('access_tokens')
    .innerJoin('accounts', 'accounts.id', 'access_tokens.account_id')
    .select(joined)
    .select('accounts.name as account_name')
    .where('project_id', '=', param('id'))
    .orderBy('access_tokens.created_at', 'desc')
    .orderBy('access_tokens.id')
    .limit(param('most')),
)
const countOfProject = prepare.count('access_tokens', { project_id: 'id' })
/** What decides whether a token is revoked, and what the audit log names. */
const named = ['id', 'account_id', 'project_id', 'scopes', 'label'] as const
const namedById = prepare.select('access_tokens', named, { id: 'id' })
const namedOfAccount = prepare.select('access_tokens', named, { account_id: 'id' })
const namedOfProject = prepare.select('access_tokens', named, { project_id: 'id' })
const remove = prepare.delete('access_tokens', { id: 'id' })
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
  if (!row || !hasHash(text, row.secret_hash)) return undefined
  return { account: toAccount(row), token: toToken(row) }
}

/** Newest first. */
export async function listTokens(session: Session, accountId: string): Promise<AccessToken[]> {
  return (await session.all(ofAccount, { id: accountId })).map(toToken)
}

/** The deploy tokens and site tokens of a project, with the names of their accounts, newest first. */
export async function listProjectTokens(
  session: Session,
  projectId: string,
): Promise<(AccessToken & { accountName: string })[]> {
  const rows = await session.all(ofProject, { id: projectId, most: maxTokens })
  return rows.map((row) => ({ ...toToken(row), accountName: row.account_name }))
}

/**
 * Creates a token. `text` is not stored and is shown only once. Undefined if the account, or the project of a deploy token,
 * has `maxTokens`.
 */
export const createToken = locked(
  async (
    session,
    token: NewAccessToken,
    origin: AuditOrigin,
  ): Promise<{ token: AccessToken; text: string } | undefined> => {
    const { at: now } = origin
    const { accountId, expiresAt, label, projectId, scopes } = token
    const { count: tokens } = await getOne(session, countOfAccount, { id: accountId })
    if (tokens >= BigInt(maxTokens)) return undefined
    if (projectId !== undefined) {
      const counted = await getOne(session, countOfProject, { id: projectId })
      if (counted.count >= BigInt(maxTokens)) return undefined
    }
    const { hash, id, text } = createSecretText(mark)
    await insertRow(session, 'access_tokens', {
      ...{ id, accountId, label, secretHash: hash, scopes: scopes.join(' ') },
      ...{ createdAt: now, expiresAt, projectId: projectId ?? null },
    })
    await recordAudit(session, origin, 'token.created', targetOf({ id, label }), {
      accountId,
      scopes: scopes.join(' '),
      ...(projectId !== undefined && { projectId }),
      expiresAt: new Date(expiresAt).toISOString(),
    })
    return { token: { ...token, id, createdAt: now, lastUsedAt: undefined }, text }
  },
)

/** Revokes a token immediately on every node. False if it does not exist, or not of this account or project. */
export const revokeToken = locked(
  async (
    session,
    id: string,
    origin: AuditOrigin,
    of: { accountId?: string; projectId?: string } = {},
  ): Promise<boolean> => {
    const token = await findOne(session, namedById, { id })
    const { accountId = token?.account_id, projectId = token?.project_id } = of
    if (token?.account_id !== accountId || token?.project_id !== projectId) return false
    return (await revoke(session, token ? [token] : [], origin)) > 0
  },
)

/** Inside a transaction that holds the lock: revokes all tokens of an account, and returns how many there were. */
export async function removeTokens(
  session: Session,
  accountId: string,
  origin: AuditOrigin,
): Promise<number> {
  return await revoke(session, await session.all(namedOfAccount, { id: accountId }), origin)
}

/**
 * Inside a transaction that holds the lock: revokes the tokens of a project, of all accounts, or of one that may no
 * longer deploy to it; or those of one scope.
 */
export async function removeProjectTokens(
  session: Session,
  projectId: string,
  origin: AuditOrigin,
  { accountId, scope }: { accountId?: string; scope?: ProjectScope } = {},
): Promise<void> {
  const tokens = await session.all(namedOfProject, { id: projectId })
  const revoked = tokens.filter(
    ({ account_id, scopes }) =>
      (accountId ?? account_id) === account_id && (scope ?? scopes) === scopes,
  )
  await revoke(session, revoked, origin)
}

async function revoke(
  session: Session,
  tokens: Pick<AccountTables['access_tokens'], (typeof named)[number]>[],
  origin: AuditOrigin,
): Promise<number> {
  for (const { account_id: accountId, id, label } of tokens) {
    await session.all(remove, { id })
    await recordAudit(session, origin, 'token.revoked', targetOf({ id, label }), { accountId })
  }
  return tokens.length
}

/** `removeTokens` in a transaction of its own: takes effect immediately on every node. */
export const revokeTokens = locked(removeTokens)

/** Records that a token was used, at most every five minutes. */
export async function recordUse(
  database: Database,
  { id, lastUsedAt = 0 }: AccessToken,
  now: number,
): Promise<void> {
  if (now - lastUsedAt < usedEveryMs) return
  await setUsedAt(database, id, now)
}

const setUsedAt = locked(async (session, id: string, now: number) => {
  await session.all(setUsed, { id, now, before: now - usedEveryMs })
})

/** A token as the audit log names it. */
function targetOf({ id, label }: Pick<AccessToken, 'id' | 'label'>) {
  return { id, name: label }
}

function toToken(row: Omit<AccountTables['access_tokens'], 'secret_hash'>): AccessToken {
  return { ...plainRow(row), scopes: row.scopes.split(' ').filter(isGrantedScope) }
}
