// A page of animals for operators. By category there is no index, which every creation and import would pay
// for: so many ids are looked through for a page, and what is left is for the next one.
import { setImmediate as letOthers } from 'node:timers/promises'
import type { Awaitable, Session } from '../../platform/database/database.ts'
import { readState } from '../database/state.ts'
import { type PetStatus, prepareQuery } from '../database/tables.ts'
import type { Position } from '../pages/cursor.ts'
import { type Page, type Params, pageOfRows } from '../pages/keyset.ts'
import { countPets, type Filter, listPets } from './list-pets.ts'

/** Ids for each statement, and statements for each page. */
export interface Search {
  ids: bigint
  statements: number
}

/** Animals of a category are counted as long as no more ids have been given. */
const maxCountedIds = 100_000

const usualSearch: Search = { ids: 20_000n, statements: 10 }

/**
 * At most `limit` animals, from the start or from a cursor's position. By category it may be fewer, even none,
 * with others to follow.
 */
export function searchPets(
  session: Session,
  filter: Filter,
  limit: number,
  position: Position | undefined,
  search = usualSearch,
): Awaitable<Page> {
  const { categoryId, ids, status } = filter
  return categoryId === undefined || ids
    ? listPets(session, filter, limit, position)
    : searchCategory(session, categoryId, status, limit, position, search)
}

async function searchCategory(
  session: Session,
  category: bigint,
  status: PetStatus | undefined,
  limit: number,
  position: Position | undefined,
  search: Search,
): Promise<Page> {
  const { direction, id } = position ?? { direction: 'after', id: 0n }
  const isForward = direction === 'after'
  const { last_pet_id: last } = await readState(session)
  const isAtEnd = (seen: bigint): boolean => (isForward ? seen >= last : seen <= 1n)
  const query = searches[direction][status ? 'byStatus' : 'all']
  const rows = []
  let seen = id
  for (let i = 0; i < search.statements && rows.length <= limit && !isAtEnd(seen); i++) {
    if (i > 0) await letOthers()
    const [from, to] = isForward ? [seen + 1n, seen + search.ids] : [seen - search.ids, seen - 1n]
    const params: Params = { category, from, to, limit: limit + 1, ...(status ? { status } : {}) }
    rows.push(...(await session.tuples(query, params)))
    seen = isForward ? to : from
  }
  rows.splice(limit + 1)
  const isDone = rows.length > limit || isAtEnd(seen)
  if (!isForward) rows.reverse()
  const page = pageOfRows(rows, limit, position)
  if (isDone) return page
  return { ...page, [isForward ? 'next' : 'prev']: { direction, id: seen } }
}

const searchOf = (order: 'asc' | 'desc', byStatus: boolean) =>
  prepareQuery<Params>()((db, param) =>
    db
      .selectFrom('pets')
      .select(['id', 'name', 'category_id', 'status'])
      .where('id', '>=', param('from') as bigint)
      .where('id', '<=', param('to') as bigint)
      .where('category_id', '=', param('category') as bigint)
      .$if(byStatus, (q) => q.where('status', '=', param('status') as PetStatus))
      .orderBy('id', order)
      .limit(param('limit') as bigint),
  )
const searches = {
  after: { all: searchOf('asc', false), byStatus: searchOf('asc', true) },
  before: { all: searchOf('desc', false), byStatus: searchOf('desc', true) },
}

const countOf = (byStatus: boolean) =>
  prepareQuery<Params>()((db, param) =>
    db
      .selectFrom('pets')
      .select((eb) => eb.fn.countAll<bigint>().as('count'))
      .where('id', '>=', param('from') as bigint)
      .where('id', '<=', param('to') as bigint)
      .where('category_id', '=', param('category') as bigint)
      .$if(byStatus, (q) => q.where('status', '=', param('status') as PetStatus)),
  )
const counts = { all: countOf(false), byStatus: countOf(true) }

/** How many a filter has; undefined by category where more than `maxCountedIds` ids have been given. */
export async function countFoundPets(
  session: Session,
  filter: Filter,
): Promise<bigint | undefined> {
  const { categoryId: category, ids, status } = filter
  if (category === undefined || ids) return await countPets(session, filter)
  const { last_pet_id: last } = await readState(session)
  if (last > maxCountedIds) return undefined
  let count = 0n
  for (let from = 1n; from <= last; from += usualSearch.ids) {
    if (from > 1n) await letOthers()
    const params: Params = { category, from, to: from + usualSearch.ids - 1n }
    const query = status ? counts.byStatus : counts.all
    const [row] = await session.all(query, { ...params, ...(status ? { status } : {}) })
    count += BigInt(row?.count ?? 0)
  }
  return count
}
