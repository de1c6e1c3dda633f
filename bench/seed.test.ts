// The one place where bench/ knows the tables of the store: held against the real migrations.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { migrateDatabase } from '../server/platform/database/open.ts'
import { storeMigrations } from '../server/store/database/migrations/store-migrations.ts'
import { animalAt, seedAnimals } from './seed.ts'

it('leaves rows and counters as our own writes would', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'seed-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  await migrateDatabase({ dataDir: folder, databaseUrl: undefined }, 'production', storeMigrations)
  await seedAnimals({ folder }, 101)

  const database = new DatabaseSync(join(folder, 'production.db'), { readOnly: true })
  const pets = database.prepare('SELECT id, name, category_id, status FROM pets ORDER BY id').all()
  const counted = database
    .prepare(
      `SELECT max(id) AS last_pet_id, count(*) FILTER (WHERE status = 'available') AS available,
         count(*) FILTER (WHERE status = 'pending') AS pending,
         count(*) FILTER (WHERE status = 'sold') AS sold FROM pets`,
    )
    .get()
  const kept = database
    .prepare('SELECT last_pet_id, available, pending, sold FROM store_state')
    .get()
  database.close()

  expect(pets.length).toBe(101)
  const { id, name, categoryId, status } = animalAt(101)
  expect(pets.at(-1)).toEqual({ id, name, category_id: categoryId, status })
  expect(kept).toEqual(counted)
})
