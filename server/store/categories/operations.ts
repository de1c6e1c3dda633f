// The operations on categories.
import { listOperation, recordOperation, writeOperation } from '../operations/store-operation.ts'
import { Categories, Category, CategoryPath, ListCategoriesQuery, NewCategory } from './schema.ts'

const dogs = { id: 1, name: 'Dogs' }
const read = { tag: 'categories', scope: 'pets:read' } as const
const write = { tag: 'categories', scope: 'pets:write' } as const
const beta = { 'x-stability': 'beta' } as const

export const listCategories = listOperation({
  ...read,
  route: 'GET /categories',
  operationId: 'listCategories',
  summary: 'List all categories',
  description: 'A page of categories, by ascending id, with the same links as the list of animals.',
  query: ListCategoriesQuery,
  answer: Categories,
  document: {
    ...beta,
    answerDescription: 'A page of categories',
    answerExamples: { page: { summary: 'One category', value: [dogs] } },
  },
})

export const getCategory = recordOperation({
  ...read,
  route: 'GET /categories/{categoryId}',
  operationId: 'getCategory',
  summary: 'Get a category',
  description: 'One category by its identifier.',
  params: CategoryPath,
  answer: Category,
  errors: ['category_not_found'],
  document: {
    ...beta,
    answerDescription: 'The requested category',
    answerExamples: { found: { summary: 'The category', value: dogs } },
    conditions: { 404: 'There is no such category' },
  },
})

export const createCategory = writeOperation({
  ...write,
  route: 'POST /categories',
  operationId: 'createCategory',
  summary: 'Add a category',
  description: 'Names a category. An animal may carry a categoryId that is not listed here.',
  body: NewCategory,
  status: 201,
  answer: Category,
  document: {
    ...beta,
    bodyExamples: { dogs: { summary: 'A category', value: { name: 'Dogs' } } },
    answerDescription: 'Category added; the body carries the assigned id',
    answerExamples: { added: { summary: 'The category', value: dogs } },
  },
})

const conditions = {
  404: 'There is no such category',
  412: 'The category has changed since the ETag of If-Match',
}

export const renameCategory = writeOperation({
  ...write,
  route: 'PATCH /categories/{categoryId}',
  operationId: 'renameCategory',
  summary: 'Rename a category',
  description: 'Renames a category. With If-Match, only if it has not changed since.',
  params: CategoryPath,
  body: NewCategory,
  status: 200,
  answer: Category,
  errors: ['category_not_found'],
  document: {
    ...beta,
    bodyExamples: { dogs: { summary: 'Another name', value: { name: 'Dogs' } } },
    answerDescription: 'The category as it is now',
    answerExamples: { renamed: { summary: 'The category', value: dogs } },
    conditions,
  },
})

export const deleteCategory = writeOperation({
  ...write,
  route: 'DELETE /categories/{categoryId}',
  operationId: 'deleteCategory',
  summary: 'Remove a category',
  description: 'Removes a category, whose id is never given again. Its animals stay as they are.',
  params: CategoryPath,
  status: 204,
  errors: ['category_not_found'],
  document: { ...beta, answerDescription: 'The category is gone', conditions },
})
