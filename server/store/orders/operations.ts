// The operations on orders.
import { listOperation, recordOperation, writeOperation } from '../operations/store-operation.ts'
import { ListOrdersQuery, NewOrder, Order, OrderPath, Orders } from './schema.ts'

const placed = { id: 1, petId: 7, status: 'placed', createdAt: '2027-01-01T00:00:00.000Z' }
const read = { tag: 'orders', scope: 'orders:read' } as const
const write = { tag: 'orders', scope: 'orders:write' } as const
const experimental = { 'x-stability': 'experimental' } as const

export const listOrders = listOperation({
  ...read,
  route: 'GET /store/orders',
  operationId: 'listOrders',
  summary: 'List store orders',
  description: 'A page of orders, by ascending id, with the same links as the list of animals.',
  query: ListOrdersQuery,
  answer: Orders,
  document: {
    ...experimental,
    answerDescription: 'A page of orders',
    answerExamples: { page: { summary: 'One order', value: [placed] } },
  },
})

export const getOrder = recordOperation({
  ...read,
  route: 'GET /store/orders/{orderId}',
  operationId: 'getOrder',
  summary: 'Get an order',
  description: 'One order by its identifier.',
  params: OrderPath,
  answer: Order,
  errors: ['order_not_found'],
  document: {
    ...experimental,
    answerDescription: 'The requested order',
    answerExamples: { found: { summary: 'The order', value: placed } },
    conditions: { 404: 'There is no such order' },
  },
})

export const placeOrder = writeOperation({
  ...write,
  route: 'POST /store/orders',
  operationId: 'placeOrder',
  summary: 'Place an order',
  description:
    'Reserves an available animal, which becomes pending: of all who order the same animal at once, one gets it.',
  body: NewOrder,
  status: 201,
  answer: Order,
  errors: ['pet_not_found', 'pet_not_available'],
  document: {
    ...experimental,
    bodyExamples: { order: { summary: 'An order of animal 7', value: { petId: 7 } } },
    answerDescription: 'Order placed; the body carries the assigned id',
    answerExamples: { placed: { summary: 'The order', value: placed } },
    conditions: { 404: 'There is no such animal', 409: 'The animal is not available' },
  },
})

const change = {
  ...write,
  params: OrderPath,
  status: 200,
  answer: Order,
  errors: ['order_not_found', 'conflict'],
} as const
const documentOf = (status: string) => ({
  ...experimental,
  answerDescription: 'The order as it is now',
  answerExamples: { moved: { summary: 'The order', value: { ...placed, status } } },
  conditions: {
    404: 'There is no such order',
    409: 'The order is in a state that cannot become this',
  },
})

export const approveOrder = writeOperation({
  ...change,
  route: 'POST /store/orders/{orderId}/approve',
  operationId: 'approveOrder',
  summary: 'Approve an order',
  description: 'A placed order becomes approved. Its animal stays pending.',
  document: documentOf('approved'),
})

export const deliverOrder = writeOperation({
  ...change,
  route: 'POST /store/orders/{orderId}/deliver',
  operationId: 'deliverOrder',
  summary: 'Deliver an order',
  description: 'A placed or approved order becomes delivered, and its animal sold.',
  document: documentOf('delivered'),
})

export const cancelOrder = writeOperation({
  ...change,
  route: 'POST /store/orders/{orderId}/cancel',
  operationId: 'cancelOrder',
  summary: 'Cancel an order',
  description: 'A placed or approved order becomes cancelled, and its animal available again.',
  document: documentOf('cancelled'),
})
