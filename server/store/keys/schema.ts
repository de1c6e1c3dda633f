// The wire shapes of API keys. Only the response to a creation has the key itself.
import { type Static, Type } from 'typebox'
import { dateTime, nullable, pageOf } from '#kit/schema/described-schema.ts'
import { scopes as allScopes } from './scopes.ts'

const timeOrNull = (description: string) => nullable(dateTime(description), description)

const label = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
  'x-pattern-message': 'must contain no control characters',
  description: 'A label for your own reference: 1 to 100 characters.',
})
const Scope = Type.Enum(allScopes, { $id: 'Scope', type: 'string' })
const rateLimit = Type.Union(
  [
    Type.String({
      pattern: '^[1-9][0-9]{0,8}/(?!0+[smh])[0-9]{1,5}[smh]$',
      'x-pattern-message': 'must be requests/window, such as 600/60s, 100/1m or 5000/1h',
    }),
    Type.Null(),
  ],
  { description: "Such as 600/60s. Null means the service's default." },
)

const fields = {
  id: Type.String({ description: 'The public part of the key.' }),
  label,
  state: Type.Enum(['active', 'expired', 'revoked'], { type: 'string' }),
  scopes: Type.Array(Scope, { description: 'Its permissions.' }),
  hasAllScopes: Type.Boolean({
    description:
      'True for a key without a list of scopes: it also gets the scopes of later versions.',
  }),
  rateLimit,
  createdAt: dateTime('Creation time.'),
  expiresAt: timeOrNull('Expiry time.'),
  revokedAt: timeOrNull('Revocation time.'),
  lastUsedAt: timeOrNull('Last use; updated every 30 seconds.'),
  deprecatedCalls: Type.Integer({
    minimum: 0,
    description: 'Number of calls of a deprecated operation: getPet.',
  }),
  deprecatedAt: timeOrNull('Time of the last of these calls.'),
}

export const ApiKey = Type.Object(fields, { $id: 'ApiKey', description: 'An API key.' })
export type ApiKey = Static<typeof ApiKey>

export const IssuedApiKey = Type.Object(
  { ...fields, key: Type.String({ description: 'The key itself, shown only once.' }) },
  { $id: 'IssuedApiKey' },
)

export const ApiKeys = pageOf(
  ApiKey,
  'ApiKeys',
  'The newest first.',
  'What `before` takes for the next page; null when there is none.',
)

export const ListApiKeysQuery = Type.Object({
  limit: Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 100,
    description: 'Maximum number of keys returned.',
  }),
  before: Type.Optional(
    Type.String({ maxLength: 100, description: 'Id of the last key of the page before.' }),
  ),
})

export const NewApiKey = Type.Object(
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
export type NewApiKey = Static<typeof NewApiKey>

export const ApiKeyPatch = Type.Object(
  { label: Type.Optional(label), rateLimit: Type.Optional(rateLimit) },
  { $id: 'ApiKeyPatch', description: 'Changes to a key.' },
)
export type ApiKeyPatch = Static<typeof ApiKeyPatch>

const maxOverlapSeconds = 30 * 24 * 3600

export const Overlap = Type.Object(
  {
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maxOverlapSeconds,
        description: 'How long the old one stays valid; one day by default.',
      }),
    ),
  },
  { $id: 'Overlap' },
)
export type Overlap = Static<typeof Overlap>
