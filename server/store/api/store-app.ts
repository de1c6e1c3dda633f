// The API of one environment, for API keys: who may call it, around the routes of the rooms.
import type { ServerResponse } from 'node:http'
import { createApiApp } from '#kit/api/api-app.ts'
import type { ApiRequest } from '#kit/http/request/request-head.ts'
import type { ApiKey } from '../keys/keys.ts'
import type { StoreRoute } from '../operations/store-route.ts'
import { storeDocument } from './document.ts'
import type { Environment } from './environment.ts'
import { createHotPath } from './hot-path.ts'
import { createKeyGate } from './key-gate.ts'
import { mountRoute } from './mount-routes.ts'

interface StoreApp {
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
  const gate = createKeyGate(environment)
  const mounted = routes.map((route) => mountRoute(environment, gate, route))
  const document = (): object =>
    storeDocument(
      routes.map(({ operation }) => operation),
      servers,
    )
  const { handle } = createApiApp<ApiKey>({
    name,
    prefix,
    routes: mounted,
    gate,
    document,
    metrics,
    log,
  })
  return { handle: createHotPath(environment, handle), document }
}
