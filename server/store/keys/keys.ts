// How the API keys of an environment are made, changed and listed. Every change moves keys_version, so that all processes
// forget what they knew at their next request. Like every write it takes the lock first: only its holder locks rows of
// keys.
//   active   from its creation. A rotation creates another key of the same lineage; this one stays active for an overlap.
//   expired  `expires_at` has passed: set at the creation, or by a rotation.
//   revoked  `revoked_at` is set. Neither changed nor rotated any more.
import type { AuditAction } from '#kit/audit/actions.ts'
import { type AuditDetail, type AuditOrigin, recordAudit } from '#kit/audit/record-audit.ts'
import { type Database, findOne, type Session } from '#kit/database/database.ts'
import { createSecretText } from '#kit/identifiers.ts'
import type { EnvironmentName } from '../database/environment-name.ts'
import { lockedTransaction } from '../database/state.ts'
import { insertRow, prepare, prepareQuery } from '../database/tables.ts'
import { type ApiKey, everyScope, findKey, marks, toApiKey } from './authenticate.ts'
import type { Scope } from './scopes.ts'

/** How long the former of two secrets stays valid after a rotation. */
export const rotationOverlap = { usualSeconds: 24 * 3600, maxSeconds: 30 * 24 * 3600 }

/** What may be changed of a key; what is left out stays. */
interface KeyChange {
  label?: string | undefined
  /** Null takes the service's own. */
  rateLimit?: string | null | undefined
}

interface NewKey {
  label: string
  scopes?: Scope[] | undefined
  rateLimit?: string | undefined
  expiresAt?: number | undefined
}

