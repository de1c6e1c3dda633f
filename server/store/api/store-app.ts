// The API of one environment for API keys: lists and records as ready bytes with validators, which the hot path sends, too,
// and writes with their recorded responses.
import type { ServerResponse } from 'node:http'
import { createApiApp } from '#kit/api/api-app.ts'
import { type ApiCall, type ApiRoute, pathOf } from '#kit/api/operation.ts'
import { type Awaitable, withValue } from '#kit/database/database.ts'
import type { ApiRequest } from '#kit/http/request/request-head.ts'
import {
  entityTag,
  type ReadyResponse,
  readyResponse,
  sendReady,
} from '#kit/http/response/ready-response.ts'
import { sendOnce } from '#kit/http/response/send-response.ts'
import { queryReader } from '#kit/schema/checks.ts'
import type { Outcome } from '../changes/store-write.ts'
import { noteDeprecatedCall } from '../keys/key-uses.ts'
import type { ApiKey } from '../keys/keys.ts'
import type { ListQuery } from '../operations/schema.ts'
import {
  executeWrite,
  filterFingerprint,
  idOf,
  type RecordList,
  type RecordReader,
  type RecordWrite,
  readRecordId,
  type StoreOperation,
  type StoreRoute,
  writeCallOf,
} from '../operations/store-route.ts'
import { type Position, readPosition, writeCursor } from '../pages/cursor.ts'
import type { JsonPage, PageLinks } from '../pages/keyset.ts'
import type { ReadyPage } from '../pages/page-cache.ts'
import { lastSegmentOf, queryOf } from '../pages/page-makers.ts'
import { storeDocument } from './document.ts'
import type { Environment } from './environment.ts'
import { createHotPath } from './hot-path.ts'
import { createKeyGate, type KeyGate } from './key-gate.ts'

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

type Route = ApiRoute<ApiKey>

function mountRoute(
  environment: Environment,
  gate: KeyGate,
  { list, operation, record, write }: StoreRoute,
): Route {
  if (list) return mountList(environment, operation, list)
  return write
    ? mountWrite(environment, gate, operation, write)
    : mountRecord(environment, operation, record as RecordReader)
}

function mountList(environment: Environment, operation: StoreOperation, list: RecordList): Route {
  const { baseUrl, database, makers, name } = environment
  const path = pathOf(operation)
  const readQuery = queryReader<ListQuery>(operation.query ?? {})

  function make(given: string, query: ListQuery, more: string[]): Awaitable<ReadyPage> {
    const fingerprint = filterFingerprint(name, operation, list, query)
    const read = readJson(query, readPosition(query.cursor, fingerprint))
    return withValue(read, (page) => {
      const headers = ['Link', pageLinks(given, page, fingerprint), ...more]
      return {
        answer: readyResponse(page.json, 'application/json', headers),
        operation: operation.operationId,
        scope: operation.scope,
        deprecated: false,
        until: Number.POSITIVE_INFINITY,
      }
    })
  }

  function readJson(query: ListQuery, position: Position | undefined): Awaitable<JsonPage> {
    if (list.readJson) return list.readJson(database.read, query, position)
    return withValue(list.read(database.read, query, position), ({ rows, ...links }) => {
      let json = '['
      for (const row of rows) json += (json.length > 1 ? ',' : '') + list.toJson(row)
      return { json: `${json}]`, ...links }
    })
  }

  /** RFC 8288. Built from the configured base address, never from what the request says of itself. */
  function pageLinks(given: string, page: PageLinks, fingerprint: string): string {
    const kept = keptParameters(given)
    const first = `${baseUrl}${path}${kept && `?${kept}`}`
    const link = (position: Position): string =>
      `${baseUrl}${path}?${kept}${kept && '&'}cursor=${writeCursor(position, fingerprint)}`
    let links = `<${first}>; rel="first"`
    if (page.prev) links += `, <${link(page.prev)}>; rel="prev"`
    if (page.next) links += `, <${link(page.next)}>; rel="next"`
    return links
  }

  /** The parameters that were given and that links carry on. Their values have been checked. */
  function keptParameters(given: string): string {
    if (given === '') return ''
    const values = new URLSearchParams(given)
    let kept = ''
    for (const parameter of ['limit', ...list.filters]) {
      const value = values.getAll(parameter).join(',')
      if (value) kept += `${kept && '&'}${parameter}=${encodeURIComponent(value)}`
    }
    return kept
  }

  makers.add(path, {
    scope: operation.scope,
    make(target) {
      const given = queryOf(target)
      return make(given, readQuery(given), [])
    },
  })
  return {
    operation,
    async handle({ query, request }) {
      const given = queryOf(request.url as string)
      const more: string[] = []
      if (prefersExactCount(request.head.prefer)) {
        const total = await list.count(database.read, query as ListQuery)
        if (total !== undefined) {
          more.push('X-Total-Count', `${total}`, 'Preference-Applied', 'count=exact')
        }
      }
      return (await make(given, query as ListQuery, more)).answer
    },
    send: (request, response, outcome) => sendReady(request, response, outcome as ReadyResponse),
  }
}

