// The wire shapes of the store's records for operators: pages say how many records there are, and records carry
// a version for If-Match.
import { type Static, type TSchema, Type } from 'typebox'
import { Pet, PetStatus } from '../animals/schema.ts'
import { Category as StoreCategory } from '../categories/schema.ts'
import { Order } from '../orders/schema.ts'

const version = Type.String({
  description: 'Changes with every update; send it in quotes as If-Match.',
})

export const Animal = Type.Object(
  { ...Pet.properties, status: PetStatus, version },
  { $id: 'Animal', description: 'An animal, as the service keeps it.' },
)
export type Animal = Static<typeof Animal>

export const Category = Type.Object(
  { ...StoreCategory.properties, version },
  { $id: 'Category', description: 'A named category of animals.' },
)
export type Category = Static<typeof Category>

/** A page of records, with cursors to the pages beside it. */
export interface Page<Item> {
  items: Item[]
  next: string | null
  prev: string | null
  total: number | null
}

const cursor = (which: string) =>
  Type.Union([Type.String(), Type.Null()], {
    description: `What \`cursor\` takes for the ${which} page; null if there is none.`,
  })

function pageOf<Item extends TSchema>(item: Item, name: string, total: string) {
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

export const Animals = pageOf(
  Animal,
  'Animals',
  'Number of records that match the filter. Null where counting would take too long: for a category of more than 100,000 animals.',
)
export const Categories = pageOf(Category, 'Categories', 'Number of records.')
export const Orders = pageOf(Order, 'Orders', 'Number of records that match the filter.')
