// The tables of one environment's database, as the queries see them. migrations/ creates them and says what they hold.
import type { RowsOf } from '#kit/database/declared-tables.ts'
import { rowWriter } from '#kit/database/insert-rows.ts'
import { queriesFor, statementsFor } from '#kit/database/query.ts'
import type { tables } from './migrations/store-migrations.ts'

export type PetStatus = 'available' | 'pending' | 'sold'
export type OrderStatus = 'placed' | 'approved' | 'delivered' | 'cancelled'

export type StoreTables = RowsOf<typeof tables> & {
  pets: { status: PetStatus }
  orders: { status: OrderStatus }
}

export const prepareQuery = queriesFor<StoreTables>()
export const { insertRow } = rowWriter<StoreTables>()
export const prepare = statementsFor<StoreTables>()
