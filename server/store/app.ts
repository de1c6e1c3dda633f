// The application of one environment: its rules in the order in which they are checked
// (401, 404 and 405, 403, 429, 406, 415, 413, 400), around the routes of its rooms.
import type { ServerResponse } from 'node:http'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { AppError, toAppError } from '../platform/errors.ts'
import { isOtherCharset, mediaTypeOf } from '../platform/http/request/body-type.ts'
import { createMethodTable } from '../platform/http/request/method-table.ts'
import { accepts } from '../platform/http/request/negotiate.ts'
import type { ApiRequest } from '../platform/http/request/request-head.ts'
import { corsHeaders, preflightHeaders } from '../platform/http/response/cors.ts'
import { sendError, sendOnce } from '../platform/http/response/send-response.ts'
import { readJson } from '../platform/schema/checks.ts'
import { animalRoutes } from './animals/routes.ts'
import { categoryRoutes } from './categories/routes.ts'
import type { Environment } from './environment.ts'
import { createHotPath } from './hot-path.ts'
import { noteUse } from './keys/key-uses.ts'
import type { ApiKey } from './keys/keys.ts'
import type { Scope } from './keys/scopes.ts'
import { mediaTypesOf, type RawBody } from './media-types.ts'
import { type DescribedRoute, openApiDocument } from './openapi/document.ts'
import type { Operation } from './openapi/operation.ts'
import { openApiRoutes } from './openapi/routes.ts'
import { orderRoutes } from './orders/routes.ts'
import { transferRoutes } from './transfer/routes.ts'
import { compileBody, compileQuery } from './validation.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope that a key needs; none for what is open to all. */
    scope?: Scope
    /** What the OpenAPI document says of it; none for what it leaves out. */
    operation?: Operation
    /** Media type of the answer, when it is not application/json. */
    produces?: string
    /** Forms of a body that the handler gets as bytes; none for JSON, held against the schema. */
    rawBody?: RawBody
    /** Names and values in turn that a refusal of the operation carries, as its other answers do. */
    refusalHeaders?: (request: FastifyRequest) => string[]
  }
  interface FastifyRequest {
    apiKey: ApiKey | undefined
    /** The body as it was sent. */
    bodyBytes: Buffer | undefined
  }
}

export const bodyLimitBytes = 64 * 1024

