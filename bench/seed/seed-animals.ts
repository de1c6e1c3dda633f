// Inserts many animals in one transaction, directly into a migrated database whose server is stopped. The rows
// are the same on every engine and in every store.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

/** A data folder or a PostgreSQL database, of the Animal Store or of a hand-written peer. */
export type SeedTarget = { folder: string } | { databaseUrl: string }

export interface Pet {
  id: number | string
  name: string
  categoryId: number
  status: string
}

const names = ['Biscuit', 'Clover', 'Domino', 'Ember', 'Fig', 'Ginger', 'Hazel', 'Indigo']
const statuses = ['available', 'pending', 'sold'] as const

/** The animal that `seedAnimals` inserts with the identifier `id`, which starts at 1. */
export function seededAnimal(id: number): Pet & { id: number } {
  return {
    id,
    name: `${names[id % names.length]} ${id}`,
    categoryId: (id % 50) + 1,
    status: statuses[id % statuses.length] ?? 'available',
  }
}

/** The database must not contain animals yet. */
export async function seedAnimals(target: SeedTarget, count: number): Promise<void> {
  if (count === 0) return
  if ('databaseUrl' in target) {
    await seedPostgres(target.databaseUrl, count)
    return
  }
  const animalStore = join(target.folder, 'production.db')
  const peer = join(target.folder, 'peer.db')
  if (existsSync(animalStore)) seedSqlite(animalStore, count, updateCounters(count))
  else if (existsSync(peer)) seedSqlite(peer, count)
  else throw new Error(`no database to seed in ${target.folder}`)
}

function seedSqlite(file: string, count: number, followUp?: string): void {
  const database = new DatabaseSync(file)
  database.exec('BEGIN IMMEDIATE')
  const insert = database.prepare(
    'INSERT INTO pets (id, name, category_id, status) VALUES (?, ?, ?, ?)',
  )
  for (let id = 1; id <= count; id++) {
    const pet = seededAnimal(id)
    insert.run(id, pet.name, pet.categoryId, pet.status)
  }
  if (followUp !== undefined) database.exec(followUp)
  database.exec('COMMIT')
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
}

async function seedPostgres(databaseUrl: string, count: number): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    // Only the Animal Store has a schema of this name.
    options: '-c search_path=production,public',
  })
  await client.connect()
  await client.query('BEGIN')
  await client.query(
    `INSERT INTO pets (id, name, category_id, status)
     SELECT id, ($2::text[])[id % ${names.length} + 1] || ' ' || id, id % 50 + 1,
       ($3::text[])[id % ${statuses.length} + 1]
     FROM generate_series(1, $1::bigint) AS id`,
    [count, names, statuses],
  )
  const { rows } = await client.query(`SELECT to_regclass('store_state') AS state`)
  if (rows[0].state !== null) await client.query(updateCounters(count))
  await client.query('COMMIT')
  await client.query('VACUUM ANALYZE pets')
  await client.end()
}

/** SQL that sets the store's counters to what its own writes would have set. */
function updateCounters(count: number): string {
  const counters = statuses.map((status, index) => {
    const first = index === 0 ? statuses.length : index
    return `${status} = ${first > count ? 0 : Math.floor((count - first) / statuses.length) + 1}`
  })
  return `UPDATE store_state SET last_pet_id = ${count},
    ${counters.join(', ')}`
}
