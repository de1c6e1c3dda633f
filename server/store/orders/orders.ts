// Orders reserve animals. Placing one makes an available animal pending, in one transaction under the
// lock: of any number of clients that order the same animal, one gets it.
//   placed → approved → delivered (the animal is sold)
//   placed, approved → cancelled (the animal is available again); placed → delivered
import type { Session } from '../../platform/database/database.ts'
import type { Value } from '../../platform/database/query.ts'
import { AppError } from '../../platform/errors.ts'
import { setPet } from '../animals/change-pets.ts'
import { findPet } from '../animals/list-pets.ts'
import type { PetStatus } from '../animals/schema.ts'
import { changeState, readState } from '../database/state.ts'
import { prepareInsert, prepareQuery } from '../database/tables.ts'
import { type Guarded, guarded } from '../idempotency/guarded-write.ts'
import type { RecordedAnswer } from '../idempotency/idempotency.ts'
import type { Position } from '../pages/cursor.ts'
import { type Page, type PageQueries, type Params, pageQueries, readPage } from '../pages/keyset.ts'
import { recordEvents } from '../webhooks/record-events.ts'
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

const columns = ['id', 'pet_id', 'status', 'created_at'] as const

const byId = prepareQuery<{ id: bigint }>()((db, param) =>
  db.selectFrom('orders').select(columns).where('id', '=', param('id')),
)
const insert = prepareInsert('orders', columns)
const setStatus = prepareQuery<{ id: bigint; status: string }>()((db, param) =>
  db
    .updateTable('orders')
    .set({ status: param('status') })
    .where('id', '=', param('id')),
)

/** What a move makes of the animal; an approval leaves it pending. */
const petStatusAfter: Partial<Record<OrderStatus, PetStatus>> = {
  delivered: 'sold',
  cancelled: 'available',
}

type PetRow = [id: bigint, name: string, category: bigint, status: PetStatus]
type OrderRow = [id: bigint, petId: bigint, status: OrderStatus, createdAt: bigint]

export function orderJson(id: Value, petId: Value, status: Value, createdAt: Value): string {
  const moment = new Date(Number(createdAt)).toISOString()
  return `{"id":${id},"petId":${petId},"status":"${status}","createdAt":"${moment}"}`
}

/** The JSON of an order, or undefined. */
export async function findOrder(session: Session, id: bigint): Promise<string | undefined> {
  const [row] = await session.tuples(byId, { id })
  return row && orderJson(...(row as OrderRow))
}

/** Places an order of an available animal. */
export const placeOrder = guarded(
  async (
    session,
    { petId, now }: Guarded & { petId: bigint; now: number },
  ): Promise<RecordedAnswer | AppError> => {
    const pet = await findPet(session, petId)
    if (!pet) return new AppError('pet_not_found', `No animal has the id ${petId}.`)
    const [, , , status] = pet as PetRow
    if (status !== 'available') {
      return new AppError('pet_not_available', `Animal ${petId} is ${status}, not available.`)
    }
    const state = await changeState(session, { last_order_id: 1, placed: 1 })
    const id = state.last_order_id
    await session.all(insert, { id, pet_id: petId, status: 'placed', created_at: now })
    const body = orderJson(id, petId, 'placed', now)
    await recordEvents(session, state, now, () => [{ type: 'order.placed', petId, data: body }])
    await movePet(session, pet, 'pending', now)
    return { status: 201, location: `/store/orders/${id}`, body }
  },
)

/** Moves an order on; its animal follows. */
export const moveOrder = guarded(
  async (
    session,
    { id, to, now }: Guarded & { id: bigint | undefined; to: Move; now: number },
  ): Promise<RecordedAnswer | AppError> => {
    const [row] = id === undefined ? [] : await session.tuples(byId, { id })
    if (!row) return new AppError('order_not_found', 'No order has this id.')
    const [orderId, petId, from, createdAt] = row as OrderRow
    if (!next[from].includes(to)) {
      const allowed = next[from].length === 0 ? 'nothing else' : next[from].join(' or ')
      return new AppError(
        'conflict',
        `Order ${orderId} is ${from}; it can become ${allowed}, not ${to}.`,
      )
    }
    await session.all(setStatus, { id: orderId, status: to })
    const state = await changeState(session, { [from]: -1, [to]: 1 })
    const body = orderJson(orderId, petId, to, createdAt)
    await recordEvents(session, state, now, () => [{ type: `order.${to}`, petId, data: body }])
    const petStatus = petStatusAfter[to]
    if (petStatus) {
      // An open order holds its animal, so it is there.
      await movePet(session, (await findPet(session, petId)) as Value[], petStatus, now)
    }
    return { status: 200, location: '', body }
  },
)

async function movePet(session: Session, pet: Value[], to: PetStatus, now: number): Promise<void> {
  const [id, name, category, before] = pet as PetRow
  await setPet(session, { id, name, category, status: to }, before, now)
}

const countOf = (byStatus: boolean) =>
  prepareQuery<Params>()((db, param) =>
    db
      .selectFrom('orders')
      .select(({ fn }) => fn.countAll<bigint>().as('orders'))
      .where('pet_id', '=', param('petId') as bigint)
      .$if(byStatus, (query) => query.where('status', '=', param('status') as string)),
  )
const countOfPet = countOf(false)
const countOfPetByStatus = countOf(true)

export async function listOrders(
  session: Session,
  query: ListOrdersQuery,
  position: Position | undefined,
): Promise<Page> {
  return await readPage(session, queriesOf(query), paramsOf(query), query.limit, position)
}

/** From counters; the few orders of one animal are counted. */
export async function countOrders(session: Session, query: ListOrdersQuery): Promise<bigint> {
  const { petId, status } = query
  if (petId === undefined) {
    const state = await readState(session)
    if (status) return state[status]
    return state.placed + state.approved + state.delivered + state.cancelled
  }
  const count = status ? countOfPetByStatus : countOfPet
  const [row] = await session.all(count, paramsOf(query))
  return BigInt(row?.orders ?? 0)
}

function paramsOf({ petId, status }: ListOrdersQuery): Params {
  return {
    ...(petId === undefined ? {} : { petId: BigInt(petId) }),
    ...(status ? { status } : {}),
  }
}

const known = new Map<string, PageQueries>()

function queriesOf({ petId, status }: ListOrdersQuery): PageQueries {
  const shape = `${petId !== undefined} ${status !== undefined}`
  let queries = known.get(shape)
  if (!queries) {
    queries = pageQueries(({ compare, order }) =>
      prepareQuery<Params>()((db, param) =>
        db
          .selectFrom('orders')
          .select(columns)
          .where('id', compare, param('id') as bigint)
          .$if(status !== undefined, (q) => q.where('status', '=', param('status') as string))
          .$if(petId !== undefined, (q) => q.where('pet_id', '=', param('petId') as bigint))
          .orderBy('id', order)
          .limit(param('limit') as bigint),
      ),
    )
    known.set(shape, queries)
  }
  return queries
}