/** Builds the application; gives the handler of its requests. */
export async function createStoreApp(
  environment: Environment,
  servers: { url: string; description: string }[],
): Promise<{
  handle: (request: ApiRequest, response: ServerResponse) => void
  app: FastifyInstance
  /** The OpenAPI document. */
  openApi: () => object
}> {
  const app = fastify({
    bodyLimit: bodyLimitBytes,
    exposeHeadRoutes: true,
    genReqId: (raw) => (raw as ApiRequest).head.requestId,
    routerOptions: { maxParamLength: 8192, querystringParser: (text) => ({ text }) },
  })
  const methods = createMethodTable()
  app.decorateRequest('apiKey', undefined)
  app.decorateRequest('bodyBytes', undefined)
  app.setValidatorCompiler(({ schema, httpPart }) => {
    if (httpPart === 'body') return compileBody(schema)
    if (httpPart === 'querystring') return compileQuery(schema)
    return () => true
  })
  app.setSerializerCompiler(() => JSON.stringify)
  const described: DescribedRoute[] = []
  const openApi = (): object => openApiDocument(described, servers)
  app.addHook('onRoute', ({ config, method, schema, url }) => {
    methods.add(url, method)
    const { operation } = config ?? {}
    if (!operation || typeof method !== 'string' || method === 'HEAD') return
    const path = url.slice(environment.prefix.length)
    described.push({ ...schema, method, url: path, operation, rawBody: config?.rawBody })
  })
  app.addHook('onRequest', (request, reply) => admit(request, reply))
  app.addHook('preParsing', async (request, reply, payload) => {
    // Only now is the body wanted, if it is one that we can take (RFC 9110, section 10.1.1).
    const { expect, 'content-length': length = '0' } = request.headers
    const isWanted =
      Number(length) <= bodyLimitOf(request) &&
      mediaTypesFor(request).includes(mediaTypeOf(request.headers))
    if (expect?.toLowerCase() === '100-continue' && isWanted) reply.raw.writeContinue()
    return payload
  })
  app.addHook('onResponse', async (request, reply) => report(request, reply))
  app.setErrorHandler((thrown, request, reply) => {
    reply.hijack()
    const error = fromFastify(thrown, request)
    if (error.status >= 500) {
      environment.log.error({ requestId: request.id, err: error.cause ?? error }, error.code)
    }
    const raw = request.raw as ApiRequest
    const { refusalHeaders } = request.routeOptions.config
    if (refusalHeaders) raw.extraHeaders = [...raw.extraHeaders, ...refusalHeaders(request)]
    sendError(raw, reply.raw, error)
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    ['application/json', 'application/merge-patch+json'],
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      request.bodyBytes = body
      return request.routeOptions.config.rawBody ? body : readJson(body)
    },
  )
  // Only a route that names one of these gets so far with it.
  app.addContentTypeParser(
    ['text/csv', 'application/x-ndjson'],
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      request.bodyBytes = body
      return body
    },
  )

  async function admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const raw = request.raw as ApiRequest
    raw.environment = environment.name
    raw.operation = request.routeOptions.config.operation?.operationId ?? 'none'
    raw.extraHeaders = corsHeaders(raw.head.origin, environment.corsOrigins)
    if (request.method === 'OPTIONS') return answerOptions(request, reply)
    const { scope, produces = 'application/json' } = request.routeOptions.config
    if (scope || request.is404) await admitKey(request, raw, scope)
    // Here, and not in a handler for it: before Fastify has opinions on the body.
    if (request.is404) throw nowhere(request)
    if (!accepts(raw.head.accept, produces)) {
      throw new AppError('not_acceptable', `This answer is ${produces}; let Accept include it.`)
    }
    const { config, schema } = request.routeOptions
    if (schema?.body === undefined && config.rawBody === undefined) return passOverBody(request)
    const coding = request.headers['content-encoding']
    if (coding !== undefined && coding.toLowerCase() !== 'identity') {
      throw new AppError(
        'unsupported_content_encoding',
        'Send the body without Content-Encoding.',
        {
          headers: { 'Accept-Encoding': 'identity' },
        },
      )
    }
    const type = mediaTypeOf(request.headers)
    // Without a type a body of JSON is missing; a raw one could be anything.
    const isMissing = type === '' && config.rawBody === undefined
    const isKnown = mediaTypesFor(request).includes(type) && !isOtherCharset(request.headers)
    if (!isMissing && !isKnown) throw unsupportedMediaType(request)
  }

  function nowhere(request: FastifyRequest): AppError {
    const allowed = methods.at(request.url)
    if (allowed) {
      const message = `${request.method} is not possible here; ${allowed} are.`
      return new AppError('method_not_allowed', message, { headers: { Allow: allowed } })
    }
    return new AppError(
      'route_not_found',
      'Nothing is served at this address. See /openapi.json below the base address.',
    )
  }

  async function admitKey(
    request: FastifyRequest,
    raw: ApiRequest,
    scope: Scope | undefined,
  ): Promise<void> {
    const { authenticator, clock, limiter, versions } = environment
    const now = clock()
    if (raw.failure) throw raw.failure
    const key = await authenticator.authenticate(raw.head, await versions(), now)
    request.apiKey = key
    noteUse(environment.keyUses, key.id, now)
    if (scope === undefined) return
    if (!key.scopes.has(scope)) {
      throw new AppError('insufficient_scope', `This API key lacks the scope ${scope}.`, {
        headers: {
          'WWW-Authenticate': `Bearer realm="animal-store", error="insufficient_scope", scope="${scope}"`,
        },
      })
    }
    const limit = limiter.limitOf(key)
    if (!limit) return
    const allowance = await limiter.spend(key, limit, now)
    raw.extraHeaders = [...raw.extraHeaders, ...Object.entries(allowance.headers).flat()]
  }

  function answerOptions(request: FastifyRequest, reply: FastifyReply): void {
    const raw = request.raw as ApiRequest
    const allowed = methods.at(request.url)
    if (!allowed) throw new AppError('route_not_found', 'Nothing is served at this address.')
    const isPreflight = request.headers['access-control-request-method'] !== undefined
    const cors = isPreflight && raw.extraHeaders.length > 0 ? preflightHeaders(allowed) : []
    reply.hijack()
    sendOnce(raw, reply.raw, 204, ['Allow', allowed, 'Vary', 'Origin', ...cors], undefined)
  }

  /** Counts and logs a request that went the long way. */
  async function report(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const raw = request.raw as ApiRequest
    const status = reply.raw.statusCode
    const milliseconds = performance.now() - raw.startedAt
    environment.metrics.observeRequest(
      { environment: environment.name, operation: raw.operation, status },
      milliseconds / 1000,
    )
    const level =
      status >= 500 ? 'error' : request.method === 'GET' && status < 400 ? 'debug' : 'info'
    environment.log[level](
      {
        requestId: request.id,
        environment: environment.name,
        operation: raw.operation,
        method: request.method,
        status,
        keyId: request.apiKey?.id,
        milliseconds: Math.round(milliseconds * 1000) / 1000,
      },
      'request',
    )
    const limit = status === 304 && request.apiKey && environment.limiter.limitOf(request.apiKey)
    if (limit && request.apiKey) await environment.limiter.refund(request.apiKey, limit)
  }

  app.register(
    async (scope) => {
      animalRoutes(scope, environment)
      categoryRoutes(scope, environment)
      orderRoutes(scope, environment)
      transferRoutes(scope, environment)
      openApiRoutes(scope, openApi)
    },
    { prefix: environment.prefix },
  )
  await app.ready()

  const hot = createHotPath(environment, (request, response) => {
    request.url = mendPercent(request.url as string)
    app.routing(request, response)
  })
  return { handle: hot, app, openApi }
}

