// What a batch of writes works on: the records that its writes name, read under the lock; changed in memory; and saved without
// waiting. On PostgreSQL there is one statement for each kind: those that read are sent together, those that write leave with
// the commit. On SQLite there is one for each record: it looks up its row in the index at hand, where one for all would read a
// list as JSON, and may read every row of another index instead.

import { sql } from 'kysely'
import type { WriteSession } from '#kit/database/database.ts'
import { isOneOf, joinIds, jsonRows, runForEach } from '#kit/database/json-rows.ts'
import { engineOf, type Query, type Value } from '#kit/database/query.ts'
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

/** What writes change; the counters and the last ids follow. */
export type Records = Awaited<ReturnType<typeof openRecords>>['records']

/** Takes the lock and reads records, in one round trip: all statements are sent before it waits. */
export async function openRecords(session: WriteSession, reads: Reads[] = []) {
  const find = <Row>(query: Query<Id, Row>, kind: keyof Reads) => {
    const ids = reads.flatMap((read) => read[kind] ?? [])
    if (!session.isRemote) return ids.flatMap((id) => session.all(query, { id }) as Row[])
    return ids.length === 0 ? [] : session.all(query, { id: joinIds(ids) })
  }
  const [state, pets, petsOfOrders, orders, held, categories] = await Promise.all([
    lockAndReadState(session),
    find(kinds.pets.byId, 'pets'),
    find(petsByOrder, 'orders'),
    find(kinds.orders.byId, 'orders'),
    find(openOrdersByPet, 'heldPets'),
    find(kinds.categories.byId, 'categories'),
  ])
  const events: { event: StoreEvent; at: number }[] = []
  const records = {
    pets: new RecordSet([...pets, ...petsOfOrders], state.last_pet_id),
    orders: new RecordSet(orders, state.last_order_id),
    categories: new RecordSet(categories, state.last_category_id),
    /** Of the `heldPets`: the id of the open order. */
    openOrders: new Map(held.map((order) => [order.pet_id, order.id])),
    /** For the webhooks. `at` is in milliseconds since the epoch. */
    tell(event: StoreEvent, at: number): void {
      if (state.active_webhooks > 0n) events.push({ event, at })
    },
  }
  /** Writes down what was changed, without waiting. */
  function save(): void {
    const changes: StateChange = {}
    kinds.pets.save(session, records.pets, changes)
    kinds.orders.save(session, records.orders, changes)
    kinds.categories.save(session, records.categories, changes)
    if (events.length > 0) {
      changes.last_event_id = events.length
      recordEvents(session, state.last_event_id + 1n, events)
    }
    if (Object.keys(changes).length > 0) changeState(session, changes)
  }
  return { records, state, save }
}

/** The records of a kind: as they were read, and as the batch leaves them. */
class RecordSet<Row extends { id: bigint }> {
  readonly all = new Map<bigint, { before: Row | undefined; after: Row | undefined }>()
  readonly #lastId: bigint
  /** How many ids were given. */
  inserted = 0

