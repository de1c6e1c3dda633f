// The wire shapes of orders.
import { type Static, Type } from 'typebox'
import { described, int64 } from '#kit/schema/described-schema.ts'
import {
  assignedId,
  cursor,
  limitOf,
  operatorPageOf,
  pageOf,
  pathOf,
} from '../operations/shared-schema.ts'

export const OrderStatus = Type.Enum(['placed', 'approved', 'delivered', 'cancelled'], {
  $id: 'OrderStatus',
  type: 'string',
  description: 'State of an order. Placed and approved orders are open: they hold their animal.',
})
export type OrderStatus = Static<typeof OrderStatus>

const petId = { description: 'Identifier of the animal that is ordered.', examples: [1] }

export const NewOrder = Type.Object(
  { petId: int64(petId) },
  { $id: 'NewOrder', description: 'An order to place. Fields that are not listed are ignored.' },
)
export type NewOrder = Static<typeof NewOrder>

export const Order = Type.Object(
  {
    id: assignedId('Unique identifier, assigned by the service; ascending, never given twice.'),
    petId: Type.Integer({ format: 'int64', ...petId }),
    status: OrderStatus,
    createdAt: Type.String({
      format: 'date-time',
      readOnly: true,
      description: 'When it was placed (RFC 3339, UTC).',
      examples: ['2027-01-01T00:00:00.000Z'],
    }),
  },
  { $id: 'Order', description: 'An order of one animal.' },
)

export type Order = Static<typeof Order>

export const Orders = pageOf(Order, 'Orders', 'orders')

export const OperatorOrders = operatorPageOf(
  Order,
  'Orders',
  'Number of records that match the filter.',
)

export const OrderPath = pathOf('orderId', 'order')

export const ListOrdersQuery = Type.Object({
  limit: limitOf('orders'),
  status: Type.Optional(described(OrderStatus, 'Filter by state.')),
  petId: Type.Optional(int64({ description: 'Only the orders of this animal.' })),
  cursor,
})

export type ListOrdersQuery = Static<typeof ListOrdersQuery>
