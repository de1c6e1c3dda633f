// API keys as requests need them; keys.ts makes and changes them. A request is authenticated by its bearer credential (RFC 6750)
// and the keys of its environment. A verified key is remembered until the version of the keys moves, so that most requests
// cost a look-up in memory.
//
// The last uses of keys are collected in memory on the way of every request, then recorded: one statement for a thousand of
// them, so that other writes wait for it briefly.

import { sql } from 'kysely'
import { parseRateLimit } from '#kit/config/parse-variable.ts'
import type { Database, Session } from '#kit/database/database.ts'
import { jsonRows } from '#kit/database/json-rows.ts'
import { AppError, type ErrorCode } from '#kit/errors.ts'
import type { RequestHead } from '#kit/http/request/request-head.ts'
import { hasHash, parseSecretText } from '#kit/identifiers.ts'
import type { Metrics } from '#kit/metrics.ts'
import { type EnvironmentName, environmentNames } from '../database/environment-name.ts'
import { lockedTransaction, type Versions } from '../database/state.ts'
import { prepare, prepareQuery, type StoreTables } from '../database/tables.ts'
import { isScope, type Scope, scopes } from './scopes.ts'

/** An API key is as_live_<id>_<secret><checksum>, as kit/identifiers.ts makes it: the mark says the environment. */
export const marks: Record<EnvironmentName, string> = {
  production: 'as_live_',
  staging: 'as_test_',
}
const environments = new Map(environmentNames.map((name) => [marks[name], name]))

const realm = 'Bearer realm="animal-store"'
const usualPrefix = 'Bearer '.length
const maxRemembered = 10_000

export type Authenticator = ReturnType<typeof createAuthenticator>

/** `databases` holds all environments', so that a key sent to the wrong base address gets its own error. */
export function createAuthenticator(
  environment: EnvironmentName,
  databases: Record<EnvironmentName, Database>,
  metrics: Metrics,
) {
  // By the key's text, however the field is written: one key has one entry. It is found by a seeded hash, so timing
  // reveals nothing about a secret.
  const verified = new Map<string, ApiKey>()
  let under: bigint | undefined

  function remembered(head: RequestHead, keysVersion: bigint, now: number): ApiKey | undefined {
    if (head.authorization === undefined || head.authorizations !== 1) return undefined
    if (under !== keysVersion) {
      verified.clear()
      under = keysVersion
    }
    const field = head.authorization
    // The usual form is cut out without a pattern; only known keys are looked up.
    const isUsual = field.startsWith('Bearer ') && field.indexOf(' ', usualPrefix) < 0
    const text = isUsual ? field.slice(usualPrefix) : /^bearer +(\S+) *$/i.exec(field)?.[1]
    const key = text === undefined ? undefined : verified.get(text)
    return key && (key.expiresAt === undefined || now < key.expiresAt) ? key : undefined
  }

  return {
    /** The key of a request if it was verified under these versions and is still valid at `now`. */
    remembered,
    /** The same, under the versions that were read last: to be confirmed before the request has any effect. */
    lastVerified(head: RequestHead, now: number): { key: ApiKey; keysVersion: bigint } | undefined {
      if (under === undefined) return undefined
      const key = remembered(head, under, now)
      return key && { key, keysVersion: under }
    },
    /** The key of a request. Throws a 401 that says what is wrong, as far as the client may know. */
    async authenticate(head: RequestHead, versions: Versions, now: number) {
      const cached = remembered(head, versions.keys, now)
      metrics.countCache('keys', cached ? 'hit' : 'miss')
      if (cached) return cached
      const text = readBearer(head)
      const parsed = parseSecretText(text)
      const ownEnvironment = parsed && environments.get(parsed.mark)
      const key = ownEnvironment && (await findKey(databases[ownEnvironment].read, parsed.id))
      if (!key || !hasHash(text, key.secretHash)) {
        throw refuse('invalid_api_key', 'Unknown API key. Check that it is complete.')
      }
      // From here on the secret is proven, so its owner may know more.
      if (ownEnvironment !== environment) {
        throw refuse(
          'wrong_environment',
          `This API key is for ${ownEnvironment}; this is ${environment}.`,
        )
      }
      if (key.revokedAt !== undefined)
        throw refuse('revoked_api_key', 'This API key has been revoked.')
      if (key.expiresAt !== undefined && now >= key.expiresAt)
        throw refuse('expired_api_key', 'This API key has expired.')
      if (under === versions.keys && verified.size < maxRemembered) {
        // A copy: a part of the field would keep all of it.
        verified.set(Buffer.from(text, 'latin1').toString('latin1'), key)
      }
      return key
    },
  }
}

function readBearer(head: RequestHead): string {
  const { authorization = '', authorizations } = head
  if (authorizations > 1) {
    throw refuse('invalid_api_key', 'Send one Authorization header, not several.')
  }
  const text = /^bearer +([\w.~+/-]+=*) *$/i.exec(authorization)?.[1]
  if (text !== undefined) return text
  if (/^bearer\b/i.test(authorization)) {
    throw refuse('invalid_api_key', 'The Authorization header must be "Bearer <API_KEY>".')
  }
  const message = 'Send your API key as "Authorization: Bearer <API_KEY>".'
  throw refuse('missing_api_key', message, realm)
}

