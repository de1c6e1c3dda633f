// The operations on animals: validate, call, reply.
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../platform/errors.ts'
import type { ApiRequest } from '../../platform/http/request/request-head.ts'
import { readRecordId } from '../database/record-id.ts'
import type { Environment } from '../environment.ts'
import { sendOutcome, useOf } from '../idempotency/guarded-write.ts'
import { noteDeprecatedCall } from '../keys/key-uses.ts'
import { listRoute } from '../pages/list-route.ts'
import { recordRoute } from '../pages/record-route.ts'
import { patchPet, removePet } from './change-pets.ts'
import { createPets } from './create-pets.ts'
import { deprecationHeaders, refuseAfterSunset, sunset } from './deprecation.ts'
import { countPets, type Filter, findPetJson, listPets } from './list-pets.ts'
import { operations } from './operations.ts'
import { petsJson } from './pet-json.ts'
import { ListPetsQuery, NewPet, PetPatch, PetPath } from './schema.ts'

export function animalRoutes(app: FastifyInstance, environment: Environment): void {
  const { baseUrl, clock, database, keyUses, metrics, name } = environment
  const filterOf = ({ id, status }: ListPetsQuery): Filter => ({ status, ids: id?.map(BigInt) })

  listRoute<ListPetsQuery>(app, environment, {
    path: '/pets',
    scope: 'pets:read',
    operation: operations.listPets,
    querystring: ListPetsQuery,
    filters: ['status', 'id'],
    read: (session, query, position) => listPets(session, filterOf(query), query.limit, position),
    count: (session, query) => countPets(session, filterOf(query)),
    toJson: petsJson,
  })

  app.route({
    method: 'POST',
    url: '/pets',
    config: { scope: 'pets:write', operation: operations.createPet },
    schema: { body: NewPet },
    handler: async (request, reply) => {
      const { name: petName, categoryId, status = 'available' } = request.body as NewPet
      const use = useOf(request, '/pets', clock)
      const pet = { name: petName, categoryId, status, use, now: clock() }
      sendOutcome(request, reply, await database.write(createPets, pet), baseUrl)
    },
  })

  recordRoute(app, environment, {
    url: '/pets/:petId',
    scope: 'pets:read',
    operation: operations.getPet,
    params: PetPath,
    find: findPetJson,
    missing: () => new AppError('pet_not_found', 'No animal has this id.'),
    headers: (id) => deprecationHeaders(baseUrl, id),
    until: sunset,
    begin(keyId) {
      metrics.countDeprecatedCall(name, 'getPet', keyId)
      noteDeprecatedCall(keyUses, keyId, clock())
      refuseAfterSunset(clock())
    },
  })

  app.route<{ Params: { petId: string } }>({
    method: 'PATCH',
    url: '/pets/:petId',
    config: { scope: 'pets:write', operation: operations.updatePet },
    schema: { params: PetPath, body: PetPatch },
    handler: async (request, reply) => {
      const { petId } = request.params
      const outcome = await database.write(patchPet, {
        id: readRecordId(petId),
        ifMatch: (request.raw as ApiRequest).head.ifMatch,
        patch: request.body as PetPatch,
        now: clock(),
        use: useOf(request, `/pets/${petId}`, clock),
      })
      sendOutcome(request, reply, outcome, baseUrl)
    },
  })

  app.route<{ Params: { petId: string } }>({
    method: 'DELETE',
    url: '/pets/:petId',
    config: { scope: 'pets:write', operation: operations.deletePet },
    schema: { params: PetPath },
    handler: async (request, reply) => {
      const { petId } = request.params
      const outcome = await database.write(removePet, {
        id: readRecordId(petId),
        ifMatch: (request.raw as ApiRequest).head.ifMatch,
        now: clock(),
        use: useOf(request, `/pets/${petId}`, clock),
      })
      sendOutcome(request, reply, outcome, baseUrl)
    },
  })
}
