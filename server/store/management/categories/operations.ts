// The operations of an operator on categories, as the management API declares them.
import { operation } from '../../../platform/management/operation.ts'
import { Categories, Category, ListCategoriesQuery, NewNamedCategory } from './schema.ts'

const common = { tag: 'categories', access: 'operator' } as const

export const listCategories = operation({
  ...common,
  route: 'GET /store/{environment}/categories',
  operationId: 'listCategories',
  summary: 'List categories',
  scope: 'store:read',
  query: ListCategoriesQuery,
  status: 200,
  answer: Categories,
  errors: ['route_not_found', 'invalid_cursor'],
})

export const createCategory = operation({
  ...common,
  route: 'POST /store/{environment}/categories',
  operationId: 'createCategory',
  summary: 'Add a category',
  scope: 'store:write',
  body: NewNamedCategory,
  status: 201,
  answer: Category,
  errors: ['route_not_found'],
})

export const renameCategory = operation({
  ...common,
  route: 'PATCH /store/{environment}/categories/{categoryId}',
  operationId: 'renameCategory',
  summary: 'Rename a category',
  description: 'With If-Match only if nobody else has.',
  scope: 'store:write',
  body: NewNamedCategory,
  status: 200,
  answer: Category,
  errors: ['route_not_found', 'category_not_found', 'precondition_failed'],
})

export const deleteCategory = operation({
  ...common,
  route: 'DELETE /store/{environment}/categories/{categoryId}',
  operationId: 'deleteCategory',
  summary: 'Remove a category',
  description: 'Its animals stay as they are.',
  scope: 'store:write',
  status: 204,
  errors: ['route_not_found', 'category_not_found', 'precondition_failed'],
})
