// What a batch of writes works on: the records that its writes name, read under the lock by one statement for each kind, all
// sent together; changed in memory; and saved without waiting, so that the statements leave together with the commit.

import { sql } from 'kysely'
import type { WriteSession } from '#kit/database/database.ts'
import { insertionsOf } from '#kit/database/insert-rows.ts'
import { isOneOf, joinIds, jsonRows, rowsToJson } from '#kit/database/json-rows.ts'
import type { Query } from '#kit/database/query.ts'
import { changeState, lockAndReadState, type StateChange } from '../database/state.ts'
import { prepareQuery, type StoreTables } from '../database/tables.ts'
import { recordEvents, type StoreEvent } from './record-events.ts'

export type PetRow = StoreTables['pets']
export type OrderRow = StoreTables['orders']
export type CategoryRow = StoreTables['categories']
type Kind = 'pets' | 'orders' | 'categories'

/** Ids of the records that a write reads. */
export interface Reads {
  pets?: bigint[]
  /** Animals whose open orders it reads. */
  heldPets?: bigint[]
  /** Orders, with their animals. */
  orders?: bigint[]
  categories?: bigint[]
}

/** The records; changes keep the counters and the last ids. */
export type Records = Awaited<ReturnType<typeof openRecords>>['records']

/** Takes the lock and reads records, in one round trip: all statements are sent before it waits. */
export async function openRecords(session: WriteSession, reads: Reads[] = []) {
  const find = <Row>(query: Query<Ids, Row>, kind: keyof Reads) => {
    const ids = new Set(reads.flatMap((read) => read[kind] ?? []))
    return ids.size === 0 ? [] : session.all(query, { ids: joinIds(ids) })
  }
  const [state, readPets, petsOfOrders, readOrders, held, readCategories] = await Promise.all([
    lockAndReadState(session),
    find(kinds.pets.byId, 'pets'),
    find(petsByOrder, 'orders'),
    find(kinds.orders.byId, 'orders'),
    find(openOrdersByPet, 'heldPets'),
    find(kinds.categories.byId, 'categories'),
  ])
  const pets = createRecordSet([...readPets, ...petsOfOrders])
  const orders = createRecordSet(readOrders)
  const categories = createRecordSet(readCategories)
  /** Of the animals whose open orders are read: the id of the order. */
  const openOrders = new Map(held.map((order) => [order.pet_id, order.id]))
  const changes: StateChange = {}
  const events: { event: StoreEvent; at: number }[] = []
  let isChanged = false
  const add = (counter: keyof StateChange, count: number): void => {
    changes[counter] = (changes[counter] ?? 0) + count
    isChanged = true
  }
  const nextId = (counter: 'last_pet_id' | 'last_order_id' | 'last_category_id'): bigint => {
    add(counter, 1)
    return state[counter] + BigInt(changes[counter] ?? 0)
  }
  const records = {
    /** Those that were read, or inserted; undefined if it does not exist. */
    pets: { get: pets.get },
    orders: { get: orders.get },
    categories: { get: categories.get },
    /** The id of the open order of one of the `heldPets`. */
    openOrderOf: (petId: bigint) => openOrders.get(petId),
    /** Assigns the next id. */
    insertPet(given: Omit<PetRow, 'id'>): PetRow {
      const pet = { id: nextId('last_pet_id'), ...given }
      add(pet.status, 1)
      pets.insert(pet)
      return pet
    },
    changePet(pet: PetRow): void {
      const before = pets.get(pet.id) as PetRow
      add(before.status, -1)
      add(pet.status, 1)
      pets.change(pet)
    },
    removePet({ id, status }: PetRow): void {
      add(status, -1)
      pets.remove(id)
    },
    /** Assigns the next id. */
    insertOrder(given: Omit<OrderRow, 'id'>): OrderRow {
      const order = { id: nextId('last_order_id'), ...given }
      add(order.status, 1)
      openOrders.set(order.pet_id, order.id)
      orders.insert(order)
      return order
    },
    changeOrder(order: OrderRow): void {
      const before = orders.get(order.id) as OrderRow
      add(before.status, -1)
      add(order.status, 1)
      const isOpen = order.status === 'placed' || order.status === 'approved'
      if (!isOpen) openOrders.delete(order.pet_id)
      orders.change(order)
    },
    /** Assigns the next id. */
    insertCategory(given: Omit<CategoryRow, 'id'>): CategoryRow {
      const category = { id: nextId('last_category_id'), ...given }
      add('categories', 1)
      categories.insert(category)
      return category
    },
    changeCategory(category: CategoryRow): void {
      isChanged = true
      categories.change(category)
    },
    removeCategory(id: bigint): void {
      add('categories', -1)
      categories.remove(id)
    },
    /** For the webhooks. `at` is in milliseconds since the epoch. */
    tell(event: StoreEvent, at: number): void {
      if (state.active_webhooks > 0n) events.push({ event, at })
    },
  }
  /** Writes down what was changed, without waiting. */
  function save(): void {
    if (!isChanged) return
    kinds.pets.save(session, pets)
    kinds.orders.save(session, orders)
    kinds.categories.save(session, categories)
    if (events.length > 0) {
      changes.last_event_id = events.length
      recordEvents(session, state.last_event_id + 1n, events)
    }
    changeState(session, changes)
  }
  return { records, state, save }
}

