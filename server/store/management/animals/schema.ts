// The wire shapes of animals in the management API: the store's own, with a version.
import { Type } from 'typebox'
import {
  ListPetsQuery,
  type NewPet,
  NewPet as NewPetSchema,
  Pet,
  type PetPatch,
  PetPatch as PetPatchSchema,
  type PetStatus,
} from '../../animals/schema.ts'
import { pageOf } from '../paging.ts'
import { resolved } from '../resolved-schema.ts'
import { type Versioned, version } from '../version.ts'

export interface Animal extends Versioned {
  id: number
  name: string
  /** Any int64: a bigint where a number would lose digits. */
  categoryId: number | bigint
  status: PetStatus
}

export const Animal = resolved<Animal>(
  Type.Object(
    { ...Pet.properties, version },
    { $id: 'Animal', description: 'An animal, as the service keeps it.' },
  ),
)

/** Animals of a category are counted as long as no more ids have been given. */
export const maxCounted = 100_000

export const Animals = pageOf(
  Animal,
  'Animals',
  'How many the filter has. Null by category in a store that has had more than 100,000 animals: only without one they are counted all along.',
)

export const NewAnimal = resolved<NewPet>(NewPetSchema)
export const AnimalPatch = resolved<PetPatch>(PetPatchSchema)

export const ListAnimalsQuery = resolved<ListAnimalsQuery>(
  Type.Object({
    ...ListPetsQuery.properties,
    categoryId: Type.Optional(
      Type.Integer({ format: 'int64', description: 'Only the animals of this category.' }),
    ),
  }),
)
export interface ListAnimalsQuery {
  limit: number
  status?: PetStatus
  id?: (number | bigint)[]
  categoryId?: number | bigint
  cursor?: string
}
