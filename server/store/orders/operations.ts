// The operations on orders.
import { declareStoreOperations } from '../operations/store-operation.ts'
import { ListOrdersQuery, NewOrder, Order, OrderPath, Orders } from './schema.ts'

const placed = { id: 1, petId: 7, status: 'placed', createdAt: '2027-01-01T00:00:00.000Z' }
const experimental = { 'x-stability': 'experimental' } as const

const change = {
  params: OrderPath,
  returns: Order,
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

export const operations = declareStoreOperations(
  { tag: 'orders', records: 'orders' },
  {
    listOrders: {
      route: 'GET /store/orders',
      summary: 'List store orders',
      description: 'A page of orders, by ascending id, with the same links as the list of animals.',
      query: ListOrdersQuery,
      returns: Orders,
      document: {
        ...experimental,
        answerDescription: 'A page of orders',
        answerExamples: { page: { summary: 'One order', value: [placed] } },
      },
    },
    getOrder: {
      route: 'GET /store/orders/{orderId}',
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
    },
    placeOrder: {
      route: 'POST /store/orders',
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
    },
    approveOrder: {
      ...change,
      route: 'POST /store/orders/{orderId}/approve',
      summary: 'Approve an order',
      description: 'A placed order becomes approved. Its animal stays pending.',
      document: documentOf('approved'),
    },
    deliverOrder: {
      ...change,
      route: 'POST /store/orders/{orderId}/deliver',
      summary: 'Deliver an order',
      description: 'A placed or approved order becomes delivered, and its animal sold.',
      document: documentOf('delivered'),
    },
    cancelOrder: {
      ...change,
      route: 'POST /store/orders/{orderId}/cancel',
      summary: 'Cancel an order',
      description: 'A placed or approved order becomes cancelled, and its animal available again.',
      document: documentOf('cancelled'),
    },
  },
)
