// The operations of an operator on API keys: validate, call, reply.
import { originOf } from '#kit/audit/record-audit.ts'
import { type Clock, timeOrNull } from '#kit/clock.ts'
import type { Database } from '#kit/database/database.ts'
import { AppError } from '#kit/errors.ts'
import { type Route, route } from '#kit/management/route.ts'
import { invalid } from '#kit/schema/checks.ts'
import { type ByEnvironment, getEnvironmentName } from '../database/environment-name.ts'
import {
  changeKey,
  createKey,
  type ApiKey as Key,
  listKeysBefore,
  revokeKey,
  rotateKey,
  stateOf,
} from './keys.ts'
import { operations } from './operations.ts'
import type { ApiKey } from './schema.ts'

const dayMs = 24 * 3600 * 1000

interface KeysContext {
  clock: Clock
  databases: ByEnvironment<Database>
}

export function keyRoutes({ clock, databases }: KeysContext): Route[] {
  return [
    route(operations.listApiKeys, async ({ params, query }) => {
      const { before, limit } = query
      const keys = await listKeysBefore(databases[getEnvironmentName(params)], before, limit + 1)
      if (!keys) throw keyNotFound()
      const items = keys.slice(0, limit)
      const next = keys.length > limit ? (items.at(-1)?.id ?? null) : null
      return { items: items.map((key) => showKey(key, clock())), next }
    }),
    route(operations.createApiKey, async (call) => {
      const { body, params } = call
      const name = getEnvironmentName(params)
      const { label, expiresAt, rateLimit, scopes } = body
      const now = clock()
      const wanted = {
        label,
        scopes,
        rateLimit: rateLimit ?? undefined,
        expiresAt: readEnd(expiresAt, now),
      }
      const { key, text } = await createKey(databases[name], name, wanted, originOf(call, now))
      return { ...showKey(key, now), key: text }
    }),
    route(operations.changeApiKey, async (call) => {
      const { body, params } = call
      const name = getEnvironmentName(params)
      const origin = originOf(call, clock())
      const key = await changeKey(databases[name], name, params.keyId, body, origin)
      if (!key) throw keyNotFound()
      return showKey(key, clock())
    }),
    route(operations.rotateApiKey, async (call) => {
      const { body, params } = call
      const name = getEnvironmentName(params)
      const { overlapSeconds = dayMs / 1000 } = body
      const now = clock()
      const overlapMs = overlapSeconds * 1000
      const rotated = await rotateKey(
        databases[name],
        name,
        params.keyId,
        overlapMs,
        originOf(call, now),
      )
      if (!rotated) throw keyNotFound()
      return { ...showKey(rotated.key, now), key: rotated.text }
    }),
    route(operations.revokeApiKey, async (call) => {
      const name = getEnvironmentName(call.params)
      const origin = originOf(call, clock())
      if (!(await revokeKey(databases[name], name, call.params.keyId, origin))) throw keyNotFound()
      return undefined
    }),
  ]
}

/** What may be shown of a key. */
function showKey(key: Key, now: number): ApiKey {
  return {
    id: key.id,
    label: key.label,
    state: stateOf(key, now),
    scopes: [...key.scopes],
    hasAllScopes: key.hasAllScopes,
    rateLimit: key.rateLimit ?? null,
    createdAt: new Date(key.createdAt).toISOString(),
    expiresAt: timeOrNull(key.expiresAt),
    revokedAt: timeOrNull(key.revokedAt),
    lastUsedAt: timeOrNull(key.lastUsedAt),
    deprecatedCalls: key.deprecatedCalls,
    deprecatedAt: timeOrNull(key.deprecatedAt),
  }
}

/** RFC 3339; the year has four digits. */
const moment = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/

function readEnd(text: string | null | undefined, now: number): number | undefined {
  if (text === null || text === undefined) return undefined
  const end = moment.test(text) ? Date.parse(text) : Number.NaN
  if (end > now) return end
  const message = 'expiresAt must be in the future, such as 2030-12-05T00:00:00Z.'
  throw invalid('invalid_body', [{ path: 'expiresAt', message }])
}

function keyNotFound(): AppError {
  return new AppError('key_not_found', 'Unknown API key, or it has been revoked.')
}
