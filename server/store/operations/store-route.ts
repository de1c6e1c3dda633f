// What an operation on records does. Each API mounts it with its own callers, and sends the
// outcome in its own form.
import type { BodyOf, ParamsOf, QueryOf } from '#kit/api/operation.ts'
import type { Awaitable, Database, Session } from '#kit/database/database.ts'
import type { Value } from '#kit/database/query.ts'
import type { AppError } from '#kit/errors.ts'
import type { ApiRequest } from '#kit/http/request/request-head.ts'
import type { Conditions } from '#kit/http/response/ready-response.ts'
import { type Outcome, type StoreWrite, writeStore } from '../changes/store-write.ts'
import type { RecordedAnswer, Use } from '../idempotency/idempotency.ts'
import type { Position } from '../pages/cursor.ts'
import type { JsonPage, Page } from '../pages/keyset.ts'
import type { ListQuery } from './schema.ts'
import type { StoreOperation } from './store-operation.ts'

export interface ListRoute<Query extends ListQuery = ListQuery> {
  kind: 'list'
  operation: StoreOperation
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

export interface RecordRoute {
  kind: 'record'
  operation: StoreOperation
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

export interface WriteRoute {
  kind: 'write'
  operation: StoreOperation
  /** What it writes, or its answer if it writes nothing. */
  toWrite(call: WriteCall): StoreWrite | RecordedAnswer
}

export interface WriteCall<O extends StoreOperation = StoreOperation> {
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

export type StoreRoute = ListRoute | RecordRoute | WriteRoute

export function listRoute<Query extends ListQuery>(
  operation: StoreOperation,
  route: Omit<ListRoute<Query>, 'kind' | 'operation'>,
): ListRoute {
  return { kind: 'list', operation, ...route } as unknown as ListRoute
}

export function recordRoute(
  operation: StoreOperation,
  route: Omit<RecordRoute, 'kind' | 'operation'>,
): RecordRoute {
  return { kind: 'record', operation, ...route }
}

export function writeRoute<O extends StoreOperation>(
  operation: O,
  toWrite: (call: WriteCall<O>) => StoreWrite | RecordedAnswer,
): WriteRoute {
  return { kind: 'write', operation, toWrite: toWrite as WriteRoute['toWrite'] }
}

/** Executes a write. `keysVersion` is what it is to be confirmed under. */
export async function executeWrite(
  database: Database,
  { toWrite }: WriteRoute,
  call: WriteCall,
  keysVersion?: bigint,
): Promise<Outcome> {
  const write = toWrite(call)
  if ('change' in write) return await database.write(writeStore, { ...write, keysVersion })
  return keysVersion === undefined ? { kind: 'done', answer: write } : { kind: 'unconfirmed' }
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