/**
 * Where no body is read, what it is like does not matter. Fastify would read one for any POST and DELETE,
 * and miss one where only its Content-Type was sent, as many clients do.
 */
function passOverBody({ headers }: FastifyRequest): void {
  for (const name of ['content-type', 'content-length', 'transfer-encoding']) delete headers[name]
}

/** The forms that the route of a request takes. */
function mediaTypesFor({ method, routeOptions }: FastifyRequest): string[] {
  return mediaTypesOf(method, routeOptions.config.rawBody)
}

function bodyLimitOf({ routeOptions }: FastifyRequest): number {
  return routeOptions.bodyLimit ?? bodyLimitBytes
}

function unsupportedMediaType(request: FastifyRequest): AppError {
  const types = mediaTypesFor(request).join(' or ')
  return new AppError('unsupported_media_type', `Send the body as Content-Type: ${types}.`)
}

/** Fastify's own errors as ours. */
function fromFastify(thrown: unknown, request: FastifyRequest): AppError {
  const code = (thrown as { code?: unknown }).code
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return unsupportedMediaType(request)
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new AppError('body_too_large', `The body may have ${bodyLimitOf(request)} bytes.`)
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new AppError('invalid_request', 'The body is not as long as Content-Length says.')
    default:
      return toAppError(thrown)
  }
}

/** A stray percent sign in the path stands for itself, so that what it is part of is just not found. */
function mendPercent(url: string): string {
  const end = url.indexOf('?')
  const path = end < 0 ? url : url.slice(0, end)
  if (!path.includes('%')) return url
  try {
    decodeURIComponent(path)
    return url
  } catch {
    return path.replaceAll('%', '%25') + (end < 0 ? '' : url.slice(end))
  }
}
