// The store's operations mounted a second time, in the management API: below the path of an environment, for
// operators, with pages and versions in the body.
import type { Operation as ApiOperation } from '#kit/api/operation.ts'
import type { Clock } from '#kit/clock.ts'
import type { Database } from '#kit/database/database.ts'
import type { ErrorCode } from '#kit/errors.ts'
import { entityTag } from '#kit/http/response/ready-response.ts'
import { parseToWrite } from '#kit/json/exact-number.ts'
import type { Endpoint, Operation, Route } from '#kit/management/route.ts'
import type { Outcome } from '../changes/store-write.ts'
import { type EnvironmentName, getEnvironmentName } from '../database/environment-name.ts'
import { filterFingerprint, writeCallOf } from '../operations/call.ts'
import type { ListQuery } from '../operations/schema.ts'
import type { StoreOperation } from '../operations/store-operation.ts'
import {
  executeWrite,
  idOf,
  type ListRoute,
  type RecordRoute,
  readRecordId,
  type StoreRoute,
  type WriteRoute,
} from '../operations/store-route.ts'
import { type Position, readPosition, writeCursor } from '../pages/cursor.ts'
import type { Page } from './schema.ts'

export interface OperatorsContext {
  databases: Record<EnvironmentName, Database>
  clock: Clock
}

type Changes = Partial<Pick<ApiOperation, 'returns' | 'description' | 'query'>>
type OperatorScope = 'store:read' | 'store:write'
/** Below the path of an environment, which says `/store` already. */
type OperatorRoute<R> = R extends `${infer Method} /store/${infer Rest}`
  ? `${Method} /store/{environment}/${Rest}`
  : R extends `${infer Method} /${infer Rest}`
    ? `${Method} /store/{environment}/${Rest}`
    : never

type ForOperators<O extends StoreOperation, C extends Changes> = Omit<
  O,
  'access' | 'document' | 'errors' | 'route' | 'scope' | keyof C
> &
  C & {
    route: OperatorRoute<O['route']>
    access: 'operator'
    scope: OperatorScope
    errors: readonly ErrorCode[]
  }

/** The declaration of a store's operation as operators call it. */
export function forOperators<const O extends StoreOperation, const C extends Changes = object>(
  operation: O,
  changes?: C,
): ForOperators<O, C> {
  const { document: _, ...declared } = operation
  const route = operation.route.replace(/ \/(store\/)?/, ' /store/{environment}/')
  const scope: OperatorScope = operation.scope.endsWith(':read') ? 'store:read' : 'store:write'
  const errors = [...operation.errors, 'route_not_found'] as const
  return { ...declared, ...changes, route, access: 'operator', scope, errors } as ForOperators<O, C>
}

/** Mounts a route under an operation that `forOperators` has made of its own. */
export function mountForOperators(
  operation: Operation,
  route: StoreRoute,
): Endpoint<OperatorsContext> {
  if (route.kind === 'list') return mountList(operation, route)
  return route.kind === 'record' ? mountRecord(operation, route) : mountWrite(operation, route)
}

type Call = Parameters<Route['handle']>[0]

function mountList(operation: Operation, route: ListRoute): Endpoint<OperatorsContext> {
  return {
    operation,
    async handle({ params, query: given }: Call, { databases }): Promise<Page<unknown>> {
      const query = given as unknown as ListQuery
      const name = environmentOf(params)
      const { read } = databases[name]
      const fingerprint = filterFingerprint(name, route, query)
      const page = await route.read(read, query, readPosition(query.cursor, fingerprint))
      const total = await route.count(read, query)
      const cursorTo = (position: Position | undefined): string | null =>
        position ? writeCursor(position, fingerprint) : null
      return {
        items: page.rows.map((row) => show(operation, route.toJson(row))),
        next: cursorTo(page.next),
        prev: cursorTo(page.prev),
        total: total === undefined ? null : Number(total),
      }
    },
  }
}

function mountRecord(operation: Operation, route: RecordRoute): Endpoint<OperatorsContext> {
  return {
    operation,
    async handle({ headers, params }: Call, { databases }) {
      const { read } = databases[environmentOf(params)]
      const id = readRecordId(idOf(params))
      const body = id === undefined ? undefined : await route.find(read, id)
      if (body === undefined) throw route.missing()
      headers.push('ETag', `"${entityTag(body)}"`)
      return show(operation, body)
    },
  }
}

function mountWrite(operation: Operation, route: WriteRoute): Endpoint<OperatorsContext> {
  return {
    operation,
    async handle(call: Call, { clock, databases }) {
      const { caller, headers, params } = call
      const database = databases[environmentOf(params)]
      const owner = `account ${caller?.account.id}`
      const outcome = unlessUnconfirmed(
        await executeWrite(database, route, writeCallOf(call, operation, owner, clock())),
      )
      if (outcome.kind === 'refused') throw outcome.error
      const { body } = outcome.answer
      if (outcome.kind === 'replay') headers.push('Idempotent-Replayed', 'true')
      if (body === '') return undefined
      headers.push('ETag', `"${entityTag(body)}"`)
      return show(operation, body)
    },
  }
}

/** Only keys are confirmed by a write; callers of this API were authenticated before. */
export function unlessUnconfirmed(outcome: Outcome): Exclude<Outcome, { kind: 'unconfirmed' }> {
  if (outcome.kind === 'unconfirmed') throw new Error('an account was confirmed as a key')
  return outcome
}

function environmentOf({ environment = '' }: Record<string, string>): EnvironmentName {
  return getEnvironmentName({ environment })
}

/** From the JSON of the store's API. Orders have no version: nothing changes one with If-Match. */
function show({ tag }: Operation, body: string): unknown {
  return tag === 'orders' ? parseToWrite(body) : showRecord(body)
}

/** An animal or a category with its version. */
export function showRecord(body: string): unknown {
  return { ...(parseToWrite(body) as object), version: entityTag(body) }
}
