// The query parameters that every list has.
import { Type } from 'typebox'

/** What they come out as. */
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
  Type.String({
    maxLength: 200,
    description:
      'Where the page begins: opaque, taken from a Link of another page with the same filter.',
  }),
)
