// The operations of operators on API keys. Access tokens cannot create keys: a leaked token must not give a key that
// outlives it.
import { type Static, Type } from 'typebox'
import { rateLimitPattern } from '#kit/config/parse-variable.ts'
import { AppError } from '#kit/errors.ts'
import { invalid } from '#kit/schema/checks.ts'
import {
  count,
  dateTime,
  momentOrNull,
  pageLimit,
  pageOf,
  plainText,
  text,
  toPage,
  toWire,
  words,
} from '#kit/schema/described-schema.ts'
import { type EnvironmentsContext, environmentRoutesOf } from '../database/environment-routes.ts'
import type { ApiKey as Key } from './authenticate.ts'
import {
  changeKey,
  createKey,
  listKeysBefore,
  revokeKey,
  rotateKey,
  rotationOverlap,
  stateOf,
} from './keys.ts'
import { scopes as allScopes } from './scopes.ts'

const label = plainText(100, 'A label for your own reference: 1 to 100 characters.')
const Scope = Type.Enum(allScopes, { $id: 'Scope', type: 'string' })
const rateLimit = Type.Union(
  [
    Type.String({
      pattern: rateLimitPattern,
      'x-pattern-message': 'must be requests/window, such as 600/60s, 100/1m or 5000/1h',
    }),
    Type.Null(),
  ],
  { description: "Such as 600/60s. Null means the service's default." },
)

const fields = {
  id: Type.String({ description: 'The public part of the key.' }),
  label,
  state: words(['active', 'expired', 'revoked']),
  scopes: Type.Array(Scope, { description: 'Its permissions.' }),
  hasAllScopes: Type.Boolean({
    description:
      'True for a key without a list of scopes: it also gets the scopes of later versions.',
  }),
  rateLimit,
  createdAt: dateTime('Creation time.'),
  expiresAt: momentOrNull('Expiry time.'),
  revokedAt: momentOrNull('Revocation time.'),
  lastUsedAt: momentOrNull('Last use; updated every 30 seconds.'),
  deprecatedCalls: count('Number of calls of a deprecated operation: getPet.'),
  deprecatedAt: momentOrNull('Time of the last of these calls.'),
}

export const ApiKey = Type.Object(fields, { $id: 'ApiKey', description: 'An API key.' })
export type ApiKey = Static<typeof ApiKey>

const IssuedApiKey = Type.Object(
  { ...fields, key: Type.String({ description: 'The key itself, shown only once.' }) },
  { $id: 'IssuedApiKey' },
)

const ApiKeys = pageOf(
  ApiKey,
  'ApiKeys',
  'The newest first.',
  'What `before` takes for the next page; null when there is none.',
)

const ListApiKeysQuery = Type.Object({
  limit: pageLimit(100),
  before: Type.Optional(text(100, 'Id of the last key of the page before.')),
})

const NewApiKey = Type.Object(
  {
    label,
    scopes: Type.Optional(
      Type.Array(Scope, { minItems: 1, uniqueItems: true, description: 'All without it.' }),
    ),
    expiresAt: Type.Optional(
      Type.Union([Type.String({ maxLength: 40 }), Type.Null()], {
        description: 'Expiry time, in the future (RFC 3339). A key without it does not expire.',
      }),
    ),
    rateLimit: Type.Optional(rateLimit),
  },
  { $id: 'NewApiKey' },
)

const ApiKeyPatch = Type.Object(
  { label: Type.Optional(label), rateLimit: Type.Optional(rateLimit) },
  { $id: 'ApiKeyPatch', description: 'Changes to a key.' },
)

export const Overlap = Type.Object(
  {
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: rotationOverlap.maxSeconds,
        description: 'How long the old one stays valid; one day by default.',
      }),
    ),
  },
  { $id: 'Overlap' },
)

const route = environmentRoutesOf<EnvironmentsContext>('api-keys')

export const keyRoutes = [
  route('GET /store/{environment}/keys', 'listApiKeys', {
    summary: 'List API keys, newest first',
    scope: 'store:read',
    query: ListApiKeysQuery,
    returns: ApiKeys,
    errors: ['key_not_found'],
    async handle({ database, query: { before, limit } }, { clock }) {
      const keys = found(await listKeysBefore(database, before, limit + 1))
      return toPage(keys, limit, 'id', (key) => showKey(key, clock()))
    },
  }),
  route('POST /store/{environment}/keys', 'createApiKey', {
    summary: 'Create an API key',
    description: 'Takes effect immediately on every node. The key is shown only once.',
    body: NewApiKey,
    status: 201,
    returns: IssuedApiKey,
    async handle({ body, database, environment, origin }) {
      const { label, expiresAt, rateLimit, scopes } = body
      const newKey = {
        label,
        scopes,
        rateLimit: rateLimit ?? undefined,
        expiresAt: readEnd(expiresAt, origin.at),
      }
      const { key, text } = await createKey(database, environment, newKey, origin)
      return { ...showKey(key, origin.at), key: text }
    },
  }),
  route('PATCH /store/{environment}/keys/{keyId}', 'changeApiKey', {
    summary: 'Change the label or the rate limit of an API key',
    body: ApiKeyPatch,
    returns: ApiKey,
    errors: ['key_not_found'],
    async handle({ body, database, environment, origin, params }) {
      const key = await changeKey(database, environment, params.keyId, body, origin)
      return showKey(found(key), origin.at)
    },
  }),
  route('POST /store/{environment}/keys/{keyId}/rotate', 'rotateApiKey', {
    summary: 'Rotate an API key',
    description:
      'Creates a key with the same label, scopes, limit and lifetime. The old key stays valid for a while. The new key is shown only once.',
    body: Overlap,
    status: 201,
    returns: IssuedApiKey,
    errors: ['key_not_found'],
    async handle({ body, database, environment, origin, params }) {
      const { overlapSeconds = rotationOverlap.usualSeconds } = body
      const overlapMs = overlapSeconds * 1000
      const rotated = await rotateKey(database, environment, params.keyId, overlapMs, origin)
      const { key, text } = found(rotated)
      return { ...showKey(key, origin.at), key: text }
    },
  }),
  route('DELETE /store/{environment}/keys/{keyId}', 'revokeApiKey', {
    summary: 'Revoke an API key',
    description: 'Takes effect immediately on every node. The key stays in the list.',
    scope: 'store:write',
    errors: ['key_not_found'],
    async handle({ database, environment, origin, params }) {
      found(await revokeKey(database, environment, params.keyId, origin))
    },
  }),
] as const

/** What may be shown of a key. */
export function showKey(key: Key, now: number): ApiKey {
  return toWire(ApiKey, { ...key, state: stateOf(key, now), scopes: [...key.scopes] })
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

/** Throws `key_not_found` for what is not there. */
function found<T>(value: T): NonNullable<T> {
  if (!value) throw new AppError('key_not_found', 'Unknown API key, or it has been revoked.')
  return value
}
