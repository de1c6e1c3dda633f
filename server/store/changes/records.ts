// What a batch of writes works on: the records that its writes name, read under the lock in one round trip, changed in
// memory, and saved without waiting, so that the statements leave together with the commit.

import { sql } from 'kysely'
import type { WriteSession } from '#kit/database/database.ts'
import { pipelinedInserter } from '#kit/database/insert-rows.ts'
import { isOneOf, joinIds, jsonRows } from '#kit/database/json-rows.ts'
import { changeState, lockAndReadState, type State, type StateChange } from '../database/state.ts'
import { prepare, prepareQuery, type StoreTables } from '../database/tables.ts'
import { recordEvents, type StoreEvent } from './record-events.ts'
import {
  type CategoryRecord,
  type OrderRecord,
  orderColumns,
  type PetRecord,
  petColumns,
  type Read,
  type Reads,
  type RecordSet,
  readRecords,
} from './record-set.ts'

/** The records; changes keep the counters and the last ids. */
export interface Records {
  readonly pets: Pick<RecordSet<PetRecord>, 'get'>
  readonly orders: Pick<RecordSet<OrderRecord>, 'get'>
  readonly categories: Pick<RecordSet<CategoryRecord>, 'get'>
  /** The id of the open order of one of the `heldPets`. */
  openOrderOf(petId: bigint): bigint | undefined
  /** Assigns the next id. */
  insertPet(pet: Omit<PetRecord, 'id'>): PetRecord
  changePet(pet: PetRecord): void
  removePet(pet: PetRecord): void
  /** Assigns the next id. */
  insertOrder(order: Omit<OrderRecord, 'id'>): OrderRecord
  changeOrder(order: OrderRecord): void
  /** Assigns the next id. */
  insertCategory(category: Omit<CategoryRecord, 'id'>): CategoryRecord
  changeCategory(category: CategoryRecord): void
  removeCategory(id: bigint): void
  /** For the webhooks. `now` is in milliseconds since the epoch. */
  tell(event: StoreEvent, now: number): void
}

interface OpenRecords {
  records: Records
  state: State
  /** Writes down what was changed, without waiting. */
  save(): void
}

/** Takes the lock and reads records, in one round trip. */
export async function openRecords(
  session: WriteSession,
  reads: Reads[] = [],
): Promise<OpenRecords> {
  const [state, read] = await Promise.all([lockAndReadState(session), readRecords(session, reads)])
  return trackRecords(session, state, read)
}

function trackRecords(
  session: WriteSession,
  state: State,
  { categories, openOrders, orders, pets }: Read,
): OpenRecords {
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

  const records: Records = {
    pets,
    orders,
    categories,
    openOrderOf: (petId) => openOrders.get(petId),
    insertPet(given) {
      const pet = { id: nextId('last_pet_id'), ...given }
      add(pet.status, 1)
      pets.insert(pet)
      return pet
    },
    changePet(pet) {
      const before = pets.get(pet.id) as PetRecord
      add(before.status, -1)
      add(pet.status, 1)
      pets.change(pet)
    },
    removePet({ id, status }) {
      add(status, -1)
      pets.remove(id)
    },
    insertOrder(given) {
      const order = { id: nextId('last_order_id'), ...given }
      add(order.status, 1)
      openOrders.set(order.petId, order.id)
      orders.insert(order)
      return order
    },
    changeOrder(order) {
      const before = orders.get(order.id) as OrderRecord
      add(before.status, -1)
      add(order.status, 1)
      const isOpen = order.status === 'placed' || order.status === 'approved'
      if (!isOpen) openOrders.delete(order.petId)
      orders.change(order)
    },
    insertCategory(given) {
      const category = { id: nextId('last_category_id'), ...given }
      add('categories', 1)
      categories.insert(category)
      return category
    },
    changeCategory(category) {
      isChanged = true
      categories.change(category)
    },
    removeCategory(id) {
      add('categories', -1)
      categories.remove(id)
    },
    tell(event, at) {
      if (state.active_webhooks > 0n) events.push({ event, at })
    },
  }

  function save(): void {
    if (!isChanged) return
    saveRecords(session, { categories, orders, pets })
    if (events.length > 0) {
      changes.last_event_id = events.length
      recordEvents(session, state.last_event_id + 1n, events)
    }
    changeState(session, changes)
  }
  return { records, state, save }
}

