// Writes down what a batch of writes has changed of records: a statement or few for each kind, none of which is waited for.
import { sql } from 'kysely'
import type { WriteSession } from '#kit/database/database.ts'
import { pipelinedInserter } from '#kit/database/insert-rows.ts'
import { isOneOf, joinIds, jsonRows } from '#kit/database/json-rows.ts'
import { prepare, prepareQuery, type StoreTables } from '../database/tables.ts'
import {
  type CategoryRecord,
  type OrderRecord,
  orderColumns,
  type PetRecord,
  petColumns,
  type RecordSet,
} from './record-set.ts'

export function saveRecords(
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
