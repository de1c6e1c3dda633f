// The wire shapes of orders.
import { type Static, Type } from 'typebox'
import { cursor, type ListQuery, limitOf } from '../pages/schema.ts'

export const OrderStatus = Type.Enum(['placed', 'approved', 'delivered', 'cancelled'], {
  $id: 'OrderStatus',
  type: 'string',
  description: 'State of an order. Placed and approved orders are open: they hold their animal.',
})
export type OrderStatus = Static<typeof OrderStatus>

const petId = Type.Integer({
  format: 'int64',
  description: 'Identifier of the animal that is ordered.',
  examples: [1],
})

export const NewOrder = Type.Object(
  { petId },
  { $id: 'NewOrder', description: 'An order to place. Fields that are not listed are ignored.' },
)
export interface NewOrder {
  petId: number | bigint
}

export const Order = Type.Object(
  {
    id: Type.Integer({
      format: 'int64',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Unique identifier, assigned by the service; ascending, never given twice.',
      examples: [1],
    }),
    petId,
    status: Type.Ref('OrderStatus'),
    createdAt: Type.String({
      format: 'date-time',
      readOnly: true,
      description: 'When it was placed (RFC 3339, UTC).',
      examples: ['2027-01-01T00:00:00.000Z'],
    }),
  },
  { $id: 'Order', description: 'An order of one animal.' },
)

export const Orders = Type.Array(Type.Ref('Order'), {
  $id: 'Orders',
  description: 'A page of orders.',
  maxItems: 100,
})

export const OrderPath = Type.Object({
  orderId: Type.Integer({
    format: 'int64',
    description: 'Identifier of the order.',
    examples: [1],
  }),
})

export const ListOrdersQuery = Type.Object({
  limit: limitOf('orders'),
  status: Type.Optional({ ...Type.Ref('OrderStatus'), description: 'Filter by state.' }),
  petId: Type.Optional(
    Type.Integer({ format: 'int64', description: 'Only the orders of this animal.' }),
  ),
  cursor,
})

export interface ListOrdersQuery extends ListQuery {
  status?: OrderStatus
  petId?: number | bigint
}
