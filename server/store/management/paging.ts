// Pages of the management API: items, cursors to the pages beside, and how many there are in all.
import { type TSchema, Type } from 'typebox'
import type { Value } from '../../platform/database/query.ts'
import { AppError } from '../../platform/errors.ts'
import { type Position, readCursor, writeCursor } from '../pages/cursor.ts'
import type { Page } from '../pages/keyset.ts'

export interface PageAnswer<Item> {
  items: Item[]
  next: string | null
  prev: string | null
  total: number | null
}

const cursor = (which: string) =>
  Type.Union([Type.String(), Type.Null()], {
    description: `What \`cursor\` takes for the ${which} page; null when there is none.`,
  })

/** The schema of a page. */
export function pageOf<Item extends TSchema>(item: Item, name: string, total: string) {
  return Type.Object(
    {
      items: Type.Array(item, { maxItems: 100 }),
      next: cursor('next'),
      prev: cursor('previous'),
      total: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description: total }),
    },
    { $id: name, description: 'By ascending id.' },
  )
}

/** What a cursor points at. Throws `invalid_cursor` for one that was not made under this seal. */
export function readPosition(text: string | undefined, seal: string): Position | undefined {
  if (text === undefined) return undefined
  const position = readCursor(text, seal)
  if (position) return position
  const message = 'cursor has to come from a page with the same filter. Start again without it.'
  throw new AppError('invalid_cursor', message, { details: [{ path: 'cursor', message }] })
}

/** `seal` is what binds cursors: equal for equal environments, lists and filters alone. */
export function pageAnswer<Item>(
  page: Page,
  seal: string,
  show: (row: Value[]) => Item,
  total: bigint | undefined,
): PageAnswer<Item> {
  const cursorTo = (position: Position | undefined): string | null =>
    position ? writeCursor(position, seal) : null
  return {
    items: page.rows.map(show),
    next: cursorTo(page.next),
    prev: cursorTo(page.prev),
    total: total === undefined ? null : Number(total),
  }
}
