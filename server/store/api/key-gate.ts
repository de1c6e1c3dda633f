// Authenticates the API keys of an environment. A read looks its key up as of now. A write goes ahead with a key that was
// verified before: its own transaction confirms the key, which saves a round trip. Any other outcome of such a request is
// sent only once the key was looked up again.
import type { Gate } from '#kit/api/api-app.ts'
import type { Operation } from '#kit/api/operation.ts'
import { AppError } from '#kit/errors.ts'
import type { ApiRequest } from '#kit/http/request/request-head.ts'
import { corsHeaders, preflightHeaders } from '#kit/http/response/send-response.ts'
import { type ApiKey, noteUse } from '../keys/authenticate.ts'
import type { Scope } from '../keys/scopes.ts'
import type { Environment } from './hot-path.ts'

export interface KeyGate extends Gate<ApiKey> {
  /** The key of a request that went ahead as `before`, as it is now. Throws the 401, 403 or 429 that keeps it back. */
  lookUpAgain(request: ApiRequest, operation: Operation, before: ApiKey): Promise<ApiKey>
  /** To be called when the transaction of a write has confirmed the key. */
  setConfirmed(request: ApiRequest, key: ApiKey): void
}

export function createKeyGate(environment: Environment): KeyGate {
  const { authenticator, clock, corsOrigins, keyUses, limiter, metrics, versions } = environment

  async function authenticate(request: ApiRequest): Promise<ApiKey> {
    const now = clock()
    const key = await authenticator.authenticate(request.head, await versions(), now)
    noteUse(keyUses, key.id, now)
    request.keysVersion = undefined
    return key
  }

  async function spend(request: ApiRequest, key: ApiKey): Promise<void> {
    const limit = key.limit ?? limiter.standard
    if (!limit) return
    const { headers } = await limiter.spend(request, key, limit)
    request.extraHeaders = [...request.extraHeaders, ...headers]
  }

  async function lookUp(request: ApiRequest, operation: Operation | undefined): Promise<ApiKey> {
    const key = await authenticate(request)
    if (operation) requireScope(key, operation)
    return key
  }

  return {
    isFirst: true,
    headersFor: ({ head }) => corsHeaders(head.origin, corsOrigins),
    preflightHeaders: ({ extraHeaders }, allowed) =>
      extraHeaders.length > 0 ? preflightHeaders(allowed) : [],
    async authenticate(request) {
      if (request.failure) throw request.failure
      const isRead = request.method === 'GET' || request.method === 'HEAD'
      if (isRead) return await authenticate(request)
      const verified = authenticator.lastVerified(request.head, clock())
      if (!verified) return await authenticate(request)
      metrics.countCache('keys', 'hit')
      request.keysVersion = verified.keysVersion
      return verified.key
    },
    async authorize(request, operation, key) {
      const hasScope = key.scopes.has(operation.scope as Scope)
      const current = hasScope ? key : await lookUp(request, operation)
      try {
        await spend(request, current)
      } catch (error) {
        if (request.keysVersion === undefined) throw error
        const changed = await lookUp(request, operation)
        if (changed === current) throw error
        await spend(request, changed)
      }
    },
    async confirm(request, operation) {
      if (request.keysVersion !== undefined) await lookUp(request, operation)
    },
    async lookUpAgain(request, operation, before) {
      const key = await lookUp(request, operation)
      if (!(before.limit ?? limiter.standard)) await spend(request, key)
      return key
    },
    setConfirmed(request, key) {
      if (request.keysVersion === undefined) return
      request.keysVersion = undefined
      noteUse(keyUses, key.id, clock())
    },
    logFields: (key) => ({ keyId: key?.id }),
    afterResponse: limiter.refundUnchanged,
  }
}

function requireScope(key: ApiKey, operation: Operation): void {
  const scope = operation.scope as Scope
  if (key.scopes.has(scope)) return
  throw new AppError('insufficient_scope', `This API key lacks the scope ${scope}.`, {
    headers: {
      'WWW-Authenticate': `Bearer realm="animal-store", error="insufficient_scope", scope="${scope}"`,
    },
  })
}
