// Reading animals: one by id, a page by keyset. A page costs the same wherever it begins, and a walk by
// cursors sees every animal that was there throughout exactly once: ids ascend, also as they become visible.
import type { Session } from '../../platform/database/database.ts'
import type { Query, Value } from '../../platform/database/query.ts'
import { define } from '../tables.ts'
import type { Position } from './cursor.ts'
import type { PetStatus } from './schema.ts'

export interface Filter {
  status: PetStatus | undefined
  ids: bigint[] | undefined
}

export interface Page {
  /** Rows of id, name, categoryId, status; ids ascend. */
  rows: Value[][]
  next: Position | undefined
  prev: Position | undefined
}

type Params = Record<string, Value>
const highest = 2n ** 63n - 1n

const petById = define<{ id: bigint }>()((db, param) =>
  db
    .selectFrom('pets')
    .select(['id', 'name', 'category_id', 'status'])
    .where('id', '=', param('id')),
)
const counters = define()((db) =>
  db.selectFrom('store_state').select(['available', 'pending', 'sold']),
)

/** The row of one animal: id, name, categoryId, status. */
export async function findPet(session: Session, id: bigint): Promise<Value[] | undefined> {
  return (await session.tuples(petById, { id }))[0]
}

/** A page of at most `limit` animals, from the start or from a cursor's position. */
export async function listPets(
  session: Session,
  filter: Filter,
  limit: number,
  position: Position | undefined,
): Promise<Page> {
  const { direction, id } = position ?? { direction: 'after', id: 0n }
  const params = { ...filterParams(filter), id }
  const shape = shapeOf(filter)
  const [rows, beyond] = await Promise.all([
    // One more than asked tells whether there is another page.
    session.tuples(pageQuery(shape, direction), { ...params, limit: limit + 1 }),
    position ? session.tuples(beyondQuery(shape, direction), params) : [],
  ])
  const more = rows.length > limit
  if (more) rows.pop()
  if (direction === 'before') rows.reverse()
  const first = (rows[0]?.[0] as bigint | undefined) ?? (direction === 'after' ? id + 1n : id)
  const last = (rows.at(-1)?.[0] as bigint | undefined) ?? (direction === 'after' ? id : id - 1n)
  const [hasNext, hasPrev] =
    direction === 'after' ? [more, beyond.length > 0] : [beyond.length > 0, more]
  return {
    rows,
    next: hasNext ? { direction: 'after', id: last } : undefined,
    prev: hasPrev ? { direction: 'before', id: first } : undefined,
  }
}

/** How many animals a filter has: from counters that each write keeps, never by counting rows. */
export async function countPets(session: Session, { status, ids }: Filter): Promise<bigint> {
  if (ids)
    return BigInt((await listPets(session, { status, ids }, ids.length, undefined)).rows.length)
  const [row] = await session.all(counters, {})
  if (!row) throw new Error('store_state is empty')
  return status ? row[status] : row.available + row.pending + row.sold
}

/** Which conditions a statement has, and for how many ids it has room. */
interface Shape {
  status: boolean
  ids: number
}

/** Few shapes, so that few statements are compiled: lists of ids are filled up to the next size. */
const idSizes = [1, 10, 100]

function shapeOf({ status, ids }: Filter): Shape {
  return {
    status: status !== undefined,
    ids: ids ? (idSizes.find((size) => size >= ids.length) ?? 100) : 0,
  }
}

function filterParams({ status, ids }: Filter): Params {
  const params: Params = {}
  if (status) params.status = status
  if (ids) {
    const size = shapeOf({ status, ids }).ids
    for (let i = 0; i < size; i++) params[`id${i}`] = ids[Math.min(i, ids.length - 1)] ?? highest
  }
  return params
}

const queries = new Map<string, Query<Params, unknown>>()

function cached(
  name: string,
  shape: Shape,
  make: () => Query<Params, unknown>,
): Query<Params, unknown> {
  const key = `${name} ${shape.status} ${shape.ids}`
  let query = queries.get(key)
  if (!query) {
    query = make()
    queries.set(key, query)
  }
  return query
}

function pageQuery(shape: Shape, direction: Position['direction']): Query<Params, unknown> {
  const [past, order] = direction === 'after' ? (['>', 'asc'] as const) : (['<', 'desc'] as const)
  return cached(`page ${direction}`, shape, () =>
    define<Params>()((db, param) =>
      db
        .selectFrom('pets')
        .select(['id', 'name', 'category_id', 'status'])
        .where('id', past, param('id') as bigint)
        .$if(shape.status, (q) => q.where('status', '=', param('status') as string))
        .$if(shape.ids > 0, (q) => q.where('id', 'in', idSlots(shape, param)))
        .orderBy('id', order)
        .limit(param('limit') as bigint),
    ),
  )
}

/** Whether anything lies on the other side of the position, the position itself included. */
function beyondQuery(shape: Shape, direction: Position['direction']): Query<Params, unknown> {
  return cached(`beyond ${direction}`, shape, () =>
    define<Params>()((db, param) =>
      db
        .selectFrom('pets')
        .select('id')
        .where('id', direction === 'after' ? '<=' : '>=', param('id') as bigint)
        .$if(shape.status, (q) => q.where('status', '=', param('status') as string))
        .$if(shape.ids > 0, (q) => q.where('id', 'in', idSlots(shape, param)))
        .limit(1),
    ),
  )
}

function idSlots(shape: Shape, param: (name: string) => Value): bigint[] {
  return Array.from({ length: shape.ids }, (_, i) => param(`id${i}`) as bigint)
}
