// One HTTP application for every API: finds the operation of a request, checks the request in one order (401, 404 and 405,
// 403, 429, 406, 415, 413, 400), calls the handler and sends its outcome.
import type { ServerResponse } from 'node:http'
import findMyWay, { type HTTPMethod } from 'find-my-way'
import { Type } from 'typebox'
import { type Commits, trackCommits } from '../database/transactions.ts'
import { AppError, outcomeUnknown, toAppError, unavailable } from '../errors.ts'
import { createMethodTable } from '../http/request/method-table.ts'
import type { ApiRequest } from '../http/request/request-head.ts'
import { accepts, sendReady } from '../http/response/ready-response.ts'
import { sendError, sendOnce } from '../http/response/send-response.ts'
import { createFailureLog, type Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { type ClientAddresses, unknownAddress } from '../network/client-addresses.ts'
import { bodyReader, readJson } from '../schema/checks.ts'
import { queryReader } from '../schema/query-reader.ts'
import { type Download, sendDownload } from './download.ts'
import { createEventStreams, type EventFeed, type StreamLimits } from './event-stream.ts'
import { createDocuments, type Document } from './openapi.ts'
import {
  type ApiCall,
  type ApiRoute,
  answerMediaTypesOf,
  bodyMediaTypesOf,
  methodOf,
  type Operation,
  pathOf,
} from './operation.ts'
import { checkBodyHeaders, readBody } from './read-body.ts'

/** Who may call an API. `Caller` includes undefined where some operations are open. */
export interface Gate<Caller> {
  /** Names and values in turn that every response to the request carries. */
  headersFor(request: ApiRequest): string[]
  /** Names and values in turn for the response to a preflight, given the allowed methods. */
  preflightHeaders?(request: ApiRequest, allowed: string): string[]
  /** Authentication comes before 404 and 405, so that strangers learn nothing about paths. */
  isFirst: boolean
  /** Throws a 401. */
  authenticate(request: ApiRequest): Promise<Caller>
  /** Throws the 403 or 429 that keeps the caller from the operation. */
  authorize(request: ApiRequest, operation: Operation, caller: Caller): Promise<void>
  /** Throws if the caller may not be told about an error, because `authenticate` knew too little. */
  confirm?(request: ApiRequest, operation: Operation | undefined): Promise<unknown>
  /** Names the account that an event stream counts for. */
  streamOwnerOf?(caller: Caller): string
  /** What the request's log line says about the caller. */
  logFields?(caller: Caller | undefined): object
  /** Called after the response to an authenticated request. */
  afterResponse?(caller: Caller, status: number): Promise<void>
}

interface ApiAppOptions<Caller> {
  /** What metrics and logs call the API. */
  name: string
  /** The path of the API, without a slash at the end. */
  prefix: string
  routes: readonly ApiRoute<Caller>[]
  gate: Gate<Caller>
  /** Makes the OpenAPI document, which everybody may read at /openapi.json and /openapi.yaml. */
  document: () => object
  /** Without it calls do not know the client's address. */
  clients?: ClientAddresses
  /** Overrides of the usual limits. */
  streamLimits?: Partial<StreamLimits> | undefined
  metrics: Metrics
  log: Logger
}

interface Prepared<Caller> {
  route: ApiRoute<Caller>
  mediaTypes: string[]
  readQuery: (text: string) => unknown
  readBody: ((value: unknown) => unknown) | undefined
}

type Exchange<Caller> = ReturnType<typeof createExchange<Caller>>

/** One request on its way through the application. */
const createExchange = <Caller>(request: ApiRequest, response: ServerResponse) => ({
  request,
  response,
  operation: undefined as Operation | undefined,
  caller: undefined as Caller | undefined,
  errorHeaders: [] as string[],
  /** Of its handler; undefined until that is called, and for a GET. */
  commits: undefined as Commits | undefined,
  isOver: false,
})

export interface ApiApp {
  /** Handles all requests below the prefix. */
  handle(request: ApiRequest, response: ServerResponse): Promise<void>
}

export function createApiApp<Caller>(api: ApiAppOptions<Caller>): ApiApp {
  const { clients, gate, log, metrics, name, prefix } = api
  const logFailure = createFailureLog(log)
  const router = findMyWay({
    maxParamLength: 8192,
    // The text itself: each operation reads its own parameters.
    querystringParser: (text) => text as unknown as Record<string, string>,
  })
  const methods = createMethodTable()
  const streams = createEventStreams(api.streamLimits)
  const documents = createDocuments(api.document)

  for (const route of api.routes) {
    const { operation } = route
    const { body, query = Type.Object({}), rawBody, upload } = operation
    const prepared: Prepared<Caller> = {
      route,
      mediaTypes: answerMediaTypesOf(operation),
      readQuery: queryReader(query),
      readBody: body && bodyReader(body),
    }
    const pattern = pathOf(operation).replaceAll(/\{(\w+)\}/g, ':$1')
    const mediaTypes = body || rawBody || upload ? bodyMediaTypesOf(operation) : []
    addPath(methodOf(operation), pattern, prepared, mediaTypes)
  }
  for (const path of documents.keys()) addPath('GET', path, path)
  for (const [method, pattern] of methods.shadowed()) {
    router.on(method as HTTPMethod, pattern, () => {})
  }

  function addPath(
    method: string,
    pattern: string,
    store: unknown,
    mediaTypes?: readonly string[],
  ): void {
    const served = method === 'GET' ? ['GET', 'HEAD'] : [method]
    methods.add(pattern, served, mediaTypes)
    router.on(served as HTTPMethod[], pattern, () => {}, store)
  }

  /** What serves the target; undefined if nothing does. A parameter is never empty. */
  function find(method: string, target: string) {
    const match = router.find(method as HTTPMethod, target)
    return match?.store && !Object.values(match.params).includes('') ? match : undefined
  }

  async function answer(exchange: Exchange<Caller>): Promise<void> {
    const { request, response } = exchange
    const { method = '' } = request
    const target = escapeStrayPercents((request.url as string).slice(prefix.length) || '/')
    if (method === 'OPTIONS') return answerOptions(request, response, target)
    const match = find(method, target)
    if (!match) {
      if (gate.isFirst) exchange.caller = await gate.authenticate(request)
      throw nothingHere(method, target)
    }
    if (typeof match.store === 'string') {
      return sendDocument(request, response, documents.get(match.store) as Document)
    }
    const prepared = match.store as Prepared<Caller>
    const { route } = prepared
    const { operation } = route
    exchange.operation = operation
    request.operation = operation.operationId
    const params = match.params as Record<string, string>
    if (route.errorHeaders) exchange.errorHeaders = route.errorHeaders(params)
    const caller = await gate.authenticate(request)
    exchange.caller = caller
    await gate.authorize(request, operation, caller)
    refuseUnacceptable(request, prepared.mediaTypes)
    const bytes = await receiveBody(operation, request, response)
    const call: ApiCall<Caller> = {
      caller,
      params,
      query: prepared.readQuery(match.searchParams as unknown as string),
      body: prepared.readBody?.(bytes === undefined ? null : readJson(bytes)),
      bytes,
      request,
      headers: [],
      address: addressOf(request),
    }
    if (operation.events) return await stream(route, call, response)
    const outcome = await handle(exchange, route, call)
    if (route.send) route.send(request, response, outcome)
    else if (operation.download) await sendDownload(request, response, outcome as Download)
    else sendJson(request, response, operation.status, outcome, call.headers)
  }

  async function handle(
    exchange: Exchange<Caller>,
    route: ApiRoute<Caller>,
    call: ApiCall<Caller>,
  ): Promise<unknown> {
    if (methodOf(route.operation) === 'GET') return await route.handle(call)
    const commits = { hasCommitted: false }
    exchange.commits = commits
    return await trackCommits(commits, () => route.handle(call))
  }

  const addressOf = (request: ApiRequest): string => clients?.of(request) ?? unknownAddress

  async function stream(
    route: ApiRoute<Caller>,
    call: ApiCall<Caller>,
    response: ServerResponse,
  ): Promise<void> {
    const { caller, request } = call
    const { displaced, leave } = streams.enter(gate.streamOwnerOf?.(caller) ?? '')
    try {
      const feed = (await route.handle(call)) as EventFeed<unknown, Caller>
      const confirm = async (): Promise<void> => {
        const again = await gate.authenticate(request)
        await gate.authorize(request, route.operation, again)
        await feed.confirm(again)
      }
      await streams.send(request, response, feed, confirm, displaced)
    } finally {
      leave()
    }
  }

  function answerOptions(request: ApiRequest, response: ServerResponse, target: string): void {
    const there = methods.at(target)
    if (!there) throw nothingHere('OPTIONS', target)
    const { accepted, allowed } = there
    const isPreflight = request.headers['access-control-request-method'] !== undefined
    const preflight = isPreflight ? (gate.preflightHeaders?.(request, allowed) ?? []) : []
    const headers = ['Allow', allowed, ...accepted, 'Vary', 'Origin', ...preflight]
    sendOnce(request, response, 204, headers, undefined)
  }

  function nothingHere(method: string, target: string): AppError {
    const { allowed } = methods.at(target) ?? {}
    if (allowed === undefined) {
      return new AppError(
        'route_not_found',
        'Nothing is served at this address. See /openapi.json below the base address.',
      )
    }
    const message = `${method} is not allowed here. Allowed methods: ${allowed}.`
    return new AppError('method_not_allowed', message, { headers: { Allow: allowed } })
  }

  /** The error, or what the gate throws instead. */
  async function confirmed(exchange: Exchange<Caller>, error: AppError): Promise<AppError> {
    if (!gate.confirm || exchange.caller === undefined || error.status >= 500) return error
    const { operation, request } = exchange
    return await gate.confirm(request, operation).then(() => error, toAppError)
  }

  function end(exchange: Exchange<Caller>): void {
    if (exchange.isOver) return
    exchange.isOver = true
    report(exchange).catch((err) =>
      log.error({ event: 'request.not_recorded', err }, 'a finished request was not recorded'),
    )
  }

  /** Counts and logs. */
  async function report(exchange: Exchange<Caller>): Promise<void> {
    const { caller, operation, request, response } = exchange
    const status = response.statusCode
    const { method } = request
    const milliseconds = performance.now() - request.startedAt
    const labels = { environment: name, operation: request.operation, status }
    metrics.observeRequest(labels, milliseconds / 1000)
    const isFine = (method === 'GET' || operation?.isFrequent === true) && status < 400
    // A client without access can send thousands of requests, which are refused.
    const isRefused = caller === undefined && (status === 503 || (status >= 400 && status < 500))
    const level = isFine || isRefused ? 'debug' : status >= 500 ? 'error' : 'info'
    const { requestId } = request.head
    if (log.isLevelEnabled(level)) {
      log[level](
        {
          event: 'request.finished',
          ...{ requestId, environment: name, operation: request.operation, method, status },
          ...gate.logFields?.(caller),
          milliseconds: Math.round(milliseconds * 1000) / 1000,
        },
        'request',
      )
    }
    if (caller !== undefined) await gate.afterResponse?.(caller, status)
  }

  const send = (request: ApiRequest, response: ServerResponse): Promise<void> => {
    const exchange = createExchange<Caller>(request, response)
    request.environment = name
    request.extraHeaders = gate.headersFor(request)
    // A response that is cut off closes without finishing.
    response.once('finish', () => end(exchange))
    response.once('close', () => end(exchange))
    return answer(exchange).catch(async (thrown) => {
      const error = exactOutcome(await confirmed(exchange, toAppError(thrown)), exchange.commits)
      if (error.status >= 500) logFailure(request.head.requestId, error)
      request.extraHeaders = [...request.extraHeaders, ...exchange.errorHeaders]
      sendError(request, response, error)
    })
  }
  return { handle: send }
}

/**
 * `unavailable` with Retry-After says that nothing was changed: not after a commit of the handler. `outcome_unknown` is
 * about what the client asked to change: not about counters that are written before the handler is called, or by a GET.
 */
function exactOutcome(error: AppError, commits: Commits | undefined): AppError {
  const isRetryable = error.code === 'unavailable' && error.headers['Retry-After'] !== undefined
  if (isRetryable && commits?.hasCommitted) return outcomeUnknown(error.cause)
  return error.code === 'outcome_unknown' && !commits ? unavailable(error.cause) : error
}

function sendDocument(
  request: ApiRequest,
  response: ServerResponse,
  { mediaType, ready }: Document,
): void {
  refuseUnacceptable(request, [mediaType])
  sendReady(request, response, ready())
}

function refuseUnacceptable(request: ApiRequest, mediaTypes: string[]): void {
  if (mediaTypes.some((type) => accepts(request.head.accept, type))) return
  const message = `The response is ${mediaTypes.join(' or ')}. Accept must include it.`
  throw new AppError('not_acceptable', message)
}

/** The bytes of a JSON or raw body; undefined where there is none or the handler reads it. */
async function receiveBody(
  operation: Operation,
  request: ApiRequest,
  response: ServerResponse,
): Promise<Buffer | undefined> {
  const expected = checkBodyHeaders(operation, request)
  if (!expected) return undefined
  if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue()
  return operation.upload ? undefined : await readBody(request, expected.maxBytes)
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

/**
 * A percent sign that encodes nothing stands for itself, so that such a path is simply not found. So does one in a path
 * with a NUL, which PostgreSQL refuses in texts.
 */
function escapeStrayPercents(url: string): string {
  const end = url.indexOf('?')
  const path = end < 0 ? url : url.slice(0, end)
  if (!path.includes('%')) return url
  try {
    if (!decodeURIComponent(path).includes('\0')) return url
  } catch {
    // Not an encoding.
  }
  return path.replaceAll('%', '%25') + (end < 0 ? '' : url.slice(end))
}