/** RFC 7240: preferences between commas, parameters after semicolons, values with or without quotes. */
function prefersExactCount(prefer = ''): boolean {
  return prefer.split(',').some((text) => /^\s*count\s*=\s*("?)exact\1\s*(;|$)/i.test(text))
}

function mountRecord(
  environment: Environment,
  operation: StoreOperation,
  { deprecation, find, missing }: RecordReader,
): Route {
  const { baseUrl, clock, database, keyUses, makers, metrics, name } = environment
  const { operationId, scope } = operation
  const headersOf = (id: string): string[] => deprecation?.headers(baseUrl, id) ?? []

  function make(text: string): Awaitable<ReadyPage> {
    const id = readRecordId(text)
    const found = id === undefined ? undefined : find(database.read, id)
    return withValue(found, (body) => {
      if (body === undefined) throw missing()
      return {
        answer: readyResponse(body, 'application/json', headersOf(text)),
        operation: operationId,
        scope,
        deprecated: deprecation !== undefined,
        until: deprecation?.sunset ?? Number.POSITIVE_INFINITY,
      }
    })
  }

  makers.add(pathOf(operation), { scope, make: (target) => make(lastSegmentOf(target)) })
  return {
    operation,
    async handle({ caller, request }) {
      if (deprecation) {
        const now = clock()
        metrics.countDeprecatedCall(name, operationId, caller.id)
        noteDeprecatedCall(keyUses, caller.id, now)
        if (now >= deprecation.sunset) throw deprecation.removed()
      }
      return (await make(lastSegmentOf(request.url as string))).answer
    },
    send: (request, response, outcome) => sendReady(request, response, outcome as ReadyResponse),
    errorHeaders: (params) => headersOf(idOf(params)),
  }
}

function mountWrite(
  environment: Environment,
  gate: KeyGate,
  operation: StoreOperation,
  write: RecordWrite,
): Route {
  const { baseUrl, clock, database } = environment

  async function execute(call: ApiCall<ApiKey>): Promise<Outcome> {
    const { caller, request } = call
    const given = writeCallOf(call, operation, caller.lineage, clock())
    const outcome = await executeWrite(database, write, given, request.keysVersion)
    if (outcome.kind !== 'unconfirmed') {
      gate.setConfirmed(request, caller)
      return outcome
    }
    // The keys have changed, or nothing was written: once more, with the key as it is now.
    return await execute({ ...call, caller: await gate.lookUpAgain(request, operation, caller) })
  }

  return {
    operation,
    handle: execute,
    send: (request, response, outcome) =>
      sendOutcome(request, response, outcome as Outcome, baseUrl),
  }
}

/** Throws what the write was refused for. */
function sendOutcome(
  request: ApiRequest,
  response: ServerResponse,
  outcome: Outcome,
  baseUrl: string,
): void {
  if (outcome.kind === 'refused') throw outcome.error
  if (outcome.kind === 'unconfirmed') throw new Error('the sender was not confirmed')
  const { body, location, status } = outcome.answer
  const headers = ['Cache-Control', 'no-store', 'Vary', 'Origin']
  if (location) headers.push('Location', baseUrl + location)
  if (body) headers.push('ETag', `"${entityTag(body)}"`)
  if (outcome.kind === 'replay') headers.push('Idempotent-Replayed', 'true')
  sendOnce(request, response, status, headers, body || undefined)
}
