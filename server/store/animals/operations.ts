// The operations on animals.
import { declareStoreOperations } from '../operations/store-operation.ts'
import { sunsetDate } from './deprecation.ts'
import { ListPetsQuery, NewPet, Pet, PetPatch, PetPath, Pets } from './schema.ts'

const rex = { id: 1, name: 'Rex', categoryId: 7, status: 'available' }
const mia = { id: 2, name: 'Mia', categoryId: 3, status: 'sold' }

const conditions = {
  404: 'There is no such animal',
  409: 'An open order holds the animal',
  412: 'The animal has changed since the ETag of If-Match',
}

export const operations = declareStoreOperations(
  { tag: 'animals', records: 'pets' },
  {
    listPets: {
      route: 'GET /pets',
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
    },
    createPet: {
      route: 'POST /pets',
      summary: 'Add an animal',
      description:
        'A 201 means that the animal is stored. With an Idempotency-Key it is safe to send the request again.',
      body: NewPet,
      status: 201,
      returns: Pet,
      document: {
        bodyExamples: {
          minimal: { summary: 'Required fields only', value: { name: 'Rex', categoryId: 7 } },
          complete: {
            summary: 'All fields',
            value: { name: 'Mia', categoryId: 3, status: 'sold' },
          },
        },
        answerDescription: 'Animal added; the body carries the assigned id',
        answerExamples: {
          added: { summary: 'An animal without a status is available', value: rex },
        },
      },
    },
    getPet: {
      route: 'GET /pets/{petId}',
      summary: 'Get an animal',
      description:
        'Deprecated; to be removed on 5 December 2030. Use GET /pets with the status filter, or with the id filter, instead.',
      params: PetPath,
      returns: Pet,
      errors: ['pet_not_found', 'operation_removed'],
      document: {
        deprecated: true,
        'x-deprecated-sunset': sunsetDate,
        answerDescription: 'The requested animal',
        answerExamples: { found: { summary: 'The animal', value: rex } },
        conditions: {
          404: 'The requested resource could not be found',
          410: 'The operation was removed on 5 December 2030',
        },
        headers: ['Deprecation', 'Sunset', 'Deprecation-Link'],
      },
    },
    updatePet: {
      route: 'PATCH /pets/{petId}',
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
    },
    deletePet: {
      route: 'DELETE /pets/{petId}',
      summary: 'Remove an animal',
      description:
        'Removes an animal, whose id is never given again. An open order holds its animal.',
      params: PetPath,
      errors: ['pet_not_found', 'conflict'],
      document: { 'x-stability': 'beta', answerDescription: 'The animal is gone', conditions },
    },
  },
)
