// Records the last uses of API keys: one statement for a thousand of them, so that other writes wait for it briefly.
import { sql } from 'kysely'
import type { Database } from '#kit/database/database.ts'
import { jsonRows } from '#kit/database/json-rows.ts'
import { lockedTransaction } from '../database/state.ts'
import { prepareQuery } from '../database/tables.ts'
import { type KeyUses, returnUses } from './key-uses.ts'

const maxUsesPerTransaction = 1000

const updateUses = prepareQuery<{ uses: string }>()((db, param) => {
  const columns = { id: 'text', at: 'bigint', calls: 'bigint', deprecated_at: 'bigint' } as const
  const later = (column: string, used: string) =>
    sql`${sql.ref(column)} = case
      when api_keys.${sql.ref(column)} >= ${sql.ref(used)} or ${sql.ref(used)} is null
      then api_keys.${sql.ref(column)} else ${sql.ref(used)} end`
  return sql<unknown>`update api_keys set
        ${later('last_used_at', 'uses.at')},
        deprecated_calls = api_keys.deprecated_calls + uses.calls,
        ${later('deprecated_at', 'uses.deprecated_at')}
        from ${jsonRows(db, param('uses'), 'uses', columns)}
        where api_keys.id = uses.id`
})

const update = lockedTransaction(async (session, uses: KeyUses) => {
  const rows = [...uses].map(([id, { at, deprecatedAt, deprecatedCalls }]) => ({
    id,
    at,
    calls: deprecatedCalls,
    deprecated_at: deprecatedAt ?? null,
  }))
  await session.all(updateUses, { uses: JSON.stringify(rows) })
})

/** Moves uses from memory to the database. What could not be written stays in memory. */
export async function recordUses(database: Database, noted: KeyUses): Promise<void> {
  const all = [...noted]
  noted.clear()
  for (let start = 0; start < all.length; start += maxUsesPerTransaction) {
    const uses: KeyUses = new Map(all.slice(start, start + maxUsesPerTransaction))
    try {
      await update(database, uses)
    } catch (error) {
      returnUses(noted, new Map(all.slice(start)))
      throw error
    }
  }
}
