// What the OpenAPI document says of the operations on categories, beyond their schemas.
import type { Operation } from '../openapi/operation.ts'
import { bodyConditions, bodyErrors, pageHeaders } from '../openapi/operation-parts.ts'

const dogs = { id: 1, name: 'Dogs' }
const common = { tags: ['categories'], 'x-stability': 'beta' } as const
const record = ['ETag', 'Vary', 'Content-Encoding'] as const

const listCategories: Operation = {
  ...common,
  operationId: 'listCategories',
  summary: 'List all categories',
  description: 'A page of categories, by ascending id, with the same links as the list of animals.',
  requestHeaders: ['Prefer', 'If-None-Match', 'X-Request-Id'],
  success: {
    status: 200,
    description: 'A page of categories',
    schema: 'Categories',
    headers: [...pageHeaders],
    examples: { page: { summary: 'One category', value: [dogs] } },
  },
  errors: ['invalid_parameter', 'invalid_cursor'],
  conditions: { 400: 'A parameter is out of range, repeated, empty or of an unknown value' },
}

const getCategory: Operation = {
  ...common,
  operationId: 'getCategory',
  summary: 'Get a category',
  description: 'One category by its identifier.',
  requestHeaders: ['If-None-Match', 'X-Request-Id'],
  success: {
    status: 200,
    description: 'The requested category',
    schema: 'Category',
    headers: [...record],
    examples: { found: { summary: 'The category', value: dogs } },
  },
  errors: ['category_not_found'],
  conditions: { 404: 'There is no such category' },
}

const createCategory: Operation = {
  ...common,
  operationId: 'createCategory',
  summary: 'Add a category',
  description: 'Names a category. An animal may carry a categoryId that is not listed here.',
  requestHeaders: ['Idempotency-Key', 'X-Request-Id'],
  bodyExamples: { dogs: { summary: 'A category', value: { name: 'Dogs' } } },
  success: {
    status: 201,
    description: 'Category added; the body carries the assigned id',
    schema: 'Category',
    headers: ['Vary', 'Location', 'ETag', 'Idempotent-Replayed'],
    examples: { added: { summary: 'The category', value: dogs } },
  },
  errors: [...bodyErrors],
  conditions: bodyConditions,
}

const renameCategory: Operation = {
  ...common,
  operationId: 'renameCategory',
  summary: 'Rename a category',
  description: 'Gives a category another name. With If-Match only if nobody else has.',
  requestHeaders: ['If-Match', 'Idempotency-Key', 'X-Request-Id'],
  bodyExamples: { dogs: { summary: 'Another name', value: { name: 'Dogs' } } },
  success: {
    status: 200,
    description: 'The category as it is now',
    schema: 'Category',
    headers: ['Vary', 'ETag', 'Idempotent-Replayed'],
    examples: { renamed: { summary: 'The category', value: dogs } },
    conditional: false,
  },
  errors: [...bodyErrors, 'category_not_found', 'precondition_failed'],
  conditions: {
    ...bodyConditions,
    404: 'There is no such category',
    412: 'The category has changed since the ETag of If-Match',
  },
}

const deleteCategory: Operation = {
  ...common,
  operationId: 'deleteCategory',
  summary: 'Remove a category',
  description: 'Removes a category, whose id is never given again. Its animals stay as they are.',
  requestHeaders: ['If-Match', 'Idempotency-Key', 'X-Request-Id'],
  success: {
    status: 204,
    description: 'The category is gone',
    headers: ['Vary', 'Idempotent-Replayed'],
    examples: {},
  },
  errors: [
    'category_not_found',
    'precondition_failed',
    'invalid_idempotency_key',
    'idempotency_key_reused',
  ],
  conditions: {
    404: 'There is no such category',
    412: 'The category has changed since the ETag of If-Match',
    422: 'The Idempotency-Key belongs to another request',
  },
}

export const operations = {
  listCategories,
  getCategory,
  createCategory,
  renameCategory,
  deleteCategory,
}
