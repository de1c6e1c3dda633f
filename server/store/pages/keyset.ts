// Pages by keyset: a page costs the same wherever it begins, and a walk by cursors sees every record that
// was there throughout exactly once, because ids ascend, also in the order in which they become visible.
import { type Awaitable, type Session, withValue } from '../../platform/database/database.ts'
import type { Query, Value } from '../../platform/database/query.ts'
import type { Position } from './cursor.ts'

export interface Page {
  /** Ids ascend; the id is the first column. */
  rows: Value[][]
  next: Position | undefined
  prev: Position | undefined
}

export type Params = Record<string, Value>

/** How a list's two statements compare and order ids. */
export type Step = { compare: '>'; order: 'asc' } | { compare: '<'; order: 'desc' }

export type PageQueries = Record<Position['direction'], Query<Params, unknown>>

/**
 * The statements of a list. `build` makes each with `where id <compare> :id`, `order by id <order>` and
 * `limit :limit`.
 */
export function pageQueries(build: (step: Step) => Query<Params, unknown>): PageQueries {
  return {
    after: build({ compare: '>', order: 'asc' }),
    before: build({ compare: '<', order: 'desc' }),
  }
}

const fromStart: Position = { direction: 'after', id: 0n }

/**
 * A page of at most `limit` records, from the start or from a cursor's position. On the side that one
 * came from there is a page without a look: that one is empty only if its records were removed since.
 */
export function readPage(
  session: Session,
  queries: PageQueries,
  params: Params,
  limit: number,
  position: Position | undefined,
): Awaitable<Page> {
  const { direction, id } = position ?? fromStart
  // One more than requested shows whether there is another page.
  const rows = session.tuples(queries[direction], { ...params, id, limit: limit + 1 })
  return withValue(rows, (found) => {
    if (direction === 'before') found.reverse()
    return pageOfRows(found, limit, position)
  })
}

/** The page of at most `limit + 1` records that ascend: the one too many is farthest from the position. */
export function pageOfRows(rows: Value[][], limit: number, position: Position | undefined): Page {
  const { direction, id } = position ?? fromStart
  const more = rows.length > limit
  if (more) rows.splice(direction === 'after' ? limit : 0, 1)
  const first = (rows[0]?.[0] as bigint | undefined) ?? (direction === 'after' ? id + 1n : id)
  const last = (rows.at(-1)?.[0] as bigint | undefined) ?? (direction === 'after' ? id : id - 1n)
  const [hasNext, hasPrev] = direction === 'after' ? [more, position !== undefined] : [true, more]
  return {
    rows,
    next: hasNext ? { direction: 'after', id: last } : undefined,
    prev: hasPrev ? { direction: 'before', id: first } : undefined,
  }
}