/** Saves the changed records of a batch of writes: a few statements for each kind, none of which is waited for. */
function saveRecords(
  session: WriteSession,
  changed: {
    pets: RecordSet<PetRecord>
    orders: RecordSet<OrderRecord>
    categories: RecordSet<CategoryRecord>
  },
): void {
  savePets(session, changed.pets)
  saveOrders(session, changed.orders)
  saveCategories(session, changed.categories)
}

function savePets(
  session: WriteSession,
  { changed, inserted, removed }: RecordSet<PetRecord>,
): void {
  if (removed.size > 0) session.run(deletePets, { ids: joinIds(removed) })
  if (changed.size > 0) {
    const pets = [...changed.values()].map(({ categoryId, id, name, status }) => ({
      id: `${id}`,
      name,
      category_id: `${categoryId}`,
      status,
    }))
    session.run(updatePets, { pets: JSON.stringify(pets) })
  }
  if (inserted.size > 0) {
    insertPetRows(
      session,
      [...inserted.values()].map(({ categoryId, ...pet }) => ({ ...pet, category_id: categoryId })),
    )
  }
}

/** Changes come first: an order that is no longer open makes room for another one of its animal. */
function saveOrders(session: WriteSession, { changed, inserted }: RecordSet<OrderRecord>): void {
  if (changed.size > 0) {
    const orders = [...changed.values()].map(({ id, status }) => ({ id: `${id}`, status }))
    session.run(updateOrders, { orders: JSON.stringify(orders) })
  }
  if (inserted.size > 0) {
    insertOrderRows(
      session,
      [...inserted.values()].map(({ createdAt, id, petId, status }) => ({
        id,
        pet_id: petId,
        status,
        created_at: createdAt,
      })),
    )
  }
}

function saveCategories(
  session: WriteSession,
  { changed, inserted, removed }: RecordSet<CategoryRecord>,
): void {
  if (removed.size > 0) session.run(deleteCategories, { ids: joinIds(removed) })
  for (const category of changed.values()) session.run(renameCategory, { ...category })
  if (inserted.size > 0)
    insertCategoryRows(
      session,
      [...inserted.values()].map((row) => ({ ...row })),
    )
}

type Ids = { ids: string }

const insertPetRows = pipelinedInserter<StoreTables>()('pets', petColumns)
const insertOrderRows = pipelinedInserter<StoreTables>()('orders', orderColumns)
const insertCategoryRows = pipelinedInserter<StoreTables>()('categories', ['id', 'name'])

const updatePets = prepareQuery<{ pets: string }>()((db, param) => {
  const columns = { id: 'bigint', name: 'text', category_id: 'bigint', status: 'text' } as const
  return sql<unknown>`update pets
        set name = changed.name, category_id = changed.category_id, status = changed.status
        from ${jsonRows(db, param('pets'), 'changed', columns)}
        where pets.id = changed.id`
})
const updateOrders = prepareQuery<{ orders: string }>()(
  (db, param) => sql<unknown>`update orders set status = changed.status
      from ${jsonRows(db, param('orders'), 'changed', { id: 'bigint', status: 'text' })}
      where orders.id = changed.id`,
)
const renameCategory = prepare.update('categories', { name: 'name' }, { id: 'id' })
const deletePets = prepareQuery<Ids>()((db, param) =>
  db.deleteFrom('pets').where(isOneOf(db, 'id', param('ids'))),
)
const deleteCategories = prepareQuery<Ids>()((db, param) =>
  db.deleteFrom('categories').where(isOneOf(db, 'id', param('ids'))),
)
