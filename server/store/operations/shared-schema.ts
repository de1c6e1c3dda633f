// Parts of wire shapes that several records of the store share.
import { type TInteger, type TSchema, Type } from 'typebox'
import { text } from '#kit/schema/described-schema.ts'

/** White space that is no control character, for a character class. */
const spaces = '\\u0020\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'

/** A name: 1 to 255 characters, at least one that is not white space, no control characters. */
export const recordName = (description: string, example: string) =>
  Type.String({
    description,
    minLength: 1,
    maxLength: 255,
    // Written without property escapes and look-aheads, which the regular expressions of many languages lack.
    pattern: `^[${spaces}]*[^\\u0000-\\u001f\\u007f-\\u009f${spaces}][^\\u0000-\\u001f\\u007f-\\u009f]*$`,
    'x-pattern-message':
      'must contain a character that is not white space, and no control characters',
    examples: [example],
  })

/** The id of a record that the service has created. */
export const assignedId = (description: string) =>
  Type.Integer({
    format: 'int64',
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description,
    examples: [1],
  })

/** The path parameter that names one record. */
export const pathOf = <Name extends string>(name: Name, what: string) =>
  Type.Object({
    [name]: Type.Integer({
      format: 'int64',
      description: `Identifier of the ${what}.`,
      examples: [1],
    }),
  } as Record<Name, TInteger>)

/** A page of records for clients, whose Link names the pages beside it. */
export const pageOf = <Item extends TSchema>(item: Item, $id: string, what: string) =>
  Type.Array(item, { $id, description: `A page of ${what}.`, maxItems: 100 })

/** The query parameters that every list has. */
export interface ListQuery {
  limit: number
  cursor?: string
}

/** Maximum number of records on a page (specification, "Limits"). */
export const limitOf = (what: string) =>
  Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 20,
    description: `Maximum number of ${what} returned.`,
  })

export const cursor = Type.Optional(
  text(
    200,
    'Where the page begins: opaque, taken from a Link of another page with the same filter.',
  ),
)

/** Of a record as operators see it. */
export const version = Type.String({
  description: 'Changes with every update; send it in quotes as If-Match.',
})

const pageCursor = (which: string) =>
  Type.Union([Type.String(), Type.Null()], {
    description: `What \`cursor\` takes for the ${which} page; null if there is none.`,
  })

/** A page of records as operators see it: with the total, and cursors to the pages beside it. */
export function operatorPageOf<Item extends TSchema>(item: Item, name: string, total: string) {
  return Type.Object(
    {
      items: Type.Array(item, { maxItems: 100 }),
      next: pageCursor('next'),
      prev: pageCursor('previous'),
      total: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description: total }),
    },
    { $id: name, description: 'By ascending id.' },
  )
}
