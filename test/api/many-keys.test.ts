// More API keys than a page of them.

import { expect, it } from 'vitest'
import { migrateDatabase, openDatabase } from '#kit/database/engines/open.ts'
import { rowInserter } from '#kit/database/insert-rows.ts'
import { unlocked } from '#kit/database/transactions.ts'
import { storeMigrations } from '#store/database/migrations/store-migrations.ts'
import type { StoreTables } from '#store/database/tables.ts'
import { cases } from '../cases.ts'
import { engines, type TestDatabase } from '../database.ts'
import { placeForTest } from '../place-for-test.ts'
import { runCommand } from '../served-process.ts'

const count = 10_500

it.each(cases(engines))('keys list shows all of 10,500 keys, oldest first (%s)', async (engine) => {
  const place = await placeForTest(engine)
  await insertKeys(place)
  const list = ['keys', 'list', '--environment', 'production']
  const { stdout } = await runCommand(place, [...list, '--json'])
  const labels = (JSON.parse(stdout) as { label: string }[]).map(({ label }) => label)
  expect(labels).toEqual(Array.from({ length: count }, (_, i) => `key ${i}`))
  const table = await runCommand(place, list)
  expect(table.stdout.trim().split('\n')).toHaveLength(count + 1)
})

const insert = rowInserter<StoreTables>()('api_keys')

async function insertKeys(place: TestDatabase): Promise<void> {
  await migrateDatabase(place, 'production', storeMigrations)
  const database = openDatabase(place, 'production', { onError: () => {} })
  const rows = Array.from({ length: count }, (_, i) => {
    const id = String(i).padStart(12, '0')
    // Several keys of each moment.
    const created_at = Math.floor(i / 7)
    return { id, lineage: id, label: `key ${i}`, secret_hash: '', scopes: '*', created_at }
  })
  try {
    await unlocked((session) =>
      insert(
        session,
        rows.map((row) => ({ ...row, deprecated_calls: 0 })),
      ),
    )(database)
  } finally {
    await database.close()
  }
}
