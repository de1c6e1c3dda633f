// The operations on animals.

import { AppError } from '#kit/errors.ts'
import { type Deprecation, readRecordId, storeRoutesOf } from '../operations/store-route.ts'
import { createPet, patchPet, petNotFound, removePet } from './change-pets.ts'
import { type Filter, findPetJson, petJsonOf, pets } from './list-pets.ts'
import {
  Animal,
  Animals,
  ListPetsQuery,
  NewPet,
  Pet,
  PetPatch,
  PetPath,
  Pets,
  SearchPetsQuery,
} from './schema.ts'
import { countSortedPets, listSortedPets } from './sorted-pets.ts'

const route = storeRoutesOf({ tag: 'animals', records: 'pets' })

/** Of getPet (specification, "Versioning"). */
const getPetDeprecation: Deprecation = {
  sunset: Date.UTC(2030, 11, 5),
  /** Deprecation (RFC 9745), Sunset (RFC 8594) and where to go instead. */
  headers(baseUrl, petId) {
    const successor = /^\d{1,19}$/.test(petId) ? `${baseUrl}/pets?id=${petId}` : `${baseUrl}/pets`
    return [
      'Deprecation',
      `@${Date.UTC(2025, 11, 5) / 1000}`,
      'Sunset',
      new Date(getPetDeprecation.sunset).toUTCString(),
      'Link',
      `<${baseUrl}/openapi.yaml>; rel="deprecation"; type="application/yaml", <${successor}>; rel="successor-version"`,
    ]
  },
  removed: () =>
    new AppError(
      'operation_removed',
      'This operation was removed on 5 December 2030. Use GET /pets with the id or status filter.',
    ),
}

const rex = { id: 1, name: 'Rex', categoryId: 7, status: 'available' }
const mia = { id: 2, name: 'Mia', categoryId: 3, status: 'sold' }

const conditions = {
  404: 'There is no such animal',
  409: 'An open order holds the animal',
  412: 'The animal has changed since the ETag of If-Match',
}

export const animalRoutes = [
  route('GET /pets', 'listPets', {
    summary: 'List all animals',
    description:
      'A page of animals, by ascending id. Follow the links of the Link field for the other pages: a walk along `next` sees every animal that was there throughout exactly once.',
    query: ListPetsQuery,
    returns: Pets,
    document: {
      answerDescription: 'A page of animals',
      answerExamples: {
        page: { summary: 'Two animals', value: [rex, mia] },
        empty: { summary: 'No animal has this status', value: [] },
      },
    },
    forOperators: {
      description:
        'A page of animals, by ascending id or as `sort` says. By id, a walk along `next` sees every animal that was there throughout exactly once. With a filter beside the name or the order by name, a page may have fewer records than `limit`, even none, while more follow: each page searches 20,000 names.',
      query: SearchPetsQuery,
      returns: Animals,
    },
    list: {
      filters: ['status', 'id', 'categoryId'],
      operatorFilters: ['name', 'sort'],
      read: (session, query, position) =>
        query.name === undefined && query.sort === undefined
          ? pets.read(session, filterOf(query), query.limit, position)
          : listSortedPets(session, filterOf(query), query, position),
      readJson: pets.readJson,
      count: (session, query) => countSortedPets(session, filterOf(query), query),
      toJson: petJsonOf,
    },
  }),
  route('POST /pets', 'createPet', {
    summary: 'Add an animal',
    description:
      'A 201 means that the animal is stored. With an Idempotency-Key it is safe to send the request again.',
    body: NewPet,
    status: 201,
    returns: Pet,
    document: {
      bodyExamples: {
        minimal: { summary: 'Required fields only', value: { name: 'Rex', categoryId: 7 } },
        complete: { summary: 'All fields', value: { name: 'Mia', categoryId: 3, status: 'sold' } },
      },
      answerDescription: 'Animal added; the body carries the assigned id',
      answerExamples: {
        added: { summary: 'An animal without a status is available', value: rex },
      },
    },
    forOperators: { returns: Animal },
    write: ({ body: { categoryId, name, status = 'available' }, now, use }) =>
      createPet({ name, categoryId, status, use, now }),
  }),
  route('GET /pets/{petId}', 'getPet', {
    summary: 'Get an animal',
    description:
      'Deprecated; to be removed on 5 December 2030. Use GET /pets with the status filter, or with the id filter, instead.',
    params: PetPath,
    returns: Pet,
    errors: ['pet_not_found', 'operation_removed'],
    document: {
      deprecated: true,
      'x-deprecated-sunset': '2030-12-05',
      answerDescription: 'The requested animal',
      answerExamples: { found: { summary: 'The animal', value: rex } },
      conditions: {
        404: 'The requested resource could not be found',
        410: 'The operation was removed on 5 December 2030',
      },
      headers: ['Deprecation', 'Sunset', 'Deprecation-Link'],
    },
    forOperators: { description: 'One animal by its identifier.', returns: Animal },
    record: {
      find: findPetJson,
      missing: petNotFound,
      deprecation: getPetDeprecation,
    },
  }),
  route('PATCH /pets/{petId}', 'updatePet', {
    summary: 'Change an animal',
    description:
      'Changes what the merge patch names (RFC 7396), with the rules of creation. With If-Match, only if the animal has not changed since. While an open order holds the animal its status cannot be changed.',
    params: PetPath,
    body: PetPatch,
    returns: Pet,
    errors: ['pet_not_found', 'conflict'],
    document: {
      'x-stability': 'beta',
      bodyExamples: {
        status: { summary: 'Another status', value: { status: 'sold' } },
        name: { summary: 'Another name', value: { name: 'Rex II' } },
      },
      answerDescription: 'The animal as it is now',
      answerExamples: { changed: { summary: 'The animal', value: { ...rex, status: 'sold' } } },
      conditions: { ...conditions, 400: 'Body containing invalid values' },
    },
    forOperators: { returns: Animal },
    write: ({ body: patch, params, ...call }) =>
      patchPet({ id: readRecordId(params.petId), patch, ...call }),
  }),
  route('DELETE /pets/{petId}', 'deletePet', {
    summary: 'Remove an animal',
    description:
      'Removes an animal, whose id is never given again. An open order holds its animal.',
    params: PetPath,
    errors: ['pet_not_found', 'conflict'],
    document: { 'x-stability': 'beta', answerDescription: 'The animal is gone', conditions },
    write: ({ params, ...call }) => removePet({ id: readRecordId(params.petId), ...call }),
  }),
] as const

function filterOf({ categoryId, id, status }: SearchPetsQuery): Filter {
  return {
    status,
    id: id?.map(BigInt),
    categoryId: categoryId === undefined ? undefined : BigInt(categoryId),
  }
}
