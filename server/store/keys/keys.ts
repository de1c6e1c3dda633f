// The life of an API key: created, listed, rotated with an overlap, revoked, expired.
// Every change moves keys_version, so that all processes forget what they knew at their next request.
import { type Database, each, findOne, type Session } from '../../platform/database/database.ts'
import type { EnvironmentName } from '../database/environment-name.ts'
import { prepareQuery } from '../database/tables.ts'
import { createKeyText } from './api-key.ts'
import type { KeyUse, KeyUses } from './key-uses.ts'
import { isScope, type Scope, scopes } from './scopes.ts'

export interface ApiKey {
  id: string
  lineage: string
  label: string
  secretHash: string
  scopes: ReadonlySet<Scope>
  /** Made without a list: it may do everything, what later versions add included. */
  hasAllScopes: boolean
  /** As configured (`600/60s`), or undefined for the service's own. */
  rateLimit: string | undefined
  /** Milliseconds since the epoch, like all times here. */
  createdAt: number
  expiresAt: number | undefined
  revokedAt: number | undefined
  lastUsedAt: number | undefined
  /** Calls of deprecated operations, and the last of them. */
  deprecatedCalls: number
  deprecatedAt: number | undefined
}

/** What may be changed of a key; what is left out stays. */
export interface KeyChange {
  label?: string | undefined
  /** Null takes the service's own. */
  rateLimit?: string | null | undefined
}

export interface NewKey {
  label: string
  scopes?: Scope[] | undefined
  rateLimit?: string | undefined
  expiresAt?: number | undefined
}

const columns = [
  'id',
  'lineage',
  'label',
  'secret_hash',
  'scopes',
  'rate_limit',
  'created_at',
  'expires_at',
  'revoked_at',
  'last_used_at',
  'deprecated_calls',
  'deprecated_at',
] as const