  constructor(read: Row[], lastId: bigint) {
    this.#lastId = lastId
    for (const row of read) this.all.set(row.id, { before: row, after: row })
  }
  /** Of those that were read, or inserted; undefined if it does not exist. */
  get(id: bigint): Row | undefined {
    return this.all.get(id)?.after
  }
  /** Assigns the next id. */
  insert(given: Omit<Row, 'id'>): Row {
    const row = { id: this.#lastId + BigInt(++this.inserted), ...given } as Row
    this.set(row.id, row)
    return row
  }
  /** Changes a record, or removes it. */
  set(id: bigint, after: Row | undefined): void {
    this.all.set(id, { before: this.all.get(id)?.before, after })
  }
}

type Params = Record<string, Value>
/** On PostgreSQL several, joined. */
type Id = { id: bigint | string }
const hasId = (db: object, column: string, id: unknown) =>
  engineOf(db) === 'postgres' ? isOneOf(db, column, id) : sql<boolean>`${sql.ref(column)} = ${id}`

/** How the records of a kind are found and saved. `changing`: the columns that a change sets. */
function kindOf<K extends Kind>(
  table: K,
  lastId: keyof StateChange,
  columns: Record<keyof StoreTables[K] & string, 'text' | 'bigint'>,
  changing: (keyof StoreTables[K] & string)[],
) {
  type Row = StoreTables[K]
  const names = Object.keys(columns) as (keyof Row & string)[]
  const selected = sql.join(names.map((name) => sql.ref(name)))
  const updates = new Map<string, Query<Params, unknown>>()
  const updateOf = (changed: (keyof Row & string)[]) =>
    updates.getOrInsertComputed(changed.join(), () =>
      prepareQuery<Params>()((db, param) => {
        const isRemote = engineOf(db) === 'postgres'
        const set = changed.map(
          (name) => sql`${sql.ref(name)} = ${isRemote ? sql.ref(`changed.${name}`) : param(name)}`,
        )
        const rows = sql`from ${jsonRows(db, param('rows'), 'changed', columns)}
          where ${sql.ref(`${table}.id`)} = changed.id`
        return sql<unknown>`update ${sql.table(table)} set ${sql.join(set)}
          ${isRemote ? rows : sql`where id = ${param('id')}`}`
      }),
    )
  const insert = prepareQuery<Params>()((db, param) => {
    const rows = jsonRows(db, param('rows'), 'added', columns)
    return sql<unknown>`insert into ${sql.table(table)} (${selected}) ${
      engineOf(db) === 'postgres'
        ? sql`select ${selected} from ${rows}`
        : sql`values (${sql.join(names.map((name) => param(name)))})`
    }`
  })
  const remove = prepareQuery<Params>()((db, param) => {
    const rows = jsonRows(db, param('rows'), 'removed', columns)
    return sql<unknown>`delete from ${sql.table(table)} where id ${
      engineOf(db) === 'postgres' ? sql`in (select id from ${rows})` : sql`= ${param('id')}`
    }`
  })
  return {
    byId: prepareQuery<Id>()(
      (db, param) =>
        sql<Row>`select ${selected} from ${sql.table(table)} where ${hasId(db, 'id', param('id'))}`,
    ),
    /** Changes come before insertions: an order that is no longer open makes room for another one of its animal. */
    save(
      session: WriteSession,
      { all, inserted: given }: RecordSet<Row>,
      changes: StateChange,
    ): void {
      if (given > 0) changes[lastId] = given
      const count = (row: Row, by: number): void => {
        const counter = 'status' in row ? row.status : 'categories'
        changes[counter] = (changes[counter] ?? 0) + by
      }
      const deleted: Row[] = []
      const inserted: Row[] = []
      const updated: { before: Row; after: Row }[] = []
      for (const { after, before } of all.values()) {
        if (before === after) continue
        if (before) count(before, -1)
        if (after) count(after, 1)
        if (!after) deleted.push(before as Row)
        else if (before) updated.push({ before, after })
        else inserted.push(after)
      }
      runForEach(session, remove, deleted)
      // SQLite writes each index anew that has a column which is set, also to what it was.
      const changed = changing.filter((name) =>
        updated.some(({ after, before }) => after[name] !== before[name]),
      )
      if (changed.length > 0) {
        runForEach(
          session,
          updateOf(changed),
          updated.map(({ after }) => after),
        )
      }
      runForEach(session, insert, inserted)
    },
  }
}

const kinds = {
  pets: kindOf(
    'pets',
    'last_pet_id',
    { id: 'bigint', name: 'text', category_id: 'bigint', status: 'text' },
    ['name', 'category_id', 'status'],
  ),
  orders: kindOf(
    'orders',
    'last_order_id',
    { id: 'bigint', pet_id: 'bigint', status: 'text', created_at: 'bigint' },
    ['status'],
  ),
  categories: kindOf('categories', 'last_category_id', { id: 'bigint', name: 'text' }, ['name']),
}

const petsByOrder = prepareQuery<Id>()(
  (db, param) => sql<PetRow>`select id, name, category_id, status from pets
      where id in (select pet_id from orders where ${hasId(db, 'orders.id', param('id'))})`,
)

const openOrdersByPet = prepareQuery<Id>()(
  (db, param) => sql<Pick<OrderRow, 'id' | 'pet_id'>>`select id, pet_id from orders
      where ${hasId(db, 'pet_id', param('id'))} and status in ('placed', 'approved')`,
)
