// What the operations on orders do.
import { AppError } from '#kit/errors.ts'
import {
  listRoute,
  readRecordId,
  recordRoute,
  type StoreRoute,
  type WriteRoute,
  writeRoute,
} from '../operations/store-route.ts'
import { operations } from './operations.ts'
import {
  countOrders,
  findOrder,
  listOrders,
  type Move,
  moveOrder,
  orderJson,
  placeOrder,
} from './orders.ts'
import type { ListOrdersQuery } from './schema.ts'

export const orderRoutes = {
  list: listRoute<ListOrdersQuery>(operations.listOrders, {
    filters: ['status', 'petId'],
    read: listOrders,
    count: countOrders,
    toJson: (row) => orderJson(...(row as Parameters<typeof orderJson>)),
  }),
  get: recordRoute(operations.getOrder, {
    find: findOrder,
    missing: () => new AppError('order_not_found', 'No order has this id.'),
  }),
  place: writeRoute(operations.placeOrder, ({ body, now, use }) =>
    placeOrder({ petId: BigInt(body.petId), now, use }),
  ),
  approve: moveRoute(operations.approveOrder, 'approved'),
  deliver: moveRoute(operations.deliverOrder, 'delivered'),
  cancel: moveRoute(operations.cancelOrder, 'cancelled'),
} satisfies Record<string, StoreRoute>

function moveRoute(
  operation:
    | typeof operations.approveOrder
    | typeof operations.cancelOrder
    | typeof operations.deliverOrder,
  to: Move,
): WriteRoute {
  return writeRoute(operation, ({ now, params, use }) =>
    moveOrder({ id: readRecordId(params.orderId), to, now, use }),
  )
}
