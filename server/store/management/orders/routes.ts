// The operations of an operator on orders: validate, call, reply.
import { parseToWrite } from '../../../platform/json/exact-integer.ts'
import { type Route, route } from '../../../platform/management/route.ts'
import { getEnvironmentName, type StoreManagement } from '../../database/environment-name.ts'
import { readRecordId } from '../../database/record-id.ts'
import { countOrders, listOrders } from '../../orders/list-orders.ts'
import { type Move, moveOrder, orderJson, placeOrder } from '../../orders/orders.ts'
import type { NewOrder } from '../../orders/schema.ts'
import { pageAnswer, readPosition } from '../paging.ts'
import { bodyOf } from '../versioned.ts'
import * as operations from './operations.ts'
import type { Order } from './schema.ts'

export function orderRoutes({ clock, databases }: StoreManagement): Route[] {
  async function move(params: { environment: string; orderId: string }, to: Move): Promise<Order> {
    const database = databases[getEnvironmentName(params)]
    const id = readRecordId(params.orderId)
    const moved = await database.write(moveOrder, { id, to, use: undefined, now: clock() })
    return orderOf(bodyOf(moved).body)
  }

  return [
    route(operations.listOrders, async ({ params, query }) => {
      const name = getEnvironmentName(params)
      const { read } = databases[name]
      const seal = `${name} orders ${query.status ?? ''} ${query.petId ?? ''}`
      const page = await listOrders(read, query, readPosition(query.cursor, seal))
      const show = (row: unknown[]) => orderOf(orderJson(...(row as Parameters<typeof orderJson>)))
      return pageAnswer(page, seal, show, await countOrders(read, query))
    }),
    route(operations.placeOrder, async ({ body, params }) => {
      const database = databases[getEnvironmentName(params)]
      const petId = BigInt((body as NewOrder).petId)
      const placed = await database.write(placeOrder, { petId, use: undefined, now: clock() })
      return orderOf(bodyOf(placed).body)
    }),
    route(operations.approveOrder, ({ params }) => move(params, 'approved')),
    route(operations.deliverOrder, ({ params }) => move(params, 'delivered')),
    route(operations.cancelOrder, ({ params }) => move(params, 'cancelled')),
  ]
}

function orderOf(json: string): Order {
  return parseToWrite(json) as Order
}
