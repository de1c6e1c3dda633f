// The records that a batch of writes names, read by one statement for each kind, all sent together; and what the batch has
// changed of them, in memory until it is saved.

import type { Session } from '#kit/database/database.ts'
import { isOneOf, joinIds } from '#kit/database/json-rows.ts'
import type { Query } from '#kit/database/query.ts'
import { type OrderStatus, type PetStatus, prepareQuery } from '../database/tables.ts'

export interface PetRecord {
  id: bigint
  name: string
  categoryId: bigint
  status: PetStatus
}

export interface OrderRecord {
  id: bigint
  petId: bigint
  status: OrderStatus
  /** Milliseconds since the epoch. */
  createdAt: bigint
}

export interface CategoryRecord {
  id: bigint
  name: string
}

export const petColumns = ['id', 'name', 'category_id', 'status'] as const
export const orderColumns = ['id', 'pet_id', 'status', 'created_at'] as const

export interface RecordSet<Row extends { id: bigint }> {
  /** Undefined if it does not exist. It must be among those that were read, or inserted. */
  get(id: bigint): Row | undefined
  insert(row: Row): void
  change(row: Row): void
  remove(id: bigint): void
  readonly inserted: ReadonlyMap<bigint, Row>
  readonly changed: ReadonlyMap<bigint, Row>
  readonly removed: ReadonlySet<bigint>
}

export function createRecordSet<Row extends { id: bigint }>(read: Iterable<Row>): RecordSet<Row> {
  const rows = new Map<bigint, Row>()
  for (const row of read) rows.set(row.id, row)
  const inserted = new Map<bigint, Row>()
  const changed = new Map<bigint, Row>()
  const removed = new Set<bigint>()
  return {
    get: (id) => rows.get(id),
    insert(row) {
      rows.set(row.id, row)
      inserted.set(row.id, row)
    },
    change(row) {
      rows.set(row.id, row)
      const kind = inserted.has(row.id) ? inserted : changed
      kind.set(row.id, row)
    },
    remove(id) {
      rows.delete(id)
      changed.delete(id)
      if (!inserted.delete(id)) removed.add(id)
    },
    inserted,
    changed,
    removed,
  }
}

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
