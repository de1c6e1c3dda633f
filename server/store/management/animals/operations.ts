// The operations of an operator on animals, as the management API declares them.
import { operation } from '../../../platform/management/operation.ts'
import { Animal, AnimalPatch, Animals, ListAnimalsQuery, NewAnimal } from './schema.ts'

const common = { tag: 'animals', access: 'operator' } as const

export const listAnimals = operation({
  ...common,
  route: 'GET /store/{environment}/animals',
  operationId: 'listAnimals',
  summary: 'List animals',
  description:
    'A page of animals, by ascending id. A walk along `next` sees every animal that was there throughout exactly once. By category a page may have fewer than `limit`, even none, with others to follow: 200,000 ids are looked through for each.',
  scope: 'store:read',
  query: ListAnimalsQuery,
  status: 200,
  answer: Animals,
  errors: ['route_not_found', 'invalid_cursor'],
})

export const createAnimal = operation({
  ...common,
  route: 'POST /store/{environment}/animals',
  operationId: 'createAnimal',
  summary: 'Add an animal',
  scope: 'store:write',
  body: NewAnimal,
  status: 201,
  answer: Animal,
  errors: ['route_not_found'],
})

export const getAnimal = operation({
  ...common,
  route: 'GET /store/{environment}/animals/{petId}',
  operationId: 'getAnimal',
  summary: 'Get an animal',
  scope: 'store:read',
  status: 200,
  answer: Animal,
  errors: ['route_not_found', 'pet_not_found'],
})

export const changeAnimal = operation({
  ...common,
  route: 'PATCH /store/{environment}/animals/{petId}',
  operationId: 'changeAnimal',
  summary: 'Change an animal',
  description:
    'A merge patch (RFC 7396). With If-Match only if nobody else has changed it. An open order holds the status of its animal.',
  scope: 'store:write',
  body: AnimalPatch,
  status: 200,
  answer: Animal,
  errors: ['route_not_found', 'pet_not_found', 'conflict', 'precondition_failed'],
})

export const deleteAnimal = operation({
  ...common,
  route: 'DELETE /store/{environment}/animals/{petId}',
  operationId: 'deleteAnimal',
  summary: 'Remove an animal',
  description: 'Its id is never given again. An open order holds its animal.',
  scope: 'store:write',
  status: 204,
  errors: ['route_not_found', 'pet_not_found', 'conflict', 'precondition_failed'],
})
