// The API of one environment, for API keys: who may call it, around the routes of the rooms.
import type { ServerResponse } from 'node:http'
import { createApiApp, type Gate } from '../../platform/api/api-app.ts'
import { AppError } from '../../platform/errors.ts'
import type { ApiRequest } from '../../platform/http/request/request-head.ts'
import { corsHeaders, preflightHeaders } from '../../platform/http/response/cors.ts'
import { noteUse } from '../keys/key-uses.ts'
import type { ApiKey } from '../keys/keys.ts'
import type { Scope } from '../keys/scopes.ts'
import type { StoreRoute } from '../operations/store-route.ts'
import { storeDocument } from './document.ts'
import type { Environment } from './environment.ts'
import { createHotPath } from './hot-path.ts'
import { mountRoute } from './mount-routes.ts'

export interface StoreApp {
  handle: (request: ApiRequest, response: ServerResponse) => void
  /** The OpenAPI document. */
  document: () => object
}

/** `servers` are the base addresses that the document names. */
export function createStoreApp(
  environment: Environment,
  routes: readonly StoreRoute[],
  servers: { url: string; description: string }[],
): StoreApp {
  const { log, metrics, name, prefix } = environment
  const mounted = routes.map((route) => mountRoute(environment, route))
  const document = (): object =>
    storeDocument(
      routes.map(({ operation }) => operation),
      servers,
    )
  const handle = createApiApp<ApiKey>({
    name,
    prefix,
    routes: mounted,
    gate: keyGate(environment),
    document,
    metrics,
    log,
  })
  return { handle: createHotPath(environment, handle), document }
}

function keyGate(environment: Environment): Gate<ApiKey> {
  const { authenticator, clock, corsOrigins, keyUses, limiter, versions } = environment
  return {
    isFirst: true,
    headersFor: ({ head }) => corsHeaders(head.origin, corsOrigins),
    preflightHeaders: ({ extraHeaders }, allowed) =>
      extraHeaders.length > 0 ? preflightHeaders(allowed) : [],
    async authenticate(request) {
      if (request.failure) throw request.failure
      const now = clock()
      const key = await authenticator.authenticate(request.head, await versions(), now)
      noteUse(keyUses, key.id, now)
      return key
    },
    async authorize(request, operation, key) {
      const scope = operation.scope as Scope
      if (!key.scopes.has(scope)) {
        throw new AppError('insufficient_scope', `This API key lacks the scope ${scope}.`, {
          headers: {
            'WWW-Authenticate': `Bearer realm="animal-store", error="insufficient_scope", scope="${scope}"`,
          },
        })
      }
      const limit = limiter.limitOf(key)
      if (!limit) return
      const { headers } = await (request.allowance ?? limiter.spend(key, limit))
      request.extraHeaders = [...request.extraHeaders, ...headers]
    },
    logFields: (key) => ({ keyId: key?.id }),
    async afterResponse(key, status) {
      const limit = status === 304 && limiter.limitOf(key)
      if (limit) await limiter.refund(key, limit)
    },
  }
}