const keysBefore = prepareQuery<{ limit: number; id: string; at: number }>()((db, param) =>
  db
    .selectFrom('api_keys')
    .selectAll()
    .where((eb) =>
      eb.or([
        eb('created_at', '<', param('at')),
        eb.and([eb('created_at', '=', param('at')), eb('id', '<', param('id'))]),
      ]),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(param('limit')),
)
const setExpiry = prepare.update('api_keys', { expires_at: 'expires_at' }, { id: 'id' })
const setRevoked = prepare.update(
  'api_keys',
  { revoked_at: 'at' },
  { id: 'id', revoked_at: null },
  ['id', 'label'],
)
const setLabelAndLimit = prepare.update(
  'api_keys',
  { label: 'label', rate_limit: 'limit' },
  { id: 'id' },
)
const moveKeysVersion = prepare.update('store_state', { keys_version: { add: 1n } }, {})

const keysPerPage = 1000

/** Newer than every key. */
const newest = { createdAt: Number.MAX_SAFE_INTEGER, id: '' }

export function stateOf({ expiresAt, revokedAt }: ApiKey, now: number) {
  if (revokedAt !== undefined) return 'revoked'
  return expiresAt !== undefined && expiresAt <= now ? 'expired' : 'active'
}

/** All keys, oldest first, read in pages. */
export async function listKeys(database: Database): Promise<ApiKey[]> {
  const keys: ApiKey[] = []
  for (;;) {
    const page = (await listKeysBefore(database, keys.at(-1)?.id, keysPerPage)) ?? []
    keys.push(...page)
    if (page.length < keysPerPage) return keys.reverse()
  }
}

/** Keys, newest first, after the one with the id `before`. Undefined if that does not exist. */
export async function listKeysBefore(
  { read }: Database,
  before: string | undefined,
  limit: number,
): Promise<ApiKey[] | undefined> {
  const from = before === undefined ? newest : await findKey(read, before)
  if (!from) return undefined
  const { createdAt: at, id } = from
  return (await read.all(keysBefore, { at, id, limit })).map(toApiKey)
}

interface IssuedKey {
  key: ApiKey
  /** Not stored: it is shown only once. */
  text: string
}

/** Inside a transaction. `lineage` is that of the key that it replaces. */
async function insertNewKey(
  session: Session,
  environment: EnvironmentName,
  key: NewKey,
  now: number,
  lineage?: string,
  { id, text, hash } = createKeyText(environment),
): Promise<IssuedKey> {
  await insertRow(session, 'api_keys', {
    id,
    lineage: lineage ?? id,
    label: key.label,
    secretHash: hash,
    scopes: key.scopes?.join(' ') ?? everyScope,
    rateLimit: key.rateLimit ?? null,
    createdAt: now,
    expiresAt: key.expiresAt ?? null,
    deprecatedCalls: 0,
  })
  await session.all(moveKeysVersion, {})
  return { key: (await findKey(session, id)) as ApiKey, text }
}

export const createKey = lockedTransaction(createKeyInTransaction)

/** The same inside a larger transaction. */
export async function createKeyInTransaction(
  session: Session,
  environment: EnvironmentName,
  key: NewKey,
  origin: AuditOrigin,
  secret?: KeyText,
): Promise<IssuedKey> {
  const issued = await insertNewKey(session, environment, key, origin.at, undefined, secret)
  const { expiresAt, label, scopes } = key
  await recordKeyAudit(session, origin, 'api_key.created', issued.key, {
    environment,
    label,
    scopes: scopes?.join(' ') ?? 'all',
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
  })
  return issued
}

/**
 * Creates a key with the label, scopes, rate limit and lifetime of another, which stays valid for `overlapMs`.
 * Undefined if that does not exist, has expired or has been revoked.
 */
export const rotateKey = lockedTransaction(
  async (
    session,
    environment: EnvironmentName,
    id: string,
    overlapMs: number,
    origin: AuditOrigin,
  ): Promise<IssuedKey | undefined> => {
    const now = origin.at
    const old = await findKey(session, id)
    if (!old || stateOf(old, now) !== 'active') return undefined
    const { createdAt, expiresAt: end = Number.POSITIVE_INFINITY, label, lineage, rateLimit } = old
    const key = {
      label,
      scopes: old.hasAllScopes ? undefined : [...old.scopes],
      rateLimit,
      expiresAt: old.expiresAt === undefined ? undefined : now + end - createdAt,
    }
    await session.all(setExpiry, { id, expires_at: Math.min(end, now + overlapMs) })
    const issued = await insertNewKey(session, environment, key, now, lineage)
    const detail = { environment, newKey: issued.key.id, overlapSeconds: overlapMs / 1000 }
    await recordKeyAudit(session, origin, 'api_key.rotated', old, detail)
    return issued
  },
)

/** Revokes a key immediately. False if it does not exist or is already revoked. */
export const revokeKey = lockedTransaction(
  async (session, environment: EnvironmentName, id: string, origin: AuditOrigin) => {
    const revoked = await findOne(session, setRevoked, { id, at: origin.at })
    await session.all(moveKeysVersion, {})
    if (!revoked) return false
    await recordKeyAudit(session, origin, 'api_key.revoked', revoked, { environment })
    return true
  },
)

/** Changes label and rate limit. Undefined if the key does not exist or has been revoked. */
export const changeKey = lockedTransaction(
  async (
    session,
    environment: EnvironmentName,
    id: string,
    change: KeyChange,
    origin: AuditOrigin,
  ): Promise<ApiKey | undefined> => {
    const key = await findKey(session, id)
    if (!key || key.revokedAt !== undefined) return undefined
    const { label = key.label, rateLimit: limit = key.rateLimit ?? null } = change
    await session.all(setLabelAndLimit, { id, label, limit })
    await session.all(moveKeysVersion, {})
    const detail = { environment, label, rateLimit: limit }
    await recordKeyAudit(session, origin, 'api_key.changed', key, detail)
    return await findKey(session, id)
  },
)

function recordKeyAudit(
  session: Session,
  origin: AuditOrigin,
  action: AuditAction,
  { id, label }: Pick<ApiKey, 'id' | 'label'>,
  detail: AuditDetail,
): Promise<void> {
  return recordAudit(session, origin, action, { id, name: label }, detail)
}

/** Makes a key for an environment. The text is shown once; keep `hash` and `id`. */
export const createKeyText = (environment: EnvironmentName) => createSecretText(marks[environment])
export type KeyText = ReturnType<typeof createKeyText>
