// The tables of publishing, as the queries see them. migrations/ creates them and says what they hold.
import type { AccountTables } from '#accounts/people/tables.ts'
import type { RowsOf } from '#kit/database/declared-tables.ts'
import { rowWriter } from '#kit/database/insert-rows.ts'
import { queriesFor, statementsFor } from '#kit/database/query.ts'
import type { AddedColumns, NewTables } from './migrations/publishing-migrations.ts'
import type { tables } from './migrations/schema.ts'

export type PublishingTables = AccountTables & RowsOf<typeof tables & NewTables, AddedColumns>

export const prepareQuery = queriesFor<PublishingTables>()
export const prepare = statementsFor<PublishingTables>()
export const { insertRow, saveRow } = rowWriter<PublishingTables>()
