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
  summary: 'Create an API key',
  description: 'Takes effect immediately on every node. The key is shown only once.',
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
  summary: 'Rotate an API key',
  description:
    'Creates a key with the same label, scopes, limit and lifetime. The old key stays valid for a while. The new key is shown only once.',
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
  description: 'Takes effect immediately on every node. The key stays in the list.',
  scope: 'store:write',
  status: 204,
  errors: ['route_not_found', 'key_not_found'],
})
