// Orders reserve animals. Placing one makes an available animal pending, in one transaction under the lock: of any number of
// clients that order the same animal, one succeeds.
//   placed     from its creation. Approved, delivered or cancelled next.
//   approved   Delivered or cancelled next.
//   delivered  The animal is sold. Final.
//   cancelled  The animal is available again. Final.
import { type Awaitable, type Session, withValue } from '#kit/database/database.ts'
import type { Value } from '#kit/database/query.ts'
import { AppError } from '#kit/errors.ts'
import { setPet } from '../animals/change-pets.ts'
import type { PetStatus } from '../animals/schema.ts'
import type { OrderRow, PetRow } from '../changes/records.ts'
import type { StoreWrite } from '../changes/store-write.ts'
import { readState } from '../database/state.ts'
import type { Use } from '../idempotency/idempotency.ts'
import { listOf, type Page, type Position } from '../operations/pages.ts'
import type { ListOrdersQuery, OrderStatus } from './schema.ts'

/** What an order can be moved to. */
export type Move = Exclude<OrderStatus, 'placed'>

/** What each state may become. */
const next: Record<OrderStatus, OrderStatus[]> = {
  placed: ['approved', 'delivered', 'cancelled'],
  approved: ['delivered', 'cancelled'],
  delivered: [],
  cancelled: [],
}

const orders = listOf('orders', ['id', 'pet_id', 'status', 'created_at'], {
  petId: { column: 'pet_id', type: 'bigint' },
  status: { column: 'status', type: 'text' },
})

/** What a move makes of the animal; an approval leaves it pending. */
const petStatusAfter: Partial<Record<OrderStatus, PetStatus>> = {
  delivered: 'sold',
  cancelled: 'available',
}

export function orderJson(id: Value, petId: Value, status: Value, createdAt: Value): string {
  const moment = new Date(Number(createdAt)).toISOString()
  return `{"id":${id},"petId":${petId},"status":"${status}","createdAt":"${moment}"}`
}

type Columns = Parameters<typeof orderJson>

/** The JSON of an order, or undefined. */
export function findOrder(session: Session, id: bigint): Awaitable<string | undefined> {
  return withValue(orders.find(session, id), (row) => row && orderJson(...(row as Columns)))
}

/** Who asks, and when, in milliseconds since the epoch. */
interface Asked {
  /** Undefined without an Idempotency-Key. */
  use: Use | undefined
  now: number
}

/** Places an order of an available animal. */
export function placeOrder({ now, petId, use }: Asked & { petId: bigint }): StoreWrite {
  return {
    use,
    reads: { pets: [petId] },
    change(records) {
      const pet = records.pets.get(petId)
      if (!pet) return new AppError('pet_not_found', `No animal has the id ${petId}.`)
      if (pet.status !== 'available') {
        return new AppError('pet_not_available', `Animal ${petId} is ${pet.status}, not available.`)
      }
      const order = records.orders.insert({
        pet_id: petId,
        status: 'placed',
        created_at: BigInt(now),
      })
      records.openOrders.set(petId, order.id)
      const body = jsonOf(order)
      records.tell({ type: 'order.placed', petId, data: body }, now)
      setPet(records, { ...pet, status: 'pending' }, now)
      return { status: 201, location: `/store/orders/${order.id}`, body }
    },
  }
}

/** Moves an order on; its animal follows. */
export function moveOrder({
  id,
  now,
  to,
  use,
}: Asked & { id: bigint | undefined; to: Move }): StoreWrite {
  return {
    use,
    reads: id === undefined ? {} : { orders: [id] },
    change(records) {
      const order = id === undefined ? undefined : records.orders.get(id)
      if (!order) return new AppError('order_not_found', 'No order has this id.')
      const { pet_id: petId, status: from } = order
      if (!next[from].includes(to)) {
        const allowed = next[from].join(' or ')
        const why =
          from === to
            ? `is already ${to}`
            : `is ${from} and cannot become ${to}${allowed && `, only ${allowed}`}`
        return new AppError('conflict', `Order ${order.id} ${why}.`)
      }
      const moved = { ...order, status: to }
      records.orders.set(order.id, moved)
      if (to !== 'approved') records.openOrders.delete(petId)
      const body = jsonOf(moved)
      records.tell({ type: `order.${to}`, petId, data: body }, now)
      const status = petStatusAfter[to]
      // An open order holds its animal, so it is there.
      if (status) setPet(records, { ...(records.pets.get(petId) as PetRow), status }, now)
      return { status: 200, location: '', body }
    },
  }
}

const jsonOf = ({ created_at, id, pet_id, status }: OrderRow): string =>
  orderJson(id, pet_id, status, created_at)

/** From counters; the few orders of one animal are counted. */
export async function countOrders(session: Session, query: ListOrdersQuery): Promise<bigint> {
  const { petId, status } = query
  if (petId !== undefined) return await orders.count(session, query)
  const state = await readState(session)
  if (status) return state[status]
  return state.placed + state.approved + state.delivered + state.cancelled
}

export function listOrders(
  session: Session,
  query: ListOrdersQuery,
  position: Position | undefined,
): Awaitable<Page> {
  return orders.read(session, query, query.limit, position)
}
