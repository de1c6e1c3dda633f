// What the OpenAPI document says of the operations on animals, beyond their schemas.
import type { Operation } from '../openapi/operation.ts'
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
    headers: [
      'Page-Link',
      'X-Total-Count',
      'Preference-Applied',
      'ETag',
      'Vary',
      'Content-Encoding',
    ],
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
    headers: ['Location', 'ETag', 'Idempotent-Replayed'],
    examples: { added: { summary: 'An animal without a status is available', value: rex } },
  },
  errors: [
    'malformed_json',
    'invalid_body',
    'invalid_idempotency_key',
    'body_too_large',
    'unsupported_media_type',
    'unsupported_content_encoding',
    'idempotency_key_reused',
  ],
  conditions: {
    400: 'Body missing required fields or containing invalid values',
    413: 'The body is over 64 KiB',
    415: 'The body is not plain JSON',
    422: 'The Idempotency-Key belongs to another request',
  },
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

export const operations = { listPets, createPet, getPet }
