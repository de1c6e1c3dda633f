// What the OpenAPI document says of the operations on animals, beyond their schemas.
import type { Operation } from '../openapi/operation.ts'
import { bodyConditions, bodyErrors, pageHeaders } from '../openapi/operation-parts.ts'
import { sunsetDate } from './deprecation.ts'

const rex = { id: 1, name: 'Rex', categoryId: 7, status: 'available' }
const mia = { id: 2, name: 'Mia', categoryId: 3, status: 'sold' }

const listPets: Operation = {
  operationId: 'listPets',
  tags: ['animals'],
  summary: 'List all animals',
  description:
    'A page of animals, by ascending id. Follow the links of the Link field for the other pages: a walk along `next` sees every animal that was there throughout exactly once.',
  requestHeaders: ['Prefer', 'If-None-Match', 'X-Request-Id'],
  success: {
    status: 200,
    description: 'A page of animals',
    schema: 'Pets',
    headers: [...pageHeaders],
    examples: {
      page: { summary: 'Two animals', value: [rex, mia] },
      empty: { summary: 'No animal has this status', value: [] },
    },
  },
  errors: ['invalid_parameter', 'invalid_cursor'],
  conditions: { 400: 'A parameter is out of range, repeated, empty or of an unknown value' },
}

const createPet: Operation = {
  operationId: 'createPet',
  tags: ['animals'],
  summary: 'Add an animal',
  description:
    'A 201 means that the animal is on disk. With an Idempotency-Key it is safe to send the request again.',
  requestHeaders: ['Idempotency-Key', 'X-Request-Id'],
  bodyExamples: {
    minimal: { summary: 'What is required', value: { name: 'Rex', categoryId: 7 } },
    complete: { summary: 'Everything', value: { name: 'Mia', categoryId: 3, status: 'sold' } },
  },
  success: {
    status: 201,
    description: 'Animal added; the body carries the assigned id',
    schema: 'Pet',
    headers: ['Vary', 'Location', 'ETag', 'Idempotent-Replayed'],
    examples: { added: { summary: 'An animal without a status is available', value: rex } },
  },
  errors: [...bodyErrors],
  conditions: bodyConditions,
}

const getPet: Operation = {
  operationId: 'getPet',
  tags: ['animals'],
  summary: 'Get an animal',
  description:
    'Deprecated; to be removed on 5 December 2030. Use GET /pets with the status filter, or with the id filter, instead.',
  deprecated: true,
  'x-deprecated-sunset': sunsetDate,
  requestHeaders: ['If-None-Match', 'X-Request-Id'],
  success: {
    status: 200,
    description: 'The requested animal',
    schema: 'Pet',
    headers: ['ETag', 'Vary', 'Content-Encoding'],
    examples: { found: { summary: 'The animal', value: rex } },
  },
  errors: ['pet_not_found', 'operation_removed'],
  conditions: {
    404: 'The requested resource could not be found',
    410: 'The operation was removed on 5 December 2030',
  },
  headers: ['Deprecation', 'Sunset', 'Deprecation-Link'],
}

const updatePet: Operation = {
  operationId: 'updatePet',
  tags: ['animals'],
  'x-stability': 'beta',
  summary: 'Change an animal',
  description:
    'Changes what the merge patch names (RFC 7396), with the rules of creation. With If-Match only if nobody else has changed the animal. While an open order holds the animal its status cannot be changed.',
  requestHeaders: ['If-Match', 'Idempotency-Key', 'X-Request-Id'],
  bodyExamples: {
    status: { summary: 'Another status', value: { status: 'sold' } },
    name: { summary: 'Another name', value: { name: 'Rex II' } },
  },
  success: {
    status: 200,
    description: 'The animal as it is now',
    schema: 'Pet',
    headers: ['Vary', 'ETag', 'Idempotent-Replayed'],
    examples: { changed: { summary: 'The animal', value: { ...rex, status: 'sold' } } },
    conditional: false,
  },
  errors: [...bodyErrors, 'pet_not_found', 'conflict', 'precondition_failed'],
  conditions: {
    ...bodyConditions,
    400: 'Body containing invalid values',
    404: 'There is no such animal',
    409: 'An open order holds the animal',
    412: 'The animal has changed since the ETag of If-Match',
  },
}

const deletePet: Operation = {
  operationId: 'deletePet',
  tags: ['animals'],
  'x-stability': 'beta',
  summary: 'Remove an animal',
  description: 'Removes an animal, whose id is never given again. An open order holds its animal.',
  requestHeaders: ['If-Match', 'Idempotency-Key', 'X-Request-Id'],
  success: {
    status: 204,
    description: 'The animal is gone',
    headers: ['Vary', 'Idempotent-Replayed'],
    examples: {},
  },
  errors: [
    'pet_not_found',
    'conflict',
    'precondition_failed',
    'invalid_idempotency_key',
    'idempotency_key_reused',
  ],
  conditions: {
    404: 'There is no such animal',
    409: 'An open order holds the animal',
    412: 'The animal has changed since the ETag of If-Match',
    422: 'The Idempotency-Key belongs to another request',
  },
}

export const operations = { listPets, createPet, getPet, updatePet, deletePet }
