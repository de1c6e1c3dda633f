// Reads animals: one by its id, a page that matches a filter, and the count of all that match.
import type { Kysely } from 'kysely'
import { type Awaitable, type Session, withValue } from '#kit/database/database.ts'
import { rowsAsJson } from '#kit/database/json-rows.ts'
import type { Param } from '#kit/database/query.ts'
import { rowFinder } from '#kit/database/shared-reads.ts'
import { readState } from '../database/state.ts'
import { prepareQuery, type StoreTables } from '../database/tables.ts'
import type { Position } from '../pages/cursor.ts'
import {
  type JsonPage,
  type Page,
  type PageQueries,
  type Params,
  pageQueries,
  readJsonPage,
  readPage,
  type Step,
} from '../pages/keyset.ts'
import { petJsonOf } from './pet-json.ts'
import type { PetStatus } from './schema.ts'

export interface Filter {
  status: PetStatus | undefined
  ids: bigint[] | undefined
  categoryId?: bigint | undefined
}

const columns = ['id', 'name', 'category_id', 'status'] as const
/** Of the JSON, in the order of `petJson`. */
const members = {
  id: { column: 'id', type: 'bigint' },
  name: { column: 'name', type: 'text' },
  categoryId: { column: 'category_id', type: 'bigint' },
  status: { column: 'status', type: 'text' },
} as const

const findPet = rowFinder<StoreTables>()('pets', columns)

/** The JSON of an animal, or undefined. */
export function findPetJson(session: Session, id: bigint): Awaitable<string | undefined> {
  return withValue(findPet(session, id), (row) => row && petJsonOf(row))
}

/** A page of at most `limit` animals, from the start or from a cursor's position. */
export function listPets(
  session: Session,
  filter: Filter,
  limit: number,
  position: Position | undefined,
): Awaitable<Page> {
  return readPage(session, queriesOf(filter).rows, paramsOf(filter), limit, position)
}

/** The same page as JSON, which the database makes in less time than we do from rows. */
export function listPetsAsJson(
  session: Session,
  filter: Filter,
  limit: number,
  position: Position | undefined,
): Awaitable<JsonPage> {
  return readJsonPage(session, queriesOf(filter).json, paramsOf(filter), limit, position)
}

/** More animals of a category are not counted. */
const maxCounted = 100_000

/**
 * How many animals a filter has, from counters that each write keeps; those of a category are counted, up to
 * `maxCounted`: undefined beyond.
 */
export async function countPets(session: Session, filter: Filter): Promise<bigint | undefined> {
  const { categoryId: category, ids, status } = filter
  if (ids) {
    const page = await listPets(session, filter, ids.length, undefined)
    return BigInt(page.rows.length)
  }
  if (category !== undefined) {
    const params: Params = { category, max: maxCounted + 1, ...(status && { status }) }
    const [row] = await session.all(status ? countOfBoth : countOfCategory, params)
    const count = BigInt(row?.count ?? 0)
    return count > maxCounted ? undefined : count
  }
  const state = await readState(session)
  return status ? state[status] : state.available + state.pending + state.sold
}

const countOf = (byStatus: boolean) =>
  prepareQuery<Params>()((db, param) =>
    db
      .selectFrom((eb) =>
        eb
          .selectFrom('pets')
          .select('id')
          .where('category_id', '=', param('category') as bigint)
          .$if(byStatus, (q) => q.where('status', '=', param('status') as PetStatus))
          .limit(param('max') as bigint)
          .as('found'),
      )
      .select((eb) => eb.fn.countAll<bigint>().as('count')),
  )
const countOfCategory = countOf(false)
const countOfBoth = countOf(true)

/** Few shapes, so that few statements are compiled: lists of ids are filled up to the next size. */
const idSizes = [1, 10, 100]

function sizeOf(ids: bigint[] | undefined): number {
  return ids ? (idSizes.find((size) => size >= ids.length) ?? 100) : 0
}

function paramsOf({ categoryId, ids, status }: Filter): Params {
  const params: Params = status ? { status } : {}
  if (categoryId !== undefined) params.category = categoryId
  for (let i = 0; i < sizeOf(ids); i++) params[`id${i}`] = ids?.[i] ?? (ids?.at(-1) as bigint)
  return params
}

interface ListQueries {
  rows: PageQueries
  json: PageQueries
}

const known = new Map<string, ListQueries>()

function queriesOf({ categoryId, ids, status }: Filter): ListQueries {
  const shape = `${status !== undefined} ${categoryId !== undefined} ${sizeOf(ids)}`
  let queries = known.get(shape)
  if (!queries) {
    queries = makeQueries(status !== undefined, categoryId !== undefined, sizeOf(ids))
    known.set(shape, queries)
  }
  return queries
}

function makeQueries(byStatus: boolean, byCategory: boolean, ids: number): ListQueries {
  const select = (db: Kysely<StoreTables>, param: Param<Params>, { compare, order }: Step) =>
    db
      .selectFrom('pets')
      .select(columns)
      .where('id', compare, param('id') as bigint)
      .$if(byStatus, (q) => q.where('status', '=', param('status') as PetStatus))
      .$if(byCategory, (q) => q.where('category_id', '=', param('category') as bigint))
      .$if(ids > 0, (q) =>
        q.where(
          'id',
          'in',
          Array.from({ length: ids }, (_, i) => param(`id${i}`) as bigint),
        ),
      )
      .orderBy('id', order)
      .limit(param('limit') as bigint)
  return {
    rows: pageQueries((step) => prepareQuery<Params>()((db, param) => select(db, param, step))),
    json: pageQueries((step) =>
      prepareQuery<Params>()((db, param) =>
        db
          .selectFrom(select(db, param, step).as('page'))
          .select(rowsAsJson(db, step.order, members).as('json'))
          .select((eb) => eb.fn.countAll<bigint>().as('count')),
      ),
    ),
  }
}
