// An operation on the store's records, declared once with its handler and mounted twice: with API keys below the base
// addresses (api/store-app.ts), and for operators in the management API, below the path of an environment
// (operators/mount.ts). Each sends the outcome in its own form. Lists, single records and writes each share headers and
// errors.
import {
  type Address,
  type ApiCall,
  type BodyOf,
  methodOf,
  type Operation,
  type OperationDocument,
  type ParamsOf,
  pathOf,
  type QueryOf,
} from '#kit/api/operation.ts'
import type { Awaitable, Database, Session } from '#kit/database/database.ts'
import type { Value } from '#kit/database/query.ts'
import type { AppError, ErrorCode } from '#kit/errors.ts'
import type { ApiRequest } from '#kit/http/request/request-head.ts'
import type { Conditions } from '#kit/http/response/ready-response.ts'
import type { Operation as ManagementOperation, Schema, Types } from '#kit/management/route.ts'
import { identityOf } from '#kit/schema/schema-rules.ts'
import { type Outcome, type StoreWrite, writeStore } from '../changes/store-write.ts'
import {
  fingerprint,
  type RecordedResponse,
  readIdempotencyKey,
  type Use,
} from '../idempotency/idempotency.ts'
import type { Scope } from '../keys/scopes.ts'
import type { JsonPage, Page, Position } from './pages.ts'
import type { ListQuery } from './shared-schema.ts'

export interface StoreOperation extends Operation {
  tag: StoreTag
  scope: Scope
  errors: readonly ErrorCode[]
}

/** The groups of operations, in the order of the document. */
export const storeTags = {
  animals: 'The animals that the store offers.',
  categories: 'Names for the categories of animals.',
  orders: 'Orders, which reserve animals.',
} as const
type StoreTag = keyof typeof storeTags

/** An operation and what it does: one of `list`, `record` and `write`. `T` holds the types of `forOperators`. */
export interface StoreRoute<T extends Types = Types> {
  operation: StoreOperation
  /** The same operation in the management API. */
  forOperators: ManagementOperation & T
  list?: RecordList
  record?: RecordReader
  write?: RecordWrite
}

export interface RecordList<Query = ListQuery> {
  /** The parameters that filter, in the order in which links have them. */
  filters: readonly (keyof Query & string)[]
  /** Further ones, which only operators have. */
  operatorFilters?: readonly (keyof Query & string)[]
  read(session: Session, query: Query, position: Position | undefined): Awaitable<Page>
  /** The same page as JSON, for clients of the store: where the database makes it faster than `toJson`. */
  readJson?(session: Session, query: Query, position: Position | undefined): Awaitable<JsonPage>
  /** Undefined where counting would take too long. */
  count(session: Session, query: Query): Promise<bigint | undefined>
  /** The JSON of a record. */
  toJson(row: Value[]): string
}

export interface RecordReader {
  /** The record's JSON. */
  find(session: Session, id: bigint): Awaitable<string | undefined>
  missing(): AppError
  /** Of an operation that is to be removed. */
  deprecation?: Deprecation
}

export interface Deprecation {
  /** Milliseconds since the epoch at which the operation is removed. */
  sunset: number
  /** Names and values in turn that every response carries. */
  headers(baseUrl: string, id: string): string[]
  removed(): AppError
}

/** What it writes, or its answer if it writes nothing. */
export type RecordWrite<Call = WriteCall> = (call: Call) => StoreWrite | RecordedResponse

export interface WriteCall<
  O extends { route: string; query?: unknown; body?: unknown } = StoreOperation,
> {
  params: ParamsOf<O>
  query: QueryOf<O>
  body: BodyOf<O>
  /** A raw body. */
  bytes: Buffer | undefined
  request: ApiRequest
  conditions: Conditions
  /** Undefined without an Idempotency-Key. */
  use: Use | undefined
  /** Milliseconds since the epoch. */
  now: number
}

type Declaration = Omit<
  StoreOperation,
  'route' | 'operationId' | 'tag' | 'scope' | 'status' | 'errors' | 'query' | 'body' | 'returns'
> &
  Partial<Pick<StoreOperation, 'status' | 'errors'>>

/** Below the path of an environment, which says `/store` already. */
type OperatorRoute<R extends Address> = R extends `${infer Method} /store/${infer Rest}`
  ? `${Method} /store/{environment}/${Rest}`
  : R extends `${infer Method} /${infer Rest}`
    ? `${Method} /store/{environment}/${Rest}`
    : never

/**
 * Makes the function by which a feature declares its operations, each by its route, its operation id and the rest.
 * `records` is what the scopes are named for; `forOperators` is what differs in the management API.
 */
