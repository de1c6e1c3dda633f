// The store's operations mounted a second time, in the management API: below the path of an environment, for
// operators, with pages and versions in the body.
import { pathOf } from '#kit/api/operation.ts'
import type { Database } from '#kit/database/database.ts'
import { entityTag } from '#kit/http/response/ready-response.ts'
import { parseToWrite } from '#kit/json/exact-number.ts'
import type { Endpoint, Route } from '#kit/management/route.ts'
import { animalRoutes } from '../animals/routes.ts'
import { categoryRoutes } from '../categories/routes.ts'
import type { Outcome } from '../changes/store-write.ts'
import { type EnvironmentName, getEnvironmentName } from '../database/environment-name.ts'
import type { EnvironmentsContext } from '../database/environment-routes.ts'
import { filterFingerprint, type Position, readPosition, writeCursor } from '../operations/pages.ts'
import type { ListQuery } from '../operations/shared-schema.ts'
import {
  executeWrite,
  idOf,
  type RecordList,
  type RecordReader,
  type RecordWrite,
  readRecordId,
  type StoreRoute,
  type WriteCall,
  writeCallOf,
} from '../operations/store-route.ts'
import { orderRoutes } from '../orders/routes.ts'

const routes = [...animalRoutes, ...categoryRoutes, ...orderRoutes]
type Mounted<R> = R extends StoreRoute<infer T> ? Endpoint<EnvironmentsContext, T> : never

export const recordRoutes = routes.map(mountForOperators) as Mounted<(typeof routes)[number]>[]

type Call = Parameters<Route['handle']>[0]

function mountForOperators(route: StoreRoute): Endpoint<EnvironmentsContext> {
  const { forOperators: operation, list, record, write } = route
  // Orders have no version: nothing changes one with If-Match.
  const show = operation.tag === 'orders' ? parseToWrite : showRecord

  return {
    operation,
    async handle(call: Call, { clock, databases }) {
      const name = getEnvironmentName(call.params as { environment: string })
      const database = databases[name]
      if (list) return await readPage(list, database, name, call.query as ListQuery)
      const owner = `account ${call.caller?.account.id}`
      const body = write
        ? await change(write, database, call, writeCallOf(call, operation, owner, clock()))
        : await find(record as RecordReader, database, call)
      if (body === '') return undefined
      call.headers.push('ETag', `"${entityTag(body)}"`)
      return show(body)
    },
  }

  async function readPage(
    list: RecordList,
    { read }: Database,
    name: EnvironmentName,
    query: ListQuery,
  ) {
    const fingerprint = filterFingerprint(`${name} ${pathOf(route.operation)}`, list, query)
    const { cursor } = query
    const position = cursor === undefined ? undefined : readPosition(cursor, fingerprint)
    const page = await list.read(read, query, position)
    const total = await list.count(read, query)
    const cursorTo = (position: Position | undefined): string | null =>
      position ? writeCursor(position, fingerprint) : null
    return {
      items: page.rows.map((row) => show(list.toJson(row))),
      next: cursorTo(page.next),
      prev: cursorTo(page.prev),
      total: total === undefined ? null : Number(total),
    }
  }
}

async function find({ find, missing }: RecordReader, { read }: Database, { params }: Call) {
  const id = readRecordId(idOf(params))
  const body = id === undefined ? undefined : await find(read, id)
  if (body === undefined) throw missing()
  return body
}

async function change(write: RecordWrite, database: Database, { headers }: Call, call: WriteCall) {
  const outcome = unlessUnconfirmed(await executeWrite(database, write, call))
  if (outcome.kind === 'refused') throw outcome.error
  if (outcome.kind === 'replay') headers.push('Idempotent-Replayed', 'true')
  return outcome.response.body
}

/** Only keys are confirmed by a write; callers of this API were authenticated before. */
export function unlessUnconfirmed(outcome: Outcome): Exclude<Outcome, { kind: 'unconfirmed' }> {
  if (outcome.kind === 'unconfirmed') throw new Error('an account was confirmed as a key')
  return outcome
}

/** An animal or a category with its version, from the JSON of the store's API. */
export function showRecord(body: string): unknown {
  return { ...(parseToWrite(body) as object), version: entityTag(body) }
}
