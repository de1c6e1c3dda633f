// The operations of operators on API keys. Access tokens cannot create keys: a leaked token must not give a key that
// outlives it.
import { declareOperations } from '#kit/management/operation.ts'
import * as schema from './schema.ts'

export const operations = declareOperations(
  { tag: 'api-keys', access: 'operator', errors: ['route_not_found'] },
  {
    listApiKeys: {
      route: 'GET /store/{environment}/keys',
      summary: 'List API keys, newest first',
      scope: 'store:read',
      query: schema.ListApiKeysQuery,
      returns: schema.ApiKeys,
      errors: ['key_not_found'],
    },
    createApiKey: {
      route: 'POST /store/{environment}/keys',
      summary: 'Create an API key',
      description: 'Takes effect immediately on every node. The key is shown only once.',
      body: schema.NewApiKey,
      status: 201,
      returns: schema.IssuedApiKey,
    },
    changeApiKey: {
      route: 'PATCH /store/{environment}/keys/{keyId}',
      summary: 'Change the label or the rate limit of an API key',
      body: schema.ApiKeyPatch,
      returns: schema.ApiKey,
      errors: ['key_not_found'],
    },
    rotateApiKey: {
      route: 'POST /store/{environment}/keys/{keyId}/rotate',
      summary: 'Rotate an API key',
      description:
        'Creates a key with the same label, scopes, limit and lifetime. The old key stays valid for a while. The new key is shown only once.',
      body: schema.Overlap,
      status: 201,
      returns: schema.IssuedApiKey,
      errors: ['key_not_found'],
    },
    revokeApiKey: {
      route: 'DELETE /store/{environment}/keys/{keyId}',
      summary: 'Revoke an API key',
      description: 'Takes effect immediately on every node. The key stays in the list.',
      scope: 'store:write',
      errors: ['key_not_found'],
    },
  },
)
