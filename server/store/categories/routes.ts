// What the operations on categories do.
import { AppError } from '#kit/errors.ts'
import { readState } from '../database/state.ts'
import {
  listRoute,
  readRecordId,
  recordRoute,
  type StoreRoute,
  writeRoute,
} from '../operations/store-route.ts'
import { readPage } from '../pages/keyset.ts'
import {
  categoryJson,
  categoryPages,
  createCategory,
  findCategory,
  removeCategory,
  renameCategory,
} from './categories.ts'
import { operations } from './operations.ts'
import type { ListCategoriesQuery } from './schema.ts'

export const categoryRoutes = {
  list: listRoute<ListCategoriesQuery>(operations.listCategories, {
    filters: [],
    read: (session, { limit }, position) => readPage(session, categoryPages, {}, limit, position),
    count: async (session) => (await readState(session)).categories,
    toJson: ([id = null, name = null]) => categoryJson(id, name),
  }),
  get: recordRoute(operations.getCategory, {
    find: findCategory,
    missing: () => new AppError('category_not_found', 'No category has this id.'),
  }),
  create: writeRoute(operations.createCategory, ({ body: { name }, use }) =>
    createCategory({ name, use }),
  ),
  rename: writeRoute(operations.renameCategory, ({ body: { name }, conditions, params, use }) =>
    renameCategory({ id: readRecordId(params.categoryId), name, conditions, use }),
  ),
  delete: writeRoute(operations.deleteCategory, ({ conditions, params, use }) =>
    removeCategory({ id: readRecordId(params.categoryId), conditions, use }),
  ),
} satisfies Record<string, StoreRoute>
