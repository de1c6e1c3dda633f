// The management API, below /api on the dashboard's host: JSON in, JSON out, the Error shape for all that
// goes wrong. The checks come in this order: 404 and 405, cross-site, 401, 403, 406, 415, 413, 400.
import type { ServerResponse } from 'node:http'
import findMyWay, { type HTTPMethod } from 'find-my-way'
import { type Download, sendDownload } from '../api/download.ts'
import {
  createEventStreams,
  defaultStreamLimits,
  type EventFeed,
  type StreamLimits,
} from '../api/event-stream.ts'
import { readBytes } from '../api/read-body.ts'
import { AppError, toAppError } from '../errors.ts'
import { isOtherCharset, mediaTypeOf } from '../http/request/body-type.ts'
import { createMethodTable } from '../http/request/method-table.ts'
import { accepts } from '../http/request/negotiate.ts'
import type { ApiRequest } from '../http/request/request-head.ts'
import { sendError, sendOnce } from '../http/response/send-response.ts'
import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { type AddressList, clientAddress } from '../network/addresses.ts'
import { bodyReader, queryReader, readJson } from '../schema/checks.ts'
import type { Caller } from './caller.ts'
import { refuseCrossSite } from './cross-site.ts'
import { managementDocument } from './openapi.ts'
import type { Operation } from './operation.ts'
import type { Call, Route } from './route.ts'

export interface ManagementApp {
  routes: Route[]
  /** Where the dashboard is: the API is below it. */
  dashboardUrl: URL
  /** Who sent the request; undefined where it says nobody. Throws a 401 for credentials that are wrong. */
  authenticate(request: ApiRequest): Promise<Caller | undefined>
  trustedProxies: AddressList
  /** Where they differ from the usual ones. */
  streamLimits?: Partial<StreamLimits> | undefined
  metrics: Metrics
  log: Logger
}

/** Path of everything here. */
export const managementPrefix = '/api'

/** No site shows an answer in a frame, loads one as if it were its own, or has it taken for a page. */
const guards = [
  'Content-Security-Policy',
  "default-src 'none'; frame-ancestors 'none'",
  'X-Frame-Options',
  'DENY',
  'Cross-Origin-Resource-Policy',
  'same-origin',
]
const standardBodyBytes = 64 * 1024
const eventStream = 'text/event-stream'
const longUploadMs = 15 * 60_000

interface Prepared {
  route: Route
  readQuery: (text: string) => unknown
  readBody: ((value: unknown) => unknown) | undefined
}

/** Gives the handler of all requests to `/api`. */
export function createManagementApp(app: ManagementApp) {
  const { authenticate, dashboardUrl, log, metrics, routes, trustedProxies } = app
  const router = findMyWay({ maxParamLength: 1024 })
  const methods = createMethodTable()
  const streams = createEventStreams({ ...defaultStreamLimits, ...app.streamLimits })
  const frequent = new Set(
    routes
      .filter(({ operation }) => operation.isFrequent)
      .map(({ operation }) => operation.operationId),
  )
  let document: object | undefined
  const describe = (): object =>
    managementDocument(
      routes.map(({ operation }) => operation),
      new URL(managementPrefix.slice(1), `${dashboardUrl.href.replace(/\/$/, '')}/`).href,
    )
  for (const route of routes) {
    const [method = '', path = ''] = route.operation.route.split(' ')
    const pattern = path.replaceAll(/\{(\w+)\}/g, ':$1')
    const served = method === 'GET' ? ['GET', 'HEAD'] : [method]
    methods.add(pattern, served)
    const { body, query } = route.operation
    const prepared: Prepared = {
      route,
      readQuery: query ? queryReader(query) : () => undefined,
      readBody: body ? bodyReader(body) : undefined,
    }
    router.on(served as HTTPMethod[], pattern, () => {}, prepared)
  }
  methods.add('/openapi.json', ['GET', 'HEAD'])

  async function answer(request: ApiRequest, response: ServerResponse): Promise<void> {
    const { method = '' } = request
    const url = (request.url as string).slice(managementPrefix.length)
    const [path = '', search = ''] = splitTarget(url === '' ? '/' : url)
    const found = router.find(method as HTTPMethod, path)
    if (!found) return answerWithoutOperation(request, response, path)
    const { route, readBody, readQuery } = found.store as Prepared
    const { operation } = route
    request.operation = operation.operationId
    refuseCrossSite(method, request.headers, dashboardUrl.origin)
    const caller = await admit(operation, await authenticate(request))
    const other = operation.events ? eventStream : 'application/json'
    const types = operation.download ? Object.keys(operation.download) : [other]
    if (!types.some((type) => accepts(request.head.accept, type))) {
      const message = `This answer is ${types.join(' or ')}; let Accept include it.`
      throw new AppError('not_acceptable', message)
    }
    const call = {
      caller,
      params: found.params,
      query: readQuery(search),
      body: undefined,
      request,
      headers: [],
      address: clientAddress(request, trustedProxies),
    } as unknown as Call<Operation> & { body: unknown }
    expectBody(operation, request, response)
    if (readBody) {
      const bytes = await readBytes(request, operation.bodyBytes ?? standardBodyBytes)
      call.body = readBody(readJson(bytes)) as never
    }
    if (operation.events) return await stream(route, call as Call, response)
    const outcome = await route.handle(call as Call)
    if (operation.download) return await sendDownload(request, response, outcome as Download)
    sendJson(request, response, operation.status, outcome, call.headers)
  }

  /** Only those who have signed in are sent events. */
  async function stream(route: Route, call: Call, response: ServerResponse): Promise<void> {
    const { caller, request } = call
    const leave = streams.enter(caller.account.id)
    try {
      const feed = (await route.handle(call)) as EventFeed
      await streams.send(request, response, feed, async () => {
        const again = await admit(route.operation, await authenticate(request))
        await feed.confirm(again as Caller)
      })
    } finally {
      leave()
    }
  }

  /** What is not an operation: the document, a question for the methods, or a mistake. */
  function answerWithoutOperation(
    request: ApiRequest,
    response: ServerResponse,
    path: string,
  ): void {
    const { method } = request
    const allowed = methods.at(path)
    const isRead = method === 'GET' || method === 'HEAD'
    if (!allowed) {
      throw new AppError('route_not_found', 'There is nothing here. See /api/openapi.json.')
    } else if (method === 'OPTIONS') {
      sendOnce(request, response, 204, ['Allow', allowed], undefined)
    } else if (path === '/openapi.json' && isRead) {
      document ??= describe()
      sendJson(request, response, 200, document, [])
    } else {
      const message = `${method} is not possible here; ${allowed} are.`
      throw new AppError('method_not_allowed', message, { headers: { Allow: allowed } })
    }
  }

  return (request: ApiRequest, response: ServerResponse): void => {
    request.environment = 'management'
    request.extraHeaders = guards
    response.once('close', () => report(request, response))
    answer(request, response).catch((thrown) => {
      const error = toAppError(thrown)
      if (error.status >= 500)
        log.error({ requestId: request.head.requestId, err: error.cause ?? error }, error.code)
      sendError(request, response, error)
    })
  }

  /** Counts and logs. */
  function report(request: ApiRequest, response: ServerResponse): void {
    const { environment, operation } = request
    const status = response.statusCode
    const milliseconds = performance.now() - request.startedAt
    metrics.observeRequest({ environment, operation, status }, milliseconds / 1000)
    const isRoutine = request.method === 'GET' || frequent.has(operation)
    const level = status >= 500 ? 'error' : isRoutine && status < 400 ? 'debug' : 'info'
    const { requestId } = request.head
    const { method } = request
    log[level]({ requestId, environment, operation, method, status, milliseconds }, 'request')
  }
}

