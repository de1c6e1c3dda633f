// What the OpenAPI document says of the operations on orders, beyond their schemas.
import type { Operation } from '../openapi/operation.ts'
import { bodyConditions, bodyErrors, pageHeaders } from '../openapi/operation-parts.ts'

const placed = { id: 1, petId: 7, status: 'placed', createdAt: '2027-01-01T00:00:00.000Z' }
const common = { tags: ['orders'], 'x-stability': 'experimental' } as const

const listOrders: Operation = {
  ...common,
  operationId: 'listOrders',
  summary: 'List store orders',
  description: 'A page of orders, by ascending id, with the same links as the list of animals.',
  requestHeaders: ['Prefer', 'If-None-Match', 'X-Request-Id'],
  success: {
    status: 200,
    description: 'A page of orders',
    schema: 'Orders',
    headers: [...pageHeaders],
    examples: { page: { summary: 'One order', value: [placed] } },
  },
  errors: ['invalid_parameter', 'invalid_cursor'],
  conditions: { 400: 'A parameter is out of range, repeated, empty or of an unknown value' },
}

const getOrder: Operation = {
  ...common,
  operationId: 'getOrder',
  summary: 'Get an order',
  description: 'One order by its identifier.',
  requestHeaders: ['If-None-Match', 'X-Request-Id'],
  success: {
    status: 200,
    description: 'The requested order',
    schema: 'Order',
    headers: ['ETag', 'Vary', 'Content-Encoding'],
    examples: { found: { summary: 'The order', value: placed } },
  },
  errors: ['order_not_found'],
  conditions: { 404: 'There is no such order' },
}

const placeOrder: Operation = {
  ...common,
  operationId: 'placeOrder',
  summary: 'Place an order',
  description:
    'Reserves an available animal, which becomes pending: of all who order the same animal at once, one gets it.',
  requestHeaders: ['Idempotency-Key', 'X-Request-Id'],
  bodyExamples: { order: { summary: 'An order of animal 7', value: { petId: 7 } } },
  success: {
    status: 201,
    description: 'Order placed; the body carries the assigned id',
    schema: 'Order',
    headers: ['Vary', 'Location', 'ETag', 'Idempotent-Replayed'],
    examples: { placed: { summary: 'The order', value: placed } },
  },
  errors: [...bodyErrors, 'pet_not_found', 'pet_not_available'],
  conditions: {
    ...bodyConditions,
    404: 'There is no such animal',
    409: 'The animal is not available',
  },
}

const move = (verb: string, status: string, summary: string, description: string): Operation => ({
  ...common,
  operationId: `${verb}Order`,
  summary,
  description,
  requestHeaders: ['Idempotency-Key', 'X-Request-Id'],
  success: {
    status: 200,
    description: 'The order as it is now',
    schema: 'Order',
    headers: ['Vary', 'ETag', 'Idempotent-Replayed'],
    examples: { moved: { summary: 'The order', value: { ...placed, status } } },
    conditional: false,
  },
  errors: ['order_not_found', 'conflict', 'invalid_idempotency_key', 'idempotency_key_reused'],
  conditions: {
    404: 'There is no such order',
    409: 'The order is in a state that cannot become this',
    422: 'The Idempotency-Key belongs to another request',
  },
})

export const operations = {
  listOrders,
  getOrder,
  placeOrder,
  approveOrder: move(
    'approve',
    'approved',
    'Approve an order',
    'A placed order becomes approved. Its animal stays pending.',
  ),
  deliverOrder: move(
    'deliver',
    'delivered',
    'Deliver an order',
    'A placed or approved order becomes delivered, and its animal sold.',
  ),
  cancelOrder: move(
    'cancel',
    'cancelled',
    'Cancel an order',
    'A placed or approved order becomes cancelled, and its animal available again.',
  ),
}
