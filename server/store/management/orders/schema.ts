// The wire shapes of orders in the management API: the store's own.
import {
  type ListOrdersQuery,
  ListOrdersQuery as ListOrdersQuerySchema,
  type NewOrder,
  NewOrder as NewOrderSchema,
  Order as OrderSchema,
  type OrderStatus,
} from '../../orders/schema.ts'
import { pageOf } from '../paging.ts'
import { resolved } from '../resolved-schema.ts'

export interface Order {
  id: number
  petId: number
  status: OrderStatus
  createdAt: string
}

export const Order = resolved<Order>(OrderSchema)
export const Orders = pageOf(Order, 'Orders', 'How many the filter has.')
export const OrderToPlace = resolved<NewOrder>(NewOrderSchema)
export const ListPlacedOrdersQuery = resolved<ListOrdersQuery>(ListOrdersQuerySchema)
