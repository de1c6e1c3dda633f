// A page of orders, and how many a filter has.
import type { Session } from '../../platform/database/database.ts'
import { readState } from '../database/state.ts'
import { prepareQuery } from '../database/tables.ts'
import type { Position } from '../pages/cursor.ts'
import { type Page, type PageQueries, type Params, pageQueries, readPage } from '../pages/keyset.ts'
import type { ListOrdersQuery } from './schema.ts'

const columns = ['id', 'pet_id', 'status', 'created_at'] as const

const countOfPet = prepareQuery<Params>()((db, param) =>
  db
    .selectFrom('orders')
    .select(({ fn }) => fn.countAll<bigint>().as('orders'))
    .where('pet_id', '=', param('petId') as bigint),
)
const countOfPetByStatus = prepareQuery<Params>()((db, param) =>
  db
    .selectFrom('orders')
    .select(({ fn }) => fn.countAll<bigint>().as('orders'))
    .where('pet_id', '=', param('petId') as bigint)
    .where('status', '=', param('status') as string),
)

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
