// The operations of an operator on animals: validate, call, reply.
import { AppError } from '../../../platform/errors.ts'
import { type Route, route } from '../../../platform/management/route.ts'
import { patchPet, removePet } from '../../animals/change-pets.ts'
import { createPets } from '../../animals/create-pets.ts'
import { countAnimals, listAnimals } from '../../animals/list-animals.ts'
import { findPetJson } from '../../animals/list-pets.ts'
import { petJson } from '../../animals/pet-json.ts'
import type { NewPet, PetPatch } from '../../animals/schema.ts'
import { getEnvironmentName, type StoreManagement } from '../../database/environment-name.ts'
import { readRecordId } from '../../database/record-id.ts'
import { pageAnswer, readPosition } from '../paging.ts'
import { bodyOf, recordOf, versioned } from '../versioned.ts'
import * as operations from './operations.ts'
import type { Animal } from './schema.ts'

export function animalRoutes({ clock, databases }: StoreManagement): Route[] {
  return [
    route(operations.listAnimals, async ({ params, query }) => {
      const name = getEnvironmentName(params)
      const { read } = databases[name]
      const { categoryId, cursor, id, limit, status } = query
      const filter = {
        status,
        ids: id?.map(BigInt),
        categoryId: categoryId === undefined ? undefined : BigInt(categoryId),
      }
      const seal = `${name} animals ${status ?? ''} ${id ?? ''} ${categoryId ?? ''}`
      const page = await listAnimals(read, filter, limit, readPosition(cursor, seal))
      return pageAnswer(page, seal, showAnimal, await countAnimals(read, filter))
    }),
    route(operations.createAnimal, async ({ body, headers, params }) => {
      const database = databases[getEnvironmentName(params)]
      const { categoryId, name, status = 'available' } = body as NewPet
      const pet = { name, categoryId, status, use: undefined, now: clock() }
      return recordOf<Animal>(await database.write(createPets, pet), headers)
    }),
    route(operations.getAnimal, async ({ headers, params }) => {
      const { read } = databases[getEnvironmentName(params)]
      const id = readRecordId(params.petId)
      const body = id === undefined ? undefined : await findPetJson(read, id)
      if (body === undefined) throw new AppError('pet_not_found', 'No animal has this id.')
      const animal = versioned<Animal>(body)
      headers.push('ETag', `"${animal.version}"`)
      return animal
    }),
    route(operations.changeAnimal, async ({ body, headers, params, request }) => {
      const database = databases[getEnvironmentName(params)]
      const outcome = await database.write(patchPet, {
        id: readRecordId(params.petId),
        ifMatch: request.head.ifMatch,
        patch: body as PetPatch,
        now: clock(),
        use: undefined,
      })
      return recordOf<Animal>(outcome, headers)
    }),
    route(operations.deleteAnimal, async ({ params, request }) => {
      const database = databases[getEnvironmentName(params)]
      const outcome = await database.write(removePet, {
        id: readRecordId(params.petId),
        ifMatch: request.head.ifMatch,
        now: clock(),
        use: undefined,
      })
      bodyOf(outcome)
      return undefined
    }),
  ]
}

function showAnimal(row: unknown[]): Animal {
  return versioned<Animal>(petJson(...(row as Parameters<typeof petJson>)))
}
