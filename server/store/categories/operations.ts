// The operations on categories.
import { declareStoreOperations } from '../operations/store-operation.ts'
import { Categories, Category, CategoryPath, ListCategoriesQuery, NewCategory } from './schema.ts'

const dogs = { id: 1, name: 'Dogs' }
const beta = { 'x-stability': 'beta' } as const

const conditions = {
  404: 'There is no such category',
  412: 'The category has changed since the ETag of If-Match',
}

export const operations = declareStoreOperations(
  { tag: 'categories', records: 'pets' },
  {
    listCategories: {
      route: 'GET /categories',
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
    },
    getCategory: {
      route: 'GET /categories/{categoryId}',
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
    },
    createCategory: {
      route: 'POST /categories',
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
    },
    renameCategory: {
      route: 'PATCH /categories/{categoryId}',
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
    },
    deleteCategory: {
      route: 'DELETE /categories/{categoryId}',
      summary: 'Remove a category',
      description:
        'Removes a category, whose id is never given again. Its animals stay as they are.',
      params: CategoryPath,
      errors: ['category_not_found'],
      document: { ...beta, answerDescription: 'The category is gone', conditions },
    },
  },
)
