// Reads the records that a batch of writes names: one statement for each kind, all sent together.
import type { Session } from '#kit/database/database.ts'
import { isOneOf, joinIds } from '#kit/database/json-rows.ts'
import type { Query } from '#kit/database/query.ts'
import { prepareQuery } from '../database/tables.ts'
import {
  type CategoryRecord,
  createRecordSet,
  type OrderRecord,
  orderColumns,
  type PetRecord,
  petColumns,
  type RecordSet,
} from './record-set.ts'

/** Ids of the records that a write reads. */
export interface Reads {
  pets?: bigint[]
  /** Animals whose open orders it reads. */
  heldPets?: bigint[]
  /** Orders, with their animals. */
  orders?: bigint[]
  categories?: bigint[]
}

export interface Read {
  pets: RecordSet<PetRecord>
  orders: RecordSet<OrderRecord>
  categories: RecordSet<CategoryRecord>
  /** Of the animals whose open orders are read: the id of the order. */
  openOrders: Map<bigint, bigint>
}

/** All statements are sent before it waits. */
export async function readRecords(session: Session, reads: Reads[]): Promise<Read> {
  const find = <Row>(query: Query<Ids, Row>, kind: keyof Reads) => {
    const ids = new Set(reads.flatMap((read) => read[kind] ?? []))
    return ids.size === 0 ? [] : session.all(query, { ids: joinIds(ids) })
  }
  const [pets, petsOfOrders, orders, held, categories] = await Promise.all([
    find(petsById, 'pets'),
    find(petsByOrder, 'orders'),
    find(ordersById, 'orders'),
    find(openOrdersByPet, 'heldPets'),
    find(categoriesById, 'categories'),
  ])
  return {
    pets: createRecordSet(
      [...pets, ...petsOfOrders].map(({ category_id: categoryId, id, name, status }) => ({
        id,
        name,
        categoryId,
        status,
      })),
    ),
    orders: createRecordSet(
      orders.map(({ created_at: createdAt, id, pet_id: petId, status }) => ({
        id,
        petId,
        status,
        createdAt,
      })),
    ),
    categories: createRecordSet(categories),
    openOrders: new Map(held.map((order) => [order.pet_id, order.id])),
  }
}

type Ids = { ids: string }

const petsById = prepareQuery<Ids>()((db, param) =>
  db
    .selectFrom('pets')
    .select(petColumns)
    .where(isOneOf(db, 'id', param('ids'))),
)
const petsByOrder = prepareQuery<Ids>()((db, param) =>
  db
    .selectFrom('pets')
    .select(petColumns)
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('orders')
        .select('pet_id')
        .where(isOneOf(db, 'orders.id', param('ids'))),
    ),
)
const ordersById = prepareQuery<Ids>()((db, param) =>
  db
    .selectFrom('orders')
    .select(orderColumns)
    .where(isOneOf(db, 'id', param('ids'))),
)
const openOrdersByPet = prepareQuery<Ids>()((db, param) =>
  db
    .selectFrom('orders')
    .select(['id', 'pet_id'])
    .where(isOneOf(db, 'pet_id', param('ids')))
    .where('status', 'in', ['placed', 'approved']),
)
const categoriesById = prepareQuery<Ids>()((db, param) =>
  db
    .selectFrom('categories')
    .select(['id', 'name'])
    .where(isOneOf(db, 'id', param('ids'))),
)
