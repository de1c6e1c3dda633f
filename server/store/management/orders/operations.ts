// The operations of an operator on orders, as the management API declares them.
import { operation } from '../../../platform/management/operation.ts'
import { ListPlacedOrdersQuery, Order, Orders, OrderToPlace } from './schema.ts'

const common = { tag: 'orders', access: 'operator' } as const
const move = {
  ...common,
  scope: 'store:write',
  status: 200,
  answer: Order,
  errors: ['route_not_found', 'order_not_found', 'conflict'],
} as const

export const listOrders = operation({
  ...common,
  route: 'GET /store/{environment}/orders',
  operationId: 'listOrders',
  summary: 'List orders',
  scope: 'store:read',
  query: ListPlacedOrdersQuery,
  status: 200,
  answer: Orders,
  errors: ['route_not_found', 'invalid_cursor'],
})

export const placeOrder = operation({
  ...common,
  route: 'POST /store/{environment}/orders',
  operationId: 'placeOrder',
  summary: 'Place an order of an available animal',
  scope: 'store:write',
  body: OrderToPlace,
  status: 201,
  answer: Order,
  errors: ['route_not_found', 'pet_not_found', 'pet_not_available'],
})

export const approveOrder = operation({
  ...move,
  route: 'POST /store/{environment}/orders/{orderId}/approve',
  operationId: 'approveOrder',
  summary: 'Approve an order',
})

export const deliverOrder = operation({
  ...move,
  route: 'POST /store/{environment}/orders/{orderId}/deliver',
  operationId: 'deliverOrder',
  summary: 'Deliver an order; its animal is sold',
})

export const cancelOrder = operation({
  ...move,
  route: 'POST /store/{environment}/orders/{orderId}/cancel',
  operationId: 'cancelOrder',
  summary: 'Cancel an order; its animal is available again',
})