/** Holds the caller against what the operation asks for. */
async function admit(
  operation: Operation,
  caller: Caller | undefined,
): Promise<Caller | undefined> {
  const { access, scope } = operation
  if (access === 'open') return caller
  if (!caller) {
    throw new AppError(
      'not_signed_in',
      'Sign in, or send an access token as "Authorization: Bearer <TOKEN>".',
      {
        headers: { 'WWW-Authenticate': 'Bearer realm="animal-store management"' },
      },
    )
  }
  if (caller.by.kind === 'token' && !(scope && caller.by.scopes.has(scope))) {
    const message = scope
      ? `This access token lacks the scope ${scope}.`
      : 'An access token cannot do this: sign in.'
    throw new AppError('insufficient_scope', message)
  }
  if (access === 'operator' && caller.account.role !== 'operator')
    throw new AppError('operator_only', 'Only an operator may do this.')
  return caller
}

/** Refuses a body that is not what the operation takes; asks for it where the client waits to be asked. */
function expectBody(operation: Operation, request: ApiRequest, response: ServerResponse): void {
  const { body, upload } = operation
  if (!body && !upload) return
  const { 'content-encoding': coding = 'identity', expect } = request.headers
  if (coding.toLowerCase() !== 'identity') {
    throw new AppError('unsupported_content_encoding', 'Send the body without Content-Encoding.', {
      headers: { 'Accept-Encoding': 'identity' },
    })
  }
  const types = upload?.mediaTypes ?? ['application/json']
  if (!types.includes(mediaTypeOf(request.headers)) || (body && isOtherCharset(request.headers)))
    throw new AppError(
      'unsupported_media_type',
      `Send the body as Content-Type: ${types.join(' or ')}.`,
    )
  const most = upload?.maxBytes ?? operation.bodyBytes ?? standardBodyBytes
  if (Number(request.headers['content-length'] ?? 0) > most)
    throw new AppError('body_too_large', `The body may have ${most} bytes.`)
  if (upload) request.bodyWithinMs = longUploadMs
  if (expect?.toLowerCase() === '100-continue') response.writeContinue()
}

function sendJson(
  request: ApiRequest,
  response: ServerResponse,
  status: number,
  outcome: unknown,
  headers: string[],
): void {
  const text = outcome === undefined ? undefined : JSON.stringify(outcome)
  sendOnce(request, response, status, ['Cache-Control', 'no-store', ...headers], text)
}

function splitTarget(url: string): [path: string, search: string] {
  const end = url.indexOf('?')
  const [path, search] = end < 0 ? [url, ''] : [url.slice(0, end), url.slice(end + 1)]
  try {
    decodeURIComponent(path)
  } catch {
    throw new AppError('route_not_found', 'There is nothing here. See /api/openapi.json.')
  }
  return [path, search]
}
