// What the operations on animals do.
import { AppError } from '#kit/errors.ts'
import {
  listRoute,
  readRecordId,
  recordRoute,
  type StoreRoute,
  writeRoute,
} from '../operations/store-route.ts'
import { patchPet, removePet } from './change-pets.ts'
import { createPet } from './create-pets.ts'
import { getPetDeprecation } from './deprecation.ts'
import { type Filter, findPetJson, listPets, listPetsAsJson } from './list-pets.ts'
import { operations } from './operations.ts'
import { petJsonOf } from './pet-json.ts'
import type { SearchPetsQuery } from './schema.ts'
import { countSortedPets, listSortedPets } from './sorted-pets.ts'

export const animalRoutes = {
  list: listRoute<SearchPetsQuery>(operations.listPets, {
    filters: ['status', 'id', 'categoryId'],
    operatorFilters: ['name', 'sort'],
    read: (session, query, position) =>
      query.name === undefined && query.sort === undefined
        ? listPets(session, filterOf(query), query.limit, position)
        : listSortedPets(session, filterOf(query), query, position),
    readJson: (session, query, position) =>
      listPetsAsJson(session, filterOf(query), query.limit, position),
    count: (session, query) => countSortedPets(session, filterOf(query), query),
    toJson: petJsonOf,
  }),
  create: writeRoute(operations.createPet, ({ body, now, use }) => {
    const { categoryId, name, status = 'available' } = body
    return createPet({ name, categoryId, status, use, now })
  }),
  get: recordRoute(operations.getPet, {
    find: findPetJson,
    missing: () => new AppError('pet_not_found', 'No animal has this id.'),
    deprecation: getPetDeprecation,
  }),
  update: writeRoute(operations.updatePet, ({ body: patch, params, ...call }) =>
    patchPet({ id: readRecordId(params.petId), patch, ...call }),
  ),
  delete: writeRoute(operations.deletePet, ({ params, ...call }) =>
    removePet({ id: readRecordId(params.petId), ...call }),
  ),
} satisfies Record<string, StoreRoute>

function filterOf({ categoryId, id, status }: SearchPetsQuery): Filter {
  return {
    status,
    ids: id?.map(BigInt),
    categoryId: categoryId === undefined ? undefined : BigInt(categoryId),
  }
}
