// Pages by keyset: a page costs the same wherever it begins, and a walk by cursors sees every record that
// was there throughout exactly once, because ids ascend, also in the order in which they become visible.
import { type Awaitable, type Session, withValue } from '#kit/database/database.ts'
import type { Query, Value } from '#kit/database/query.ts'
import type { Position } from './cursor.ts'

/** Of a page to those beside it. */
export interface PageLinks {
  next: Position | undefined
  prev: Position | undefined
}

export interface Page extends PageLinks {
  /** Ids ascend; the id is the first column. */
  rows: Value[][]
}

/** A page as it goes out. */
export interface JsonPage extends PageLinks {
  json: string
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
function pageOfRows(rows: Value[][], limit: number, position: Position | undefined): Page {
  const { direction } = position ?? fromStart
  const more = rows.length > limit
  if (more) rows.splice(direction === 'after' ? limit : 0, 1)
  const first = rows[0]?.[0] as bigint | undefined
  const last = rows.at(-1)?.[0] as bigint | undefined
  return { rows, ...linksBeside(first, last, more, position) }
}

/**
 * The same page from queries that give one row: the records as a JSON array by ascending id, each beginning with its id,
 * and how many they are.
 */
export function readJsonPage(
  session: Session,
  queries: PageQueries,
  params: Params,
  limit: number,
  position: Position | undefined,
): Awaitable<JsonPage> {
  const { direction, id } = position ?? fromStart
  const rows = session.tuples(queries[direction], { ...params, id, limit: limit + 1 })
  return withValue(rows, ([row]) => {
    const [all, count] = row as [json: string, count: bigint]
    const more = count > limit
    const json = more ? withoutFarthest(all, direction) : all
    const first = idAt(json, json.indexOf(recordStart))
    const last = idAt(json, json.lastIndexOf(recordStart))
    return { json, ...linksBeside(first, last, more, position) }
  })
}

/** Of a record, and of nothing else: inside of a string the quotation marks would be escaped. */
const recordStart = '{"id":'

function withoutFarthest(json: string, direction: Position['direction']): string {
  if (direction === 'after') return `${json.slice(0, json.lastIndexOf(recordStart) - 1)}]`
  const second = json.indexOf(recordStart, recordStart.length)
  return `[${json.slice(second)}`
}

/** The id of the record that starts at `start`; undefined if it is negative. */
function idAt(json: string, start: number): bigint | undefined {
  if (start < 0) return undefined
  return BigInt(json.slice(start + recordStart.length, json.indexOf(',', start)))
}

/** `first` and `last` are the ids of the page's records. */
function linksBeside(
  first: bigint | undefined,
  last: bigint | undefined,
  more: boolean,
  position: Position | undefined,
): PageLinks {
  const { direction, id } = position ?? fromStart
  const isAfter = direction === 'after'
  const [hasNext, hasPrev] = isAfter ? [more, position !== undefined] : [true, more]
  return {
    next: hasNext ? { direction: 'after', id: last ?? (isAfter ? id : id - 1n) } : undefined,
    prev: hasPrev ? { direction: 'before', id: first ?? (isAfter ? id + 1n : id) } : undefined,
  }
}
