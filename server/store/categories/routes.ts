// The operations on categories: validate, call, reply.
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../platform/errors.ts'
import type { ApiRequest } from '../../platform/http/request/request-head.ts'
import { readRecordId } from '../database/record-id.ts'
import { readState } from '../database/state.ts'
import type { Environment } from '../environment.ts'
import { sendOutcome, useOf } from '../idempotency/guarded-write.ts'
import { readPage } from '../pages/keyset.ts'
import { listRoute } from '../pages/list-route.ts'
import { idOf, recordRoute } from '../pages/record-route.ts'
import {
  categoryJson,
  categoryPages,
  createCategory,
  findCategory,
  removeCategory,
  renameCategory,
} from './categories.ts'
import { operations } from './operations.ts'
import { CategoryPath, ListCategoriesQuery, NewCategory } from './schema.ts'

export function categoryRoutes(app: FastifyInstance, environment: Environment): void {
  const { baseUrl, clock, database } = environment

  listRoute<ListCategoriesQuery>(app, environment, {
    path: '/categories',
    scope: 'pets:read',
    operation: operations.listCategories,
    querystring: ListCategoriesQuery,
    filters: [],
    read: (session, { limit }, position) => readPage(session, categoryPages, {}, limit, position),
    count: async (session) => (await readState(session)).categories,
    toJson: (rows) => `[${rows.map(([id = null, name = null]) => categoryJson(id, name)).join()}]`,
  })

  recordRoute(app, environment, {
    url: '/categories/:categoryId',
    scope: 'pets:read',
    operation: operations.getCategory,
    params: CategoryPath,
    find: findCategory,
    missing: () => new AppError('category_not_found', 'No category has this id.'),
  })

  app.route({
    method: 'POST',
    url: '/categories',
    config: { scope: 'pets:write', operation: operations.createCategory },
    schema: { body: NewCategory },
    handler: async (request, reply) => {
      const { name } = request.body as NewCategory
      const use = useOf(request, '/categories', clock)
      sendOutcome(request, reply, await database.write(createCategory, { name, use }), baseUrl)
    },
  })

  app.route({
    method: 'PATCH',
    url: '/categories/:categoryId',
    config: { scope: 'pets:write', operation: operations.renameCategory },
    schema: { params: CategoryPath, body: NewCategory },
    handler: async (request, reply) => {
      const { name } = request.body as NewCategory
      const id = idOf(request)
      const outcome = await database.write(renameCategory, {
        id: readRecordId(id),
        name,
        ifMatch: (request.raw as ApiRequest).head.ifMatch,
        use: useOf(request, `/categories/${id}`, clock),
      })
      sendOutcome(request, reply, outcome, baseUrl)
    },
  })

  app.route({
    method: 'DELETE',
    url: '/categories/:categoryId',
    config: { scope: 'pets:write', operation: operations.deleteCategory },
    schema: { params: CategoryPath },
    handler: async (request, reply) => {
      const id = idOf(request)
      const outcome = await database.write(removeCategory, {
        id: readRecordId(id),
        ifMatch: (request.raw as ApiRequest).head.ifMatch,
        use: useOf(request, `/categories/${id}`, clock),
      })
      sendOutcome(request, reply, outcome, baseUrl)
    },
  })
}
