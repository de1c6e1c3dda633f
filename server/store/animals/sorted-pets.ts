// Lists animals for operators in other orders than by id: by name, which has an index, and in reverse. A page reads a
// bounded number of animals to apply a filter beside the name; the next page continues there.
import { setImmediate as letOthers } from 'node:timers/promises'
import type { Session } from '#kit/database/database.ts'
import { queryOfText, type Value } from '#kit/database/query.ts'
import {
  byNameKey,
  compareKeys,
  endOfKeys,
  type KeyRange,
  nameKeyOf,
  rangesOf,
} from '../database/name-key.ts'
import { readState } from '../database/state.ts'
import type { Page, Params, Position } from '../operations/pages.ts'
import { countPets, type Filter, pets } from './list-pets.ts'
import type { SearchPetsQuery } from './schema.ts'

type Sorting = Pick<SearchPetsQuery, 'limit' | 'name' | 'sort'>

/** Animals that are read for a page with a filter, and for each statement. */
const maxRead = 20_000
const chunk = 1000
/** More are not counted. */
const maxCounted = 1000

export async function listSortedPets(
  session: Session,
  filter: Filter,
  { limit, name, sort }: Sorting,
  position: Position | undefined,
): Promise<Page> {
  const isByName = name !== undefined || sort === 'name' || sort === '-name'
  if (isByName) return await listByName(session, filter, name, sort === '-name', limit, position)
  return sort === '-id'
    ? await listNewestFirst(session, filter, limit, position)
    : await pets.read(session, filter, limit, position)
}

/** How many there are; undefined where counting would take too long. */
export async function countSortedPets(
  session: Session,
  filter: Filter,
  { name }: Pick<Sorting, 'name'>,
): Promise<bigint | undefined> {
  if (name === undefined) return await countPets(session, filter)
  if (isFiltered(filter)) return undefined
  let count = 0n
  for (const { from, to } of rangesOf(name)) {
    const [row] = await session.all(countRange, { from, to, max: maxCounted + 1 })
    count += row?.count ?? 0n
  }
  return count > maxCounted ? undefined : count
}

/** A list of ascending ids, walked backwards. */
async function listNewestFirst(
  session: Session,
  filter: Filter,
  limit: number,
  position: Position | undefined,
): Promise<Page> {
  const { last_pet_id: last } = position ? { last_pet_id: 0n } : await readState(session)
  const from = mirrored(position) ?? ({ direction: 'before', id: last + 1n } as const)
  const page = await pets.read(session, filter, limit, from)
  return {
    rows: page.rows.toReversed(),
    next: mirrored(page.prev),
    prev: position && mirrored(page.next),
  }
}

function mirrored(position: Position | undefined): Position | undefined {
  return position && { ...position, direction: position.direction === 'after' ? 'before' : 'after' }
}

async function listByName(
  session: Session,
  filter: Filter,
  name: string | undefined,
  isDescending: boolean,
  limit: number,
  position: Position | undefined,
): Promise<Page> {
  const isBackward = position?.direction === 'before'
  const ranges = name === undefined ? [{ from: '', to: endOfKeys }] : rangesOf(name)
  const walk = { session, isUp: isDescending === isBackward, ranges, from: position }
  const rows: Value[][] = []
  const size = isFiltered(filter) ? chunk : limit + 1
  let last: Value[] | undefined
  let read = 0
  let isDone = false
  for await (const chunk of chunksOf(walk, size)) {
    last = chunk.at(-1) ?? last
    read += chunk.length
    rows.push(...chunk.filter((row) => isMatch(filter, row)))
    isDone = rows.length > limit
    if (isDone || read >= maxRead) break
    await letOthers()
  }
  const hasMore = rows.length > limit || (!isDone && read >= maxRead)
  const isCut = rows.length <= limit && hasMore
  rows.splice(limit)
  const far = hasMore ? positionOf(isCut ? last : rows.at(-1)) : undefined
  const near = position && (positionOf(rows[0]) ?? position)
  if (isBackward) rows.reverse()
  const [next, prev] = isBackward ? [near, far] : [far, near]
  return {
    rows,
    next: next && { ...next, direction: 'after' },
    prev: prev && { ...prev, direction: 'before' },
  }
}

interface Walk {
  session: Session
  /** Towards greater keys. */
  isUp: boolean
  ranges: KeyRange[]
  /** Where to go on: behind the animal of this key and id. */
  from: Position | undefined
}

/** The animals of all ranges from a position on, in the order of the walk, `size` at a time. */
async function* chunksOf({ from, isUp, ranges, session }: Walk, size: number) {
  const queries = isUp ? ascending : descending
  let [key, id] = from?.key === undefined ? [] : [from.key, from.id]
  for (const range of isUp ? ranges : ranges.toReversed()) {
    if (key !== undefined && (isUp ? keyAtLeast(key, range.to) : !keyAtLeast(key, range.from)))
      continue
    const isInside = key !== undefined && keyAtLeast(key, range.from) && !keyAtLeast(key, range.to)
    if (!isInside) key = undefined
    for (;;) {
      // Those of the same name have statements of their own: an index finds each place directly.
      const same: Value[][] =
        key === undefined
          ? []
          : await read(session, queries.same, { key, id: id ?? 0n, limit: size })
      const left = size - same.length
      const bounds: KeyRange =
        key === undefined ? range : isUp ? { ...range, from: key } : { ...range, to: key }
      const query = key === undefined ? queries.range : queries.beyond
      const others = left > 0 ? await read(session, query, { ...bounds, limit: left }) : []
      const pets = [...same, ...others]
      if (pets.length > 0) yield pets
      if (pets.length < size) break
      ;({ id, key } = positionOf(pets.at(-1)) as Position)
    }
    key = undefined
  }
}

async function read(
  session: Session,
  query: typeof ascending.same,
  params: Params,
): Promise<Value[][]> {
  return await session.tuples(query, params)
}

const keyAtLeast = (a: string, b: string): boolean => compareKeys(a, b) >= 0

function positionOf(row: Value[] | undefined): Position | undefined {
  const [id, name] = row ?? []
  return row && { direction: 'after', id: id as bigint, key: nameKeyOf(name as string) }
}

const isFiltered = ({ categoryId, id, status }: Filter): boolean =>
  categoryId !== undefined || id !== undefined || status !== undefined

function isMatch(filter: Filter, [id, , category, status]: Value[]): boolean {
  return (
    (filter.status === undefined || status === filter.status) &&
    (filter.categoryId === undefined || category === filter.categoryId) &&
    (filter.id === undefined || filter.id.includes(id as bigint))
  )
}

function queriesOf(order: 'asc' | 'desc') {
  const isUp = order === 'asc'
  const select = (where: (key: string) => string) =>
    queryOfText<Params, unknown>(
      byNameKey(
        (key) => `select id, name, category_id, status from pets where ${where(key)}
          order by ${key} ${order}, id ${order} limit :limit`,
      ),
    )
  return {
    same: select((key) => `${key} = :key and id ${isUp ? '>' : '<'} :id`),
    /** With both ends as the range has them. */
    range: select((key) => `${key} >= :from and ${key} < :to`),
    /** Without the key that was read before. */
    beyond: select((key) => `${key} ${isUp ? '>' : '>='} :from and ${key} < :to`),
  }
}

const ascending = queriesOf('asc')
const descending = queriesOf('desc')

const countRange = queryOfText<Params, { count: bigint }>(
  byNameKey(
    (key) => `select count(*) as count
      from (select id from pets where ${key} >= :from and ${key} < :to limit :max) as found`,
  ),
)
