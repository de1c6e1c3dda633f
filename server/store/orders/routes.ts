// The operations on orders: validate, call, reply.
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../platform/errors.ts'
import { readRecordId } from '../database/record-id.ts'
import type { Environment } from '../environment.ts'
import { sendOutcome, useOf } from '../idempotency/guarded-write.ts'
import type { Operation } from '../openapi/operation.ts'
import { listRoute } from '../pages/list-route.ts'
import { idOf, recordRoute } from '../pages/record-route.ts'
import { countOrders, listOrders } from './list-orders.ts'
import { operations } from './operations.ts'
import { findOrder, type Move, moveOrder, orderJson, placeOrder } from './orders.ts'
import { ListOrdersQuery, NewOrder, OrderPath } from './schema.ts'

export function orderRoutes(app: FastifyInstance, environment: Environment): void {
  const { baseUrl, clock, database } = environment
  const path = '/store/orders'

  listRoute<ListOrdersQuery>(app, environment, {
    path,
    scope: 'orders:read',
    operation: operations.listOrders,
    querystring: ListOrdersQuery,
    filters: ['status', 'petId'],
    read: listOrders,
    count: countOrders,
    toJson: (rows) =>
      `[${rows.map((row) => orderJson(...(row as Parameters<typeof orderJson>))).join()}]`,
  })

  recordRoute(app, environment, {
    url: `${path}/:orderId`,
    scope: 'orders:read',
    operation: operations.getOrder,
    params: OrderPath,
    find: findOrder,
    missing: () => new AppError('order_not_found', 'No order has this id.'),
  })

  app.route({
    method: 'POST',
    url: path,
    config: { scope: 'orders:write', operation: operations.placeOrder },
    schema: { body: NewOrder },
    handler: async (request, reply) => {
      const petId = BigInt((request.body as NewOrder).petId)
      const use = useOf(request, path, clock)
      const outcome = await database.write(placeOrder, { petId, now: clock(), use })
      sendOutcome(request, reply, outcome, baseUrl)
    },
  })

  const moves: [verb: string, to: Move, operation: Operation][] = [
    ['approve', 'approved', operations.approveOrder],
    ['deliver', 'delivered', operations.deliverOrder],
    ['cancel', 'cancelled', operations.cancelOrder],
  ]
  for (const [verb, to, operation] of moves) {
    app.route({
      method: 'POST',
      url: `${path}/:orderId/${verb}`,
      config: { scope: 'orders:write', operation },
      schema: { params: OrderPath },
      handler: async (request, reply) => {
        const id = idOf(request)
        const use = useOf(request, `${path}/${id}/${verb}`, clock)
        const move = { id: readRecordId(id), to, use, now: clock() }
        const outcome = await database.write(moveOrder, move)
        sendOutcome(request, reply, outcome, baseUrl)
      },
    })
  }
}
