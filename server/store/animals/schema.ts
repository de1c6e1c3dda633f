// The wire shapes of animals: what validates, what types, and what the OpenAPI document says.
import { type Static, Type } from 'typebox'
import { plainText } from '../pages/names.ts'
import { cursor, type ListQuery, limitOf } from '../pages/schema.ts'

export const PetStatus = Type.Enum(['available', 'pending', 'sold'], {
  $id: 'PetStatus',
  type: 'string',
  description: 'Availability of an animal.',
})
export type PetStatus = Static<typeof PetStatus>

const name = plainText("The animal's name. Kept exactly as sent; need not be unique.", 'Rex')
const categoryId = Type.Integer({
  format: 'int64',
  description:
    'Identifier of the category the animal belongs to. Any int64, exact to the last digit.',
  examples: [7],
})
const status = Type.Ref('PetStatus')

export const NewPet = Type.Object(
  {
    name,
    categoryId,
    status: Type.Optional({
      ...status,
      description: 'Availability of the animal; `available` when it is left out.',
    }),
  },
  { $id: 'NewPet', description: 'An animal to add. Fields that are not listed are ignored.' },
)

/** NewPet as it comes out of the validator. */
export interface NewPet {
  name: string
  categoryId: number | bigint
  status?: PetStatus
}

export const PetPatch = Type.Object(
  {
    name: Type.Optional(name),
    categoryId: Type.Optional(categoryId),
    status: Type.Optional(
      Type.Union([status, Type.Null()], {
        description:
          'Availability of the animal; null makes it `available`, as leaving it out of a creation does.',
      }),
    ),
  },
  {
    $id: 'PetPatch',
    description:
      'What is to change of an animal (RFC 7396). Fields that are not listed are ignored.',
  },
)

export interface PetPatch {
  name?: string
  categoryId?: number | bigint
  status?: PetStatus | null
}

export const Pet = Type.Object(
  {
    id: Type.Integer({
      format: 'int64',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        'Unique identifier, assigned by the service on creation; ascending, never given twice.',
      examples: [1],
    }),
    name,
    categoryId,
    status: Type.Optional({
      ...status,
      description: 'Availability of the animal; the service always sends it.',
    }),
  },
  { $id: 'Pet', description: 'An animal, as the service keeps it.' },
)

export const Pets = Type.Array(Type.Ref('Pet'), {
  $id: 'Pets',
  description: 'A page of animals.',
  maxItems: 100,
})

export const PetPath = Type.Object({
  petId: Type.Integer({ format: 'int64', description: 'Identifier of the animal.', examples: [1] }),
})

export const ListPetsQuery = Type.Object({
  limit: limitOf('animals'),
  status: Type.Optional({ ...status, description: 'Filter by availability.' }),
  id: Type.Optional(
    Type.Array(Type.Integer({ format: 'int64' }), {
      minItems: 1,
      maxItems: 100,
      description: 'Only the animals with these ids, separated by commas.',
      style: 'form',
      explode: false,
    }),
  ),
  cursor,
})

export interface ListPetsQuery extends ListQuery {
  status?: PetStatus
  id?: (number | bigint)[]
}