const keyById = prepareQuery<{ id: string }>()((db, param) =>
  db.selectFrom('api_keys').select(columns).where('id', '=', param('id')),
)
const allKeys = prepareQuery<{ limit: number }>()((db, param) =>
  db
    .selectFrom('api_keys')
    .select(columns)
    .orderBy('created_at')
    .orderBy('id')
    .limit(param('limit')),
)
const keysBefore = prepareQuery<{ limit: number; id: string; at: number }>()((db, param) =>
  db
    .selectFrom('api_keys')
    .select(columns)
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
const insertKey = prepareQuery<{
  id: string
  lineage: string
  label: string
  secret_hash: string
  scopes: string
  rate_limit: string | null
  created_at: number
  expires_at: number | null
}>()((db, param) =>
  db.insertInto('api_keys').values({
    id: param('id'),
    lineage: param('lineage'),
    label: param('label'),
    secret_hash: param('secret_hash'),
    scopes: param('scopes'),
    rate_limit: param('rate_limit'),
    created_at: param('created_at'),
    expires_at: param('expires_at'),
    deprecated_calls: 0n,
  }),
)
const setExpiry = prepareQuery<{ id: string; expires_at: number }>()((db, param) =>
  db
    .updateTable('api_keys')
    .set({ expires_at: param('expires_at') })
    .where('id', '=', param('id')),
)
const setRevoked = prepareQuery<{ id: string; at: number }>()((db, param) =>
  db
    .updateTable('api_keys')
    .set({ revoked_at: param('at') })
    .where('id', '=', param('id'))
    .where('revoked_at', 'is', null)
    .returning('id'),
)
const setLastUsed = prepareQuery<{ id: string; at: number }>()((db, param) =>
  db
    .updateTable('api_keys')
    .set({ last_used_at: param('at') })
    .where('id', '=', param('id'))
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', param('at'))])),
)
const addDeprecatedCalls = prepareQuery<{ id: string; calls: number }>()((db, param) =>
  db
    .updateTable('api_keys')
    .set((eb) => ({ deprecated_calls: eb('deprecated_calls', '+', param('calls')) }))
    .where('id', '=', param('id')),
)
const setDeprecatedAt = prepareQuery<{ id: string; at: number }>()((db, param) =>
  db
    .updateTable('api_keys')
    .set({ deprecated_at: param('at') })
    .where('id', '=', param('id'))
    .where((eb) => eb.or([eb('deprecated_at', 'is', null), eb('deprecated_at', '<', param('at'))])),
)
const setLabelAndLimit = prepareQuery<{ id: string; label: string; limit: string | null }>()(
  (db, param) =>
    db
      .updateTable('api_keys')
      .set({ label: param('label'), rate_limit: param('limit') })
      .where('id', '=', param('id')),
)
const moveKeysVersion = prepareQuery()((db) =>
  db.updateTable('store_state').set((eb) => ({ keys_version: eb('keys_version', '+', 1n) })),
)

/** How all scopes are stored, so that an old key may do what a new version adds. */
const everyScope = '*'

/** After every key. */
const newest = { createdAt: Number.MAX_SAFE_INTEGER, id: '' }

type Row = { [K in (typeof columns)[number]]: string | bigint | null }

/** Finds a key by its id, whatever its state. */
export async function findKey(session: Session, id: string): Promise<ApiKey | undefined> {
  const row = await findOne(session, keyById, { id })
  return row && toApiKey(row)
}

/** All keys, oldest first, at most 10,000. */
export async function listKeys(database: Database): Promise<ApiKey[]> {
  return (await database.read.all(allKeys, { limit: 10_000 })).map(toApiKey)
}

/** Keys, newest first: those that were made before one, or from the newest on. Undefined without such a one. */
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

/** Changes label and limit. Undefined when there is no such key, or it has been revoked. */
export async function changeKey(
  database: Database,
  id: string,
  change: KeyChange,
): Promise<ApiKey | undefined> {
  return await database.write(changeKeyTransaction, { id, change })
}

/** Creates a key; `text` is returned only once. */
export async function createKey(
  database: Database,
  environment: EnvironmentName,
  key: NewKey,
  now: number,
): Promise<{ key: ApiKey; text: string }> {
  return await database.write(createKeyTransaction, {
    environment,
    key,
    now,
    replaces: undefined,
    overlapMs: 0,
  })
}

/**
 * Creates a key with the label, scopes, limit and length of life of another, which stays valid for
 * `overlapMs`.
 * Undefined when there is no such key, or it has been revoked.
 */
export async function rotateKey(
  database: Database,
  environment: EnvironmentName,
  id: string,
  overlapMs: number,
  now: number,
): Promise<{ key: ApiKey; text: string } | undefined> {
  return await database.write(rotateKeyTransaction, { environment, id, overlapMs, now })
}

/** Ends a key at once. False when there is no such key or it is revoked already. */
export async function revokeKey(database: Database, id: string, now: number): Promise<boolean> {
  return await database.write(revokeKeyTransaction, { id, now })
}

/** Records when keys were last used, to be called now and then with what has gathered. */
export async function recordUse(database: Database, uses: KeyUses): Promise<void> {
  await database.write(recordUseTransaction, uses)
}

interface Creation {
  environment: EnvironmentName
  key: NewKey
  now: number
  replaces: ApiKey | undefined
  overlapMs: number
}

/** Also used inside the first start's own write. */
export async function insertNewKey(
  session: Session,
  input: Creation,
): Promise<{ key: ApiKey; text: string }> {
  const { environment, key, now, replaces, overlapMs } = input
  const { id, text, hash } = createKeyText(environment)
  await session.all(insertKey, {
    id,
    lineage: replaces?.lineage ?? id,
    label: key.label,
    secret_hash: hash,
    scopes: key.scopes?.join(' ') ?? everyScope,
    rate_limit: key.rateLimit ?? null,
    created_at: now,
    expires_at: key.expiresAt ?? null,
  })
  if (replaces) {
    const end = Math.min(replaces.expiresAt ?? Number.POSITIVE_INFINITY, now + overlapMs)
    await session.all(setExpiry, { id: replaces.id, expires_at: end })
  }
  await session.all(moveKeysVersion, {})
  return { key: (await findKey(session, id)) as ApiKey, text }
}

const createKeyTransaction = each(insertNewKey)

const rotateKeyTransaction = each(
  async (
    session,
    {
      environment,
      id,
      overlapMs,
      now,
    }: { environment: EnvironmentName; id: string; overlapMs: number; now: number },
  ) => {
    const old = await findKey(session, id)
    if (!old || old.revokedAt !== undefined) return undefined
    const allowed = old.hasAllScopes ? undefined : [...old.scopes]
    // A successor lives as long as its predecessor was given.
    const expiresAt = old.expiresAt === undefined ? undefined : now + old.expiresAt - old.createdAt
    const key = { label: old.label, scopes: allowed, rateLimit: old.rateLimit, expiresAt }
    return await insertNewKey(session, { environment, key, now, replaces: old, overlapMs })
  },
)

const revokeKeyTransaction = each(async (session, { id, now }: { id: string; now: number }) => {
  const revoked = await findOne(session, setRevoked, { id, at: now })
  await session.all(moveKeysVersion, {})
  return revoked !== undefined
})

const changeKeyTransaction = each(
  async (
    session,
    { id, change }: { id: string; change: KeyChange },
  ): Promise<ApiKey | undefined> => {
    const key = await findKey(session, id)
    if (!key || key.revokedAt !== undefined) return undefined
    const { label = key.label, rateLimit: limit = key.rateLimit ?? null } = change
    await session.all(setLabelAndLimit, { id, label, limit })
    await session.all(moveKeysVersion, {})
    return await findKey(session, id)
  },
)

const recordUseTransaction = each(async (session, uses: KeyUses) => {
  // In one order for all processes, so that two of them cannot wait for each other.
  for (const id of [...uses.keys()].sort()) {
    const { at, deprecatedAt, deprecatedCalls: calls } = uses.get(id) as KeyUse
    await session.all(setLastUsed, { id, at })
    if (deprecatedAt === undefined) continue
    await session.all(addDeprecatedCalls, { id, calls })
    await session.all(setDeprecatedAt, { id, at: deprecatedAt })
  }
})

function toApiKey(row: Row): ApiKey {
  const time = (value: string | bigint | null): number | undefined =>
    value === null ? undefined : Number(value)
  return {
    id: String(row.id),
    lineage: String(row.lineage),
    label: String(row.label),
    secretHash: String(row.secret_hash),
    scopes: new Set(
      row.scopes === everyScope ? scopes : String(row.scopes).split(' ').filter(isScope),
    ),
    hasAllScopes: row.scopes === everyScope,
    rateLimit: row.rate_limit === null ? undefined : String(row.rate_limit),
    createdAt: Number(row.created_at),
    expiresAt: time(row.expires_at),
    revokedAt: time(row.revoked_at),
    lastUsedAt: time(row.last_used_at),
    deprecatedCalls: Number(row.deprecated_calls),
    deprecatedAt: time(row.deprecated_at),
  }
}
