// The wire shapes of animals: they validate, give the types, and make the OpenAPI documents.
import { type Static, Type } from 'typebox'
import { described, int64, plainText, text, words } from '#kit/schema/described-schema.ts'
import {
  assignedId,
  cursor,
  limitOf,
  operatorPageOf,
  pageOf,
  pathOf,
  recordName,
  version,
} from '../operations/shared-schema.ts'

export const PetStatus = Type.Enum(['available', 'pending', 'sold'], {
  $id: 'PetStatus',
  type: 'string',
  description: 'Availability of an animal.',
})
export type PetStatus = Static<typeof PetStatus>

const name = recordName("The animal's name. Kept exactly as sent; need not be unique.", 'Rex')
const categoryId = int64({
  description:
    'Identifier of the category the animal belongs to. Any int64, exact to the last digit.',
  examples: [7],
})

export const NewPet = Type.Object(
  {
    name,
    categoryId,
    status: Type.Optional(
      described(PetStatus, 'Availability of the animal; `available` when it is left out.'),
    ),
  },
  { $id: 'NewPet', description: 'An animal to add. Fields that are not listed are ignored.' },
)
export type NewPet = Static<typeof NewPet>

export const PetPatch = Type.Object(
  {
    name: Type.Optional(name),
    categoryId: Type.Optional(categoryId),
    status: Type.Optional(
      Type.Union([PetStatus, Type.Null()], {
        description:
          'Availability of the animal; null makes it `available`, as leaving it out of a creation does.',
      }),
    ),
  },
  {
    $id: 'PetPatch',
    description: 'Changes to an animal (RFC 7396). Fields that are not listed are ignored.',
  },
)
export type PetPatch = Static<typeof PetPatch>

export const Pet = Type.Object(
  {
    id: assignedId(
      'Unique identifier, assigned by the service on creation; ascending, never given twice.',
    ),
    name,
    categoryId,
    status: Type.Optional(
      described(PetStatus, 'Availability of the animal; the service always sends it.'),
    ),
  },
  { $id: 'Pet', description: 'An animal, as the service keeps it.' },
)

export const Pets = pageOf(Pet, 'Pets', 'animals')

/** For operators. */
export const Animal = Type.Object(
  { ...Pet.properties, status: PetStatus, version },
  { $id: 'Animal', description: 'An animal, as the service keeps it.' },
)
export type Animal = Static<typeof Animal>

export const Animals = operatorPageOf(
  Animal,
  'Animals',
  'Number of records that match the filter. Null where counting would take too long: for a category of more than 100,000 animals.',
)

export const PetPath = pathOf('petId', 'animal')

export const ListPetsQuery = Type.Object({
  limit: limitOf('animals'),
  status: Type.Optional(described(PetStatus, 'Filter by availability.')),
  categoryId: Type.Optional(int64({ description: 'Only the animals of this category.' })),
  id: Type.Optional(
    Type.Array(int64(), {
      minItems: 1,
      maxItems: 100,
      description:
        'Only the animals with these ids, separated by commas or in repeated parameters.',
      style: 'form',
      explode: false,
    }),
  ),
  cursor,
})

const petOrders = ['id', '-id', 'name', '-name'] as const

/** For operators, who may wait for a search. */
export const SearchPetsQuery = Type.Object({
  ...ListPetsQuery.properties,
  name: Type.Optional(
    plainText(
      255,
      'Only the animals whose name begins with this text, in upper or lower case, in the order of their names.',
    ),
  ),
  sort: Type.Optional(
    words(
      petOrders,
      'The order of the list; a hyphen reverses it. Default: `id`, or `name` with a name.',
    ),
  ),
  cursor: Type.Optional(text(2000, 'From a page with the same filters and order.')),
})
export type SearchPetsQuery = Static<typeof SearchPetsQuery>
