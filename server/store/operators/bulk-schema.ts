// The wire shapes of changes to many animals, and of the search in an environment.
import { type Static, Type } from 'typebox'
import { searchText } from '#kit/schema/described-schema.ts'
import { PetStatus } from '../animals/schema.ts'
import { Order } from '../orders/schema.ts'
import { Animal, Category } from './schema.ts'

/** As a page of the list has at most. */
const maxAnimals = 100

const target = {
  id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  version: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Only if the animal still has this version.',
    }),
  ),
}

export const AnimalChanges = Type.Object(
  {
    changes: Type.Array(Type.Object({ ...target, status: PetStatus }), {
      minItems: 1,
      maxItems: maxAnimals,
    }),
  },
  { $id: 'AnimalChanges', description: 'New statuses of animals.' },
)

export const AnimalDeletions = Type.Object(
  { animals: Type.Array(Type.Object(target), { minItems: 1, maxItems: maxAnimals }) },
  { $id: 'AnimalDeletions', description: 'Animals to remove.' },
)

const problem = Type.Union(
  [Type.Object({ code: Type.String(), message: Type.String() }), Type.Null()],
  { description: 'Why it is as before; null if it was done.' },
)

export const ChangedAnimals = Type.Object(
  {
    items: Type.Array(
      Type.Object({ id: target.id, animal: Type.Union([Animal, Type.Null()]), problem }),
      { maxItems: maxAnimals },
    ),
  },
  {
    $id: 'ChangedAnimals',
    description: 'The outcome for each animal, in the order of the request.',
  },
)
export type ChangedAnimals = Static<typeof ChangedAnimals>

export const DeletedAnimals = Type.Object(
  { items: Type.Array(Type.Object({ id: target.id, problem }), { maxItems: maxAnimals }) },
  {
    $id: 'DeletedAnimals',
    description: 'The outcome for each animal, in the order of the request.',
  },
)

export const SearchStoreQuery = Type.Object({
  text: searchText(255, 'The beginning of a name, in upper or lower case, or an id.'),
})

/** Of each kind of records. */
export const maxFound = 5

export const FoundRecords = Type.Object(
  {
    animals: Type.Array(Animal, { maxItems: maxFound + 1 }),
    categories: Type.Array(Category, { maxItems: maxFound + 1 }),
    orders: Type.Array(Order, { maxItems: 1 }),
  },
  {
    $id: 'FoundRecords',
    description:
      'What has the text as id comes first, then what has it as the beginning of its name.',
  },
)
