// Pages by keyset: a page costs the same wherever it begins, and a walk by cursors sees every record that
// was there throughout exactly once, because ids ascend, also in the order in which they become visible.
import type { Session } from '../../platform/database/database.ts'
import type { Query, Value } from '../../platform/database/query.ts'
import type { Position } from './cursor.ts'

export interface Page {
  /** Ids ascend; the id is the first column. */
  rows: Value[][]
  next: Position | undefined
  prev: Position | undefined
}

export type Params = Record<string, Value>

/** What one of a list's four statements compares its ids with, and what it is for. */
export interface Step {
  compare: '>' | '<' | '<=' | '>='
  order: 'asc' | 'desc'
  /** It only has to find whether anything is there: the id alone, one row. */
  isProbe: boolean
}

/**
 * The statements of a list. `build` makes each with `where id <compare> :id`, `order by id <order>` and
 * `limit :limit`.
 */
export interface PageQueries {
  after: Query<Params, unknown>
  before: Query<Params, unknown>
  uptoId: Query<Params, unknown>
  fromId: Query<Params, unknown>
}

export function pageQueries(build: (step: Step) => Query<Params, unknown>): PageQueries {
  return {
    after: build({ compare: '>', order: 'asc', isProbe: false }),
    before: build({ compare: '<', order: 'desc', isProbe: false }),
    uptoId: build({ compare: '<=', order: 'desc', isProbe: true }),
    fromId: build({ compare: '>=', order: 'asc', isProbe: true }),
  }
}

/** A page of at most `limit` records, from the start or from a cursor's position. */
export async function readPage(
  session: Session,
  queries: PageQueries,
  params: Params,
  limit: number,
  position: Position | undefined,
): Promise<Page> {
  const { direction, id } = position ?? { direction: 'after', id: 0n }
  const probe = direction === 'after' ? queries.uptoId : queries.fromId
  const [rows, beyond] = await Promise.all([
    // One more than asked tells whether there is another page.
    session.tuples(queries[direction], { ...params, id, limit: limit + 1 }),
    position ? session.tuples(probe, { ...params, id, limit: 1 }) : [],
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