export function storeRoutesOf({ records, tag }: { records: 'pets' | 'orders'; tag: StoreTag }) {
  return <
    R extends Address,
    Query extends Schema = undefined,
    Body extends Schema = undefined,
    Returns extends Schema = undefined,
    OperatorQuery extends Schema = Query,
    OperatorReturns extends Schema = Returns,
  >(
    route: R,
    operationId: string,
    declaration: Declaration & {
      query?: Query
      body?: Body
      returns?: Returns
      forOperators?: { description?: string; query?: OperatorQuery; returns?: OperatorReturns }
      list?: RecordList<QueryOf<{ query: OperatorQuery }>>
      record?: RecordReader
      write?: RecordWrite<WriteCall<{ route: R; query: Query; body: Body }>>
    },
  ): StoreRoute<{
    route: OperatorRoute<R>
    query: OperatorQuery
    body: Body
    returns: OperatorReturns
  }> => {
    const { forOperators, list, record, write, ...own } = declaration
    const status = own.status ?? (own.returns ? 200 : 204)
    const kind = list ? listKind : record ? recordKind : writeKind(route, own, status)
    const access = write ? 'write' : 'read'
    const shared = { ...own, tag, operationId, status }
    const errors = [...kind.errors, ...(own.errors ?? [])]
    const { document = {} } = own
    return {
      operation: {
        ...shared,
        route,
        scope: `${records}:${access}`,
        errors,
        document: {
          ...kind.document,
          ...document,
          conditions: { ...kind.document.conditions, ...document.conditions },
        },
      },
      forOperators: {
        ...shared,
        ...forOperators,
        route: route.replace(/ \/(store\/)?/, ' /store/{environment}/'),
        scope: `store:${access}`,
        access: 'operator',
        errors: [...errors, 'route_not_found'],
        document: undefined,
      },
      ...{ list, record, write },
    } as never
  }
}

/** The errors, and the parts of the document, that operations of one kind share. */
interface Kind {
  errors: ErrorCode[]
  document: OperationDocument
}

const listKind: Kind = {
  errors: ['invalid_parameter', 'invalid_cursor'],
  document: {
    requestHeaders: ['Prefer', 'If-None-Match', 'X-Request-Id'],
    answerHeaders: [
      ...['Page-Link', 'X-Total-Count', 'Preference-Applied', 'ETag', 'Vary', 'Content-Encoding'],
    ],
    isConditional: true,
    conditions: {
      400: 'A parameter is unknown, out of range, repeated, empty or of an unknown value',
    },
  },
}

const recordKind: Kind = {
  errors: [],
  document: {
    requestHeaders: ['If-None-Match', 'X-Request-Id'],
    answerHeaders: ['ETag', 'Vary', 'Content-Encoding'],
    isConditional: true,
  },
}

const bodyErrors: ErrorCode[] = [
  'malformed_json',
  'invalid_body',
  'invalid_idempotency_key',
  'body_too_large',
  'unsupported_media_type',
  'unsupported_content_encoding',
  'idempotency_key_reused',
]
const bodyConditions = {
  400: 'Body missing required fields or containing invalid values',
  413: 'The body is over 64 KiB',
  415: 'The body is not plain JSON',
}

/** A write takes an Idempotency-Key, and If-Match where it changes a record by its id. */
function writeKind(
  route: Address,
  { body, rawBody }: Pick<Operation, 'body' | 'rawBody'>,
  status: Operation['status'],
): Kind {
  const hasBody = body !== undefined || rawBody !== undefined
  const isConditional = !route.startsWith('POST ')
  const headers = {
    200: ['Vary', 'ETag', 'Idempotent-Replayed'],
    201: ['Vary', 'Location', 'ETag', 'Idempotent-Replayed'],
    204: ['Vary', 'Idempotent-Replayed'],
  }
  const errors: ErrorCode[] = hasBody
    ? bodyErrors.filter((code) => body || code !== 'malformed_json')
    : ['invalid_idempotency_key', 'idempotency_key_reused']
  if (isConditional) errors.push('precondition_failed')
  return {
    errors,
    document: {
      requestHeaders: [...(isConditional ? ['If-Match'] : []), 'Idempotency-Key', 'X-Request-Id'],
      answerHeaders: headers[status],
      conditions: {
        ...(hasBody ? bodyConditions : {}),
        412: 'The record has changed since the ETag of If-Match',
        422: 'The Idempotency-Key belongs to another request',
      },
    },
  }
}

/** The call of a write. `operation` is as it is mounted; Idempotency-Keys belong to `owner`. */
export function writeCallOf(
  { body, bytes, params, query, request }: Omit<ApiCall<unknown>, 'caller'>,
  operation: Operation,
  owner: string,
  now: number,
): WriteCall {
  const { idempotencyKeys, ifMatch, ifNoneMatch } = request.head
  const key = readIdempotencyKey(idempotencyKeys)
  const readUse = (named: string): Use => {
    const path = pathOf(operation).replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
    const what = operation.body ? identityOf(body) : (bytes ?? '')
    const print = fingerprint(methodOf(operation), path, what)
    return { scope: owner, key: named, fingerprint: print, now }
  }
  const use = key === undefined ? undefined : readUse(key)
  return {
    body,
    bytes,
    params,
    query,
    request,
    conditions: { ifMatch, ifNoneMatch },
    use,
    now,
  } as WriteCall
}

/** Executes a write. `keysVersion` is what it is to be confirmed under. */
export async function executeWrite(
  database: Database,
  toWrite: RecordWrite,
  call: WriteCall,
  keysVersion?: bigint,
): Promise<Outcome> {
  const write = toWrite(call)
  if ('change' in write) return await database.write(writeStore, { ...write, keysVersion })
  return keysVersion === undefined ? { kind: 'done', response: write } : { kind: 'unconfirmed' }
}

/** The id in a record's path: its last parameter. */
export function idOf(params: Record<string, string>): string {
  return Object.values(params).at(-1) ?? ''
}

/** An int64 as it is written canonically; anything else names no record. */
export function readRecordId(text: string): bigint | undefined {
  if (!/^(0|-?[1-9]\d{0,18})$/.test(text)) return undefined
  const id = BigInt(text)
  return BigInt.asIntN(64, id) === id ? id : undefined
}
