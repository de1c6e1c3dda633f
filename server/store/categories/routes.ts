// The operations on categories.
import { readState } from '../database/state.ts'
import { readRecordId, storeRoutesOf } from '../operations/store-route.ts'
import {
  categories,
  categoryJson,
  categoryNotFound,
  createCategory,
  findCategory,
  removeCategory,
  renameCategory,
} from './categories.ts'
import {
  Categories,
  Category,
  CategoryPath,
  ListCategoriesQuery,
  NewCategory,
  OperatorCategories,
  OperatorCategory,
} from './schema.ts'

const route = storeRoutesOf({ tag: 'categories', records: 'pets' })

const dogs = { id: 1, name: 'Dogs' }
const beta = { 'x-stability': 'beta' } as const

const conditions = {
  404: 'There is no such category',
  412: 'The category has changed since the ETag of If-Match',
}

export const categoryRoutes = [
  route('GET /categories', 'listCategories', {
    summary: 'List all categories',
    description:
      'A page of categories, by ascending id, with the same links as the list of animals.',
    query: ListCategoriesQuery,
    returns: Categories,
    document: {
      ...beta,
      answerDescription: 'A page of categories',
      answerExamples: { page: { summary: 'One category', value: [dogs] } },
    },
    forOperators: {
      description: 'A page of categories, by ascending id.',
      returns: OperatorCategories,
    },
    list: {
      filters: [],
      read: (session, { limit }, position) => categories.read(session, {}, limit, position),
      count: async (session) => (await readState(session)).categories,
      toJson: ([id = null, name = null]) => categoryJson(id, name),
    },
  }),
  route('GET /categories/{categoryId}', 'getCategory', {
    summary: 'Get a category',
    description: 'One category by its identifier.',
    params: CategoryPath,
    returns: Category,
    errors: ['category_not_found'],
    document: {
      ...beta,
      answerDescription: 'The requested category',
      answerExamples: { found: { summary: 'The category', value: dogs } },
      conditions: { 404: 'There is no such category' },
    },
    forOperators: { returns: OperatorCategory },
    record: {
      find: findCategory,
      missing: categoryNotFound,
    },
  }),
  route('POST /categories', 'createCategory', {
    summary: 'Add a category',
    description: 'Names a category. An animal may carry a categoryId that is not listed here.',
    body: NewCategory,
    status: 201,
    returns: Category,
    document: {
      ...beta,
      bodyExamples: { dogs: { summary: 'A category', value: { name: 'Dogs' } } },
      answerDescription: 'Category added; the body carries the assigned id',
      answerExamples: { added: { summary: 'The category', value: dogs } },
    },
    forOperators: { returns: OperatorCategory },
    write: ({ body: { name }, use }) => createCategory({ name, use }),
  }),
  route('PATCH /categories/{categoryId}', 'renameCategory', {
    summary: 'Rename a category',
    description: 'Renames a category. With If-Match, only if it has not changed since.',
    params: CategoryPath,
    body: NewCategory,
    returns: Category,
    errors: ['category_not_found'],
    document: {
      ...beta,
      bodyExamples: { dogs: { summary: 'Another name', value: { name: 'Dogs' } } },
      answerDescription: 'The category as it is now',
      answerExamples: { renamed: { summary: 'The category', value: dogs } },
      conditions,
    },
    forOperators: { returns: OperatorCategory },
    write: ({ body: { name }, conditions, params, use }) =>
      renameCategory({ id: readRecordId(params.categoryId), name, conditions, use }),
  }),
  route('DELETE /categories/{categoryId}', 'deleteCategory', {
    summary: 'Remove a category',
    description: 'Removes a category, whose id is never given again. Its animals stay as they are.',
    params: CategoryPath,
    errors: ['category_not_found'],
    document: { ...beta, answerDescription: 'The category is gone', conditions },
    write: ({ conditions, params, use }) =>
      removeCategory({ id: readRecordId(params.categoryId), conditions, use }),
  }),
] as const
