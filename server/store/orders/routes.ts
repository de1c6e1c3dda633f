// The operations on orders.
import { AppError } from '#kit/errors.ts'
import { readRecordId, storeRoutesOf } from '../operations/store-route.ts'
import {
  countOrders,
  findOrder,
  listOrders,
  type Move,
  moveOrder,
  orderJson,
  placeOrder,
} from './orders.ts'
import { ListOrdersQuery, NewOrder, OperatorOrders, Order, OrderPath, Orders } from './schema.ts'

const route = storeRoutesOf({ tag: 'orders', records: 'orders' })

const placed = { id: 1, petId: 7, status: 'placed', createdAt: '2027-01-01T00:00:00.000Z' }
const experimental = { 'x-stability': 'experimental' } as const

export const orderRoutes = [
  route('GET /store/orders', 'listOrders', {
    summary: 'List store orders',
    description: 'A page of orders, by ascending id, with the same links as the list of animals.',
    query: ListOrdersQuery,
    returns: Orders,
    document: {
      ...experimental,
      answerDescription: 'A page of orders',
      answerExamples: { page: { summary: 'One order', value: [placed] } },
    },
    forOperators: {
      description: 'A page of orders, by ascending id.',
      returns: OperatorOrders,
    },
    list: {
      filters: ['status', 'petId'],
      read: listOrders,
      count: countOrders,
      toJson: (row) => orderJson(...(row as Parameters<typeof orderJson>)),
    },
  }),
  route('GET /store/orders/{orderId}', 'getOrder', {
    summary: 'Get an order',
    description: 'One order by its identifier.',
    params: OrderPath,
    returns: Order,
    errors: ['order_not_found'],
    document: {
      ...experimental,
      answerDescription: 'The requested order',
      answerExamples: { found: { summary: 'The order', value: placed } },
      conditions: { 404: 'There is no such order' },
    },
    record: {
      find: findOrder,
      missing: () => new AppError('order_not_found', 'No order has this id.'),
    },
  }),
  route('POST /store/orders', 'placeOrder', {
    summary: 'Place an order',
    description:
      'Reserves an available animal, which becomes pending: of all who order the same animal at once, one gets it.',
    body: NewOrder,
    status: 201,
    returns: Order,
    errors: ['pet_not_found', 'pet_not_available'],
    document: {
      ...experimental,
      bodyExamples: { order: { summary: 'An order of animal 7', value: { petId: 7 } } },
      answerDescription: 'Order placed; the body carries the assigned id',
      answerExamples: { placed: { summary: 'The order', value: placed } },
      conditions: { 404: 'There is no such animal', 409: 'The animal is not available' },
    },
    write: ({ body, now, use }) => placeOrder({ petId: BigInt(body.petId), now, use }),
  }),
  moveRoute('approve', 'approved', {
    summary: 'Approve an order',
    description: 'A placed order becomes approved. Its animal stays pending.',
  }),
  moveRoute('deliver', 'delivered', {
    summary: 'Deliver an order',
    description: 'A placed or approved order becomes delivered, and its animal sold.',
  }),
  moveRoute('cancel', 'cancelled', {
    summary: 'Cancel an order',
    description: 'A placed or approved order becomes cancelled, and its animal available again.',
  }),
] as const

function moveRoute<Action extends string>(
  action: Action,
  to: Move,
  texts: { summary: string; description: string },
) {
  return route(`POST /store/orders/{orderId}/${action}`, `${action}Order`, {
    ...texts,
    params: OrderPath,
    returns: Order,
    errors: ['order_not_found', 'conflict'],
    document: {
      ...experimental,
      answerDescription: 'The order as it is now',
      answerExamples: { moved: { summary: 'The order', value: { ...placed, status: to } } },
      conditions: {
        404: 'There is no such order',
        409: 'The order is in a state that cannot become this',
      },
    },
    write: ({ now, params, use }) =>
      moveOrder({ id: readRecordId((params as { orderId: string }).orderId), to, now, use }),
  })
}
