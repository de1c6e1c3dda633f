// Pages by keyset: a page costs the same wherever it begins, and a walk by cursors sees every record that was there
// throughout exactly once, because ids ascend, also in the order in which they become visible. Cursors are opaque to
// clients, bound to the environment and the filter that they were made for. The checksum detects a cursor that was changed;
// it is no secret, and neither is the position.
import { crc32 } from 'node:zlib'
import { type Awaitable, type Session, withValue } from '#kit/database/database.ts'
import { type Engine, type Query, queryOfText, type Value } from '#kit/database/query.ts'
import { createRowFinder } from '#kit/database/shared-reads.ts'
import { AppError } from '#kit/errors.ts'
import type { StoreTables } from '../database/tables.ts'
import type { ListQuery } from './shared-schema.ts'

/** A page that follows the id, or the one that ends before it. */
export interface Position {
  direction: 'after' | 'before'
  id: bigint
  /** Of a list in the order of names: the key of the name, before the id. */
  key?: string
}

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

/** Of a row's JSON and of a filter: members by name, with their columns. */
type Members = Record<string, { column: string; type: 'text' | 'bigint' }>

const fromStart: Position = { direction: 'after', id: 0n }

/**
 * Reads the rows of a table by ascending id. The first of the columns is the id, and so is the first of the members of JSON. A
 * filter may be a query: of each of the members that it has it gives the value, or those of which a row must have one.
 */
export function listOf(
  table: keyof StoreTables,
  columns: readonly string[],
  members: Members = {},
) {
  const selected = columns.join()
  const json = { asc: rowsAsJson(members, 'asc'), desc: rowsAsJson(members, 'desc') }
  const queries = new Map<string, Query<Params, unknown>>()

  /** The rows of a page, with one more than requested, which shows whether there is another page. */
  function select(
    session: Session,
    filter: object,
    limit: number,
    { direction, id }: Position,
    asJson = false,
  ): Awaitable<Value[][]> {
    const params: Params = { id, limit: limit + 1 }
    const [compare, order] =
      direction === 'after' ? (['>', 'asc'] as const) : (['<', 'desc'] as const)
    const where = `id ${compare} :id${conditionsOf(filter, members, params)}`
    const rows = `select ${selected} from ${table} where ${where} order by id ${order} limit :limit`
    const text = asJson ? `json ${rows}` : rows
    let query = queries.get(text)
    if (!query) {
      const { postgres, sqlite } = json[order]
      const from = `count(*) from (${rows}) as page`
      query = queryOfText(
        asJson
          ? { postgres: `select ${postgres}, ${from}`, sqlite: `select ${sqlite}, ${from}` }
          : { postgres: rows, sqlite: rows },
      )
      queries.set(text, query)
    }
    return session.tuples(query, params)
  }

  return {
    /** A record by its id. */
    find: createRowFinder(table, columns),
    /**
     * A page of at most `limit` records, from the start or from a cursor's position. On the side that one came from there
     * is a page without a look: that one is empty only if its records were removed since.
     */
    read(
      session: Session,
      filter: object,
      limit: number,
      position: Position | undefined,
    ): Awaitable<Page> {
      const { direction } = position ?? fromStart
      const selected = select(session, filter, limit, position ?? fromStart)
      return withValue(selected, (rows) => {
        if (direction === 'before') rows.reverse()
        const more = rows.length > limit
        // The one too many is farthest from the position.
        if (more) rows.splice(direction === 'after' ? limit : 0, 1)
        const first = rows[0]?.[0] as bigint | undefined
        const last = rows.at(-1)?.[0] as bigint | undefined
        return { rows, ...linksBeside(first, last, more, position) }
      })
    },
    /** The same page as JSON, which the database makes in less time than we do from rows. */
    readJson(
      session: Session,
      query: ListQuery,
      position: Position | undefined,
    ): Awaitable<JsonPage> {
      const { limit } = query
      const { direction } = position ?? fromStart
      const rows = select(session, query, limit, position ?? fromStart, true)
      return withValue(rows, ([row]) => {
        const [all, count] = row as [json: string, count: bigint]
        const more = count > limit
        const json = more ? withoutFarthest(all, direction) : all
        const first = idAt(json, json.indexOf(recordStart))
        const last = idAt(json, json.lastIndexOf(recordStart))
        return { json, ...linksBeside(first, last, more, position) }
      })
    },
    /** How many there are: `max + 1` where there are more than `max`. */
    async count(session: Session, filter: object, max?: number): Promise<bigint> {
      const params: Params = max === undefined ? {} : { limit: max + 1 }
      const limit = max === undefined ? '' : ' limit :limit'
      const where = `true${conditionsOf(filter, members, params)}${limit}`
      const text = `select count(*) from (select id from ${table} where ${where}) as counted`
      const query =
        queries.get(text) ?? queryOfText<Params, unknown>({ postgres: text, sqlite: text })
      queries.set(text, query)
      const [row] = await session.tuples(query, params)
      return row?.[0] as bigint
    },
  }
}