/** RFC 6750, section 3: the challenge names an error only where a credential was sent. */
function refuse(
  code: ErrorCode,
  message: string,
  challenge = `${realm}, error="invalid_token"`,
): AppError {
  return new AppError(code, message, { headers: { 'WWW-Authenticate': challenge } })
}

/** All scopes, also those that later versions add. */
export const everyScope = '*'

export type ApiKey = ReturnType<typeof toApiKey>

/** Times are milliseconds since the epoch. */
export function toApiKey(row: StoreTables['api_keys']) {
  const hasAllScopes = row.scopes === everyScope
  const { deprecated_at, expires_at, last_used_at, rate_limit, revoked_at } = row
  return {
    id: row.id,
    lineage: row.lineage,
    label: row.label,
    secretHash: row.secret_hash,
    scopes: new Set<Scope>(hasAllScopes ? scopes : row.scopes.split(' ').filter(isScope)),
    rateLimit: rate_limit ?? undefined,
    createdAt: Number(row.created_at),
    expiresAt: expires_at === null ? undefined : Number(expires_at),
    revokedAt: revoked_at === null ? undefined : Number(revoked_at),
    lastUsedAt: last_used_at === null ? undefined : Number(last_used_at),
    deprecatedCalls: Number(row.deprecated_calls),
    deprecatedAt: deprecated_at === null ? undefined : Number(deprecated_at),
    /** Created without a list of scopes: it has all of them, also those that later versions add. */
    hasAllScopes,
    /** Of requests with it; undefined for the service's own limit. */
    limit: rate_limit === null ? undefined : parseRateLimit(rate_limit),
  }
}

const keyById = prepare.select('api_keys', 'all', { id: 'id' })

/** Finds a key by its id, whatever its state. */
export async function findKey(session: Session, id: string): Promise<ApiKey | undefined> {
  const [row] = await session.all(keyById, { id })
  return row && toApiKey(row)
}

interface KeyUse {
  /** The last one, in milliseconds since the epoch. */
  at: number
  /** Calls of deprecated operations, and the last of them. */
  deprecatedCalls: number
  deprecatedAt: number | undefined
}

/** By the id of the key. */
export type KeyUses = Map<string, KeyUse>

export function noteUse(uses: KeyUses, keyId: string, now: number): void {
  const use = uses.get(keyId)
  if (use) use.at = now
  else uses.set(keyId, { at: now, deprecatedCalls: 0, deprecatedAt: undefined })
}

/** Of a use that is noted already or will be. */
export function noteDeprecatedCall(uses: KeyUses, keyId: string, now: number): void {
  noteUse(uses, keyId, now)
  const use = uses.get(keyId) as KeyUse
  use.deprecatedCalls += 1
  use.deprecatedAt = now
}

/** Puts back what could not be written down: it is older than what has been noted since. */
function returnUses(uses: KeyUses, taken: KeyUses): void {
  for (const [id, older] of taken) {
    const use = uses.get(id)
    if (!use) uses.set(id, older)
    else {
      use.deprecatedCalls += older.deprecatedCalls
      use.deprecatedAt ??= older.deprecatedAt
    }
  }
}

const maxUsesPerTransaction = 1000

const updateUses = prepareQuery<{ uses: string }>()((db, param) => {
  const columns = { id: 'text', at: 'bigint', calls: 'bigint', deprecated_at: 'bigint' } as const
  const later = (column: string, used: string) =>
    sql`${sql.ref(column)} = case
      when api_keys.${sql.ref(column)} >= ${sql.ref(used)} or ${sql.ref(used)} is null
      then api_keys.${sql.ref(column)} else ${sql.ref(used)} end`
  return sql<unknown>`update api_keys set
        ${later('last_used_at', 'uses.at')},
        deprecated_calls = api_keys.deprecated_calls + uses.calls,
        ${later('deprecated_at', 'uses.deprecated_at')}
        from ${jsonRows(db, param('uses'), 'uses', columns)}
        where api_keys.id = uses.id`
})

const update = lockedTransaction(async (session, uses: KeyUses) => {
  const rows = [...uses].map(([id, { at, deprecatedAt, deprecatedCalls }]) => ({
    id,
    at,
    calls: deprecatedCalls,
    deprecated_at: deprecatedAt ?? null,
  }))
  await session.all(updateUses, { uses: JSON.stringify(rows) })
})

/** Moves uses from memory to the database. What could not be written stays in memory. */
export async function recordUses(database: Database, noted: KeyUses): Promise<void> {
  const all = [...noted]
  noted.clear()
  for (let start = 0; start < all.length; start += maxUsesPerTransaction) {
    const uses: KeyUses = new Map(all.slice(start, start + maxUsesPerTransaction))
    try {
      await update(database, uses)
    } catch (error) {
      returnUses(noted, new Map(all.slice(start)))
      throw error
    }
  }
}