type RecordSet<Row extends { id: bigint }> = ReturnType<typeof createRecordSet<Row>>

/** The records of a kind, and what the batch has changed of them. */
function createRecordSet<Row extends { id: bigint }>(read: Row[]) {
  const stored = new Map(read.map((row) => [row.id, row]))
  const rows = new Map(stored)
  const changes = new Map<bigint, 'insert' | 'update' | 'delete'>()
  return {
    get: (id: bigint) => rows.get(id),
    insert(row: Row): void {
      rows.set(row.id, row)
      changes.set(row.id, 'insert')
    },
    change(row: Row): void {
      rows.set(row.id, row)
      if (changes.get(row.id) !== 'insert') changes.set(row.id, 'update')
    },
    remove(id: bigint): void {
      rows.delete(id)
      if (changes.get(id) === 'insert') changes.delete(id)
      else changes.set(id, 'delete')
    },
    changes() {
      const inserted: Row[] = []
      const updated: { before: Row; after: Row }[] = []
      const deleted: bigint[] = []
      for (const [id, change] of changes) {
        const after = rows.get(id) as Row
        if (change === 'delete') deleted.push(id)
        else if (change === 'insert') inserted.push(after)
        else updated.push({ before: stored.get(id) as Row, after })
      }
      return { inserted, updated, deleted }
    },
  }
}

type Ids = { ids: string }

/** How the records of a kind are found and saved. `changing`: the columns that a change sets. */
function kindOf<K extends Kind>(
  table: K,
  columns: Record<keyof StoreTables[K] & string, 'text' | 'bigint'>,
  changing: (keyof StoreTables[K] & string)[],
) {
  type Row = StoreTables[K]
  const names = Object.keys(columns) as (keyof StoreTables[K] & string)[]
  const selected = sql.join(names.map((name) => sql.ref(name)))
  const insertions = insertionsOf<StoreTables>()(table)
  const updates = new Map<string, Query<{ rows: string }, unknown>>()
  const updateOf = (changed: (keyof Row & string)[]) =>
    updates.getOrInsertComputed(changed.join(), () =>
      prepareQuery<{ rows: string }>()((db, param) => {
        const set = changed.map((name) => sql`${sql.ref(name)} = ${sql.ref(`changed.${name}`)}`)
        return sql<unknown>`update ${sql.table(table)} set ${sql.join(set)}
          from ${jsonRows(db, param('rows'), 'changed', columns)}
          where ${sql.ref(`${table}.id`)} = changed.id`
      }),
    )
  const remove = prepareQuery<Ids>()(
    (db, param) =>
      sql<unknown>`delete from ${sql.table(table)} where ${isOneOf(db, 'id', param('ids'))}`,
  )
  return {
    byId: prepareQuery<Ids>()(
      (db, param) =>
        sql<Row>`select ${selected} from ${sql.table(table)} where ${isOneOf(db, 'id', param('ids'))}`,
    ),
    /** Changes come before insertions: an order that is no longer open makes room for another one of its animal. */
    save(session: WriteSession, records: RecordSet<Row>): void {
      const { deleted, inserted, updated } = records.changes()
      if (deleted.length > 0) session.run(remove, { ids: joinIds(deleted) })
      // SQLite writes each index anew that has a column which is set, also to what it was.
      const changed = changing.filter((name) =>
        updated.some(({ after, before }) => after[name] !== before[name]),
      )
      if (changed.length > 0) {
        const rows = rowsToJson(updated.map(({ after }) => after))
        session.run(updateOf(changed), { rows })
      }
      for (const { params, query } of insertions(inserted as never)) session.run(query, params)
    },
  }
}

const kinds = {
  pets: kindOf('pets', { id: 'bigint', name: 'text', category_id: 'bigint', status: 'text' }, [
    ...(['name', 'category_id', 'status'] as const),
  ]),
  orders: kindOf(
    'orders',
    { id: 'bigint', pet_id: 'bigint', status: 'text', created_at: 'bigint' },
    ['status'],
  ),
  categories: kindOf('categories', { id: 'bigint', name: 'text' }, ['name']),
}

const petsByOrder = prepareQuery<Ids>()(
  (db, param) => sql<PetRow>`select id, name, category_id, status from pets
      where id in (select pet_id from orders where ${isOneOf(db, 'orders.id', param('ids'))})`,
)

const openOrdersByPet = prepareQuery<Ids>()(
  (db, param) => sql<Pick<OrderRow, 'id' | 'pet_id'>>`select id, pet_id from orders
      where ${isOneOf(db, 'pet_id', param('ids'))} and status in ('placed', 'approved')`,
)