/** Few shapes, so that few statements are compiled: lists of values are filled up to the next size. */
const listSizes = [1, 10, 100]

function conditionsOf(filter: object, members: Members, params: Params): string {
  let text = ''
  for (const name in members) {
    const value = (filter as Record<string, string | string[] | undefined>)[name]
    if (value === undefined) continue
    const { column, type } = members[name] as Members[string]
    const toValue: (text: string) => Value = type === 'bigint' ? BigInt : String
    if (!Array.isArray(value)) {
      params[column] = toValue(value)
      text += ` and ${column} = :${column}`
      continue
    }
    const size = listSizes.find((each) => each >= value.length) ?? value.length
    const names = Array.from({ length: size }, (_, i) => `${column}${i}`)
    for (const [i, name] of names.entries()) {
      params[name] = toValue((value[i] ?? value.at(-1)) as string)
    }
    text += ` and ${column} in (:${names.join(', :')})`
  }
  return text
}

/** An aggregate: a JSON array of objects by ascending id. The text is the same on both engines, without white space. */
function rowsAsJson(members: Members, order: 'asc' | 'desc'): Record<Engine, string> {
  const entries = Object.entries(members)
  const parts = entries.map(([name, { column, type }], i) => {
    const value = type === 'text' ? `to_json(${column})` : column
    return `'${i === 0 ? '{' : ','}"${name}":' || cast(${value} as text)`
  })
  const object = entries.map(([name, { column }]) => `'${name}', ${column}`)
  return {
    postgres: `'[' || coalesce(string_agg(${parts.join(' || ')} || '}', ',' order by id), '') || ']'`,
    // SQLite aggregates rows as they come.
    sqlite: `json_group_array(json_object(${object.join()})${order === 'asc' ? '' : ' order by id'})`,
  }
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

/** Text that is equal for equal lists and filters alone. `place` is the list's. */
export function filterFingerprint(
  place: string,
  {
    filters,
    operatorFilters = [],
  }: Record<'filters', readonly string[]> & { operatorFilters?: readonly string[] },
  query: object,
): string {
  const values = query as Record<string, unknown>
  let text = place
  for (const filter of filters) text += ` ${values[filter] ?? ''}`
  for (const filter of operatorFilters) {
    if (values[filter] !== undefined) text += ` ${filter}=${values[filter]}`
  }
  return text
}

/** `filter` is any text that is equal for equal filters. */
export function writeCursor({ direction, id, key }: Position, filter: string): string {
  const place = `${direction === 'after' ? 'a' : 'b'}${id.toString(36)}`
  const end = key === undefined ? '' : `.${key}`
  return Buffer.from(`${place}.${checksum(place + end, filter)}${end}`).toString('base64url')
}

/** What a cursor points at. Throws `invalid_cursor` for one that is damaged or was made for another filter. */
export function readPosition(cursor: string, filter: string): Position {
  const position = readCursor(cursor, filter)
  if (position) return position
  throw new AppError(
    'invalid_cursor',
    'cursor must come from a page with the same filter. Start again without it.',
    { details: [{ path: 'cursor', message: 'cursor is damaged or belongs to another filter.' }] },
  )
}

function readCursor(cursor: string, filter: string): Position | undefined {
  const [, sign, digits, key] =
    /^([ab])([0-9a-z]{1,11})\.[0-9a-z]+(?:\.(.*))?$/s.exec(
      Buffer.from(cursor, 'base64url').toString(),
    ) ?? []
  if (!sign || !digits) return undefined
  const position: Position = {
    direction: sign === 'a' ? 'after' : 'before',
    id: fromBase36(digits),
    ...(key !== undefined && { key }),
  }
  // Decoding passes over characters that do not belong there; only what we write is a cursor.
  return writeCursor(position, filter) === cursor ? position : undefined
}

function checksum(place: string, filter: string): string {
  return crc32(`${filter}\n${place}`).toString(36)
}

function fromBase36(digits: string): bigint {
  let value = 0n
  for (const digit of digits) value = value * 36n + BigInt(Number.parseInt(digit, 36))
  return value
}
