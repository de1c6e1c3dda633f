// The operations of an operator on categories: validate, call, reply.
import { type Route, route } from '../../../platform/management/route.ts'
import {
  categoryJson,
  categoryPages,
  createCategory,
  removeCategory,
  renameCategory,
} from '../../categories/categories.ts'
import type { NewCategory } from '../../categories/schema.ts'
import { getEnvironmentName, type StoreManagement } from '../../database/environment-name.ts'
import { readRecordId } from '../../database/record-id.ts'
import { readState } from '../../database/state.ts'
import { readPage } from '../../pages/keyset.ts'
import { pageAnswer, readPosition } from '../paging.ts'
import { bodyOf, recordOf, versioned } from '../versioned.ts'
import * as operations from './operations.ts'
import type { Category } from './schema.ts'

export function categoryRoutes({ databases }: StoreManagement): Route[] {
  return [
    route(operations.listCategories, async ({ params, query: { cursor, limit } }) => {
      const name = getEnvironmentName(params)
      const { read } = databases[name]
      const seal = `${name} categories`
      const position = readPosition(cursor, seal)
      const page = await readPage(read, categoryPages, {}, limit, position)
      const show = ([id = null, text = null]: Parameters<typeof categoryJson>) =>
        versioned<Category>(categoryJson(id, text))
      const { categories } = await readState(read)
      return pageAnswer(
        page,
        seal,
        (row) => show(row as Parameters<typeof categoryJson>),
        categories,
      )
    }),
    route(operations.createCategory, async ({ body, headers, params }) => {
      const database = databases[getEnvironmentName(params)]
      const { name } = body as NewCategory
      const outcome = await database.write(createCategory, { name, use: undefined })
      return recordOf<Category>(outcome, headers)
    }),
    route(operations.renameCategory, async ({ body, headers, params, request }) => {
      const database = databases[getEnvironmentName(params)]
      const outcome = await database.write(renameCategory, {
        id: readRecordId(params.categoryId),
        name: (body as NewCategory).name,
        ifMatch: request.head.ifMatch,
        use: undefined,
      })
      return recordOf<Category>(outcome, headers)
    }),
    route(operations.deleteCategory, async ({ params, request }) => {
      const database = databases[getEnvironmentName(params)]
      const outcome = await database.write(removeCategory, {
        id: readRecordId(params.categoryId),
        ifMatch: request.head.ifMatch,
        use: undefined,
      })
      bodyOf(outcome)
      return undefined
    }),
  ]
}
