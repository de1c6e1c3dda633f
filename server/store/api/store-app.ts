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
import { queryReader } from '#kit/schema/query-reader.ts'
import type { Outcome } from '../changes/store-write.ts'
import { type ApiKey, noteDeprecatedCall } from '../keys/authenticate.ts'
import { filterFingerprint, readPosition, writeCursor } from '../operations/pages.ts'
import type { ListQuery } from '../operations/shared-schema.ts'
import {
  executeWrite,
  idOf,
  type RecordList,
  type RecordReader,
  type RecordWrite,
  readRecordId,
  type StoreOperation,
  type StoreRoute,
  writeCallOf,
} from '../operations/store-route.ts'
import { storeDocument } from './document.ts'
import { createHotPath, type Environment, type ReadyPage } from './hot-path.ts'
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
  const { operationId, scope } = operation
  const path = pathOf(operation)
  const readQuery = queryReader<ListQuery>(operation.query ?? {})
  /** The parameters of a query that links carry on, in this order. */
  const carried = ['limit', ...list.filters]

  /** `given` is the text of the query. */
  function make(
    given: string,
    query = readQuery(given),
    more: string[] = [],
  ): Awaitable<ReadyPage> {
    const fingerprint = filterFingerprint(`${name} ${path}`, list, query)
    const { cursor } = query
    const position = cursor === undefined ? undefined : readPosition(cursor, fingerprint)
    const read = list.readJson ?? readAsJson
    return withValue(read(database.read, query, position), ({ json, next, prev }) => {
      // RFC 8288. Built from the configured base address, never from what the request says of itself.
      let parameters = ''
      if (given !== '') {
        const values = new URLSearchParams(given)
        for (const name of carried) {
          const value = values.getAll(name).join(',')
          if (value) parameters += `${parameters && '&'}${name}=${encodeURIComponent(value)}`
        }
      }
      const first = `${baseUrl}${path}${parameters && `?${parameters}`}`
      const beside = `${baseUrl}${path}?${parameters}${parameters && '&'}cursor=`
      let links = `<${first}>; rel="first"`
      if (prev) links += `, <${beside}${writeCursor(prev, fingerprint)}>; rel="prev"`
      if (next) links += `, <${beside}${writeCursor(next, fingerprint)}>; rel="next"`
      return {
        response: readyResponse(json, 'application/json', ['Link', links, ...more]),
        operation: operationId,
        scope,
        deprecated: false,
        until: Number.POSITIVE_INFINITY,
      }
    })
  }

  const readAsJson: NonNullable<RecordList['readJson']> = (session, query, position) =>
    withValue(list.read(session, query, position), ({ rows, ...links }) => ({
      json: `[${rows.map(list.toJson).join()}]`,
      ...links,
    }))

  makers.add(path, { scope, make })
  return {
    operation,
    async handle({ query, request }) {
      const more: string[] = []
      if (prefersExactCount(request.head.prefer)) {
        const total = await list.count(database.read, query as ListQuery)
        if (total !== undefined) {
          more.push('X-Total-Count', `${total}`, 'Preference-Applied', 'count=exact')
        }
      }
      const [, given = ''] = /\?(.*)$/s.exec(request.url as string) ?? []
      return (await make(given, query as ListQuery, more)).response
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
    const record = id === undefined ? undefined : find(database.read, id)
    return withValue(record, (body) => {
      if (body === undefined) throw missing()
      return {
        response: readyResponse(body, 'application/json', headersOf(text)),
        operation: operationId,
        scope,
        deprecated: deprecation !== undefined,
        until: deprecation?.sunset ?? Number.POSITIVE_INFINITY,
      }
    })
  }

  makers.add(pathOf(operation), { scope, make })
  return {
    operation,
    async handle({ caller, request }) {
      if (deprecation) {
        const now = clock()
        metrics.countDeprecatedCall(name, operationId, caller.id)
        noteDeprecatedCall(keyUses, caller.id, now)
        if (now >= deprecation.sunset) throw deprecation.removed()
      }
      const [, text = ''] = /([^/?]*)(?:\?|$)/.exec(request.url as string) ?? []
      return (await make(text)).response
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
  const { body, location, status } = outcome.response
  const headers = ['Cache-Control', 'no-store', 'Vary', 'Origin']
  if (location) headers.push('Location', baseUrl + location)
  if (body) headers.push('ETag', `"${entityTag(body)}"`)
  if (outcome.kind === 'replay') headers.push('Idempotent-Replayed', 'true')
  sendOnce(request, response, status, headers, body || undefined)
}
