// The operations of an operator on API keys, as the management API declares them. A token can make none:
// who has got hold of one must not come by a key that outlives it.
import { operation } from '../../platform/management/operation.ts'
import {
  ApiKey,
  ApiKeyPatch,
  ApiKeys,
  IssuedApiKey,
  ListApiKeysQuery,
  NewApiKey,
  Overlap,
} from './schema.ts'

const common = { tag: 'api-keys', access: 'operator' } as const

export const listApiKeys = operation({
  ...common,
  route: 'GET /store/{environment}/keys',
  operationId: 'listApiKeys',
  summary: 'List API keys, newest first',
  scope: 'store:read',
  query: ListApiKeysQuery,
  status: 200,
  answer: ApiKeys,
  errors: ['route_not_found', 'key_not_found'],
})

export const createApiKey = operation({
  ...common,
  route: 'POST /store/{environment}/keys',
  operationId: 'createApiKey',
  summary: 'Make an API key',
  description: 'It works from the answer on, on every node. It is shown this once.',
  body: NewApiKey,
  status: 201,
  answer: IssuedApiKey,
  errors: ['route_not_found'],
})

export const changeApiKey = operation({
  ...common,
  route: 'PATCH /store/{environment}/keys/{keyId}',
  operationId: 'changeApiKey',
  summary: 'Change the label or the rate limit of an API key',
  body: ApiKeyPatch,
  status: 200,
  answer: ApiKey,
  errors: ['route_not_found', 'key_not_found'],
})

export const rotateApiKey = operation({
  ...common,
  route: 'POST /store/{environment}/keys/{keyId}/rotate',
  operationId: 'rotateApiKey',
  summary: 'Make the successor of an API key',
  description:
    'With the same label, scopes, limit and length of life. The old one goes on for a while. The new one is shown this once.',
  body: Overlap,
  status: 201,
  answer: IssuedApiKey,
  errors: ['route_not_found', 'key_not_found'],
})

export const revokeApiKey = operation({
  ...common,
  route: 'DELETE /store/{environment}/keys/{keyId}',
  operationId: 'revokeApiKey',
  summary: 'Revoke an API key',
  description: 'It is refused from the next request on, on every node. It stays in the list.',
  scope: 'store:write',
  status: 204,
  errors: ['route_not_found', 'key_not_found'],
})
