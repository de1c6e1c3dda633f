// The wire shapes of animals: what validates, what types, and what the OpenAPI document says.
import { type Static, Type } from 'typebox'

export const PetStatus = Type.Enum(['available', 'pending', 'sold'], {
  $id: 'PetStatus',
  type: 'string',
  description: 'Availability of an animal.',
})
export type PetStatus = Static<typeof PetStatus>

/** White space that is no control character, for a character class. */
const spaces = '\\u0020\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'

const name = Type.String({
  description: "The animal's name. Kept exactly as sent; need not be unique.",
  minLength: 1,
  maxLength: 255,
  // At least one character that is not white space; none that is a control character. Written without
  // property escapes and look-aheads, which the regular expressions of many languages lack.
  pattern: `^[${spaces}]*[^\\u0000-\\u001f\\u007f-\\u009f${spaces}][^\\u0000-\\u001f\\u007f-\\u009f]*$`,
  'x-pattern-message':
    'must contain a character that is not white space, and no control characters',
  examples: ['Rex'],
})
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
  limit: Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 20,
    description: 'Maximum number of animals returned.',
  }),
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
  cursor: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'Where the page begins: opaque, taken from a Link of another page with the same filter.',
    }),
  ),
})

export interface ListPetsQuery {
  limit: number
  status?: PetStatus
  id?: (number | bigint)[]
  cursor?: string
}
