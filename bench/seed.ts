// Many animals in one transaction, written straight into a database whose schema is there and
// whose server is stopped. The rows are the same on every engine and in every store.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { Pet } from './servers/server.ts'

/** A data folder of ours or of a hand-written store, or a PostgreSQL database of ours. */
export type SeedTarget = { folder: string } | { databaseUrl: string }

const names = ['Biscuit', 'Clover', 'Domino', 'Ember', 'Fig', 'Ginger', 'Hazel', 'Indigo']
const statuses = ['available', 'pending', 'sold'] as const

/** The animal that seeding gives the identifier `id`, from 1 upwards. */
export function animalAt(id: number): Pet & { id: number } {
  return {
    id,
    name: `${names[id % names.length]} ${id}`,
    categoryId: (id % 50) + 1,
    status: statuses[id % statuses.length] ?? 'available',
  }
}

/** The database must have no animals yet. */
export async function seedAnimals(target: SeedTarget, count: number): Promise<void> {
  if (count === 0) return
  if ('databaseUrl' in target) {
    await seedPostgres(target.databaseUrl, count)
    return
  }
  const ours = join(target.folder, 'production.db')
  const peer = join(target.folder, 'peer.db')
  if (existsSync(ours)) seedSqlite(ours, count, stateAfter(count))
  else if (existsSync(peer)) seedSqlite(peer, count)
  else throw new Error(`no database to seed in ${target.folder}`)
}

function seedSqlite(file: string, count: number, alsoRun?: string): void {
  const database = new DatabaseSync(file)
  database.exec('BEGIN IMMEDIATE')
  const insert = database.prepare(
    'INSERT INTO pets (id, name, category_id, status) VALUES (?, ?, ?, ?)',
  )
  for (let id = 1; id <= count; id++) {
    const pet = animalAt(id)
    insert.run(id, pet.name, pet.categoryId, pet.status)
  }
  if (alsoRun !== undefined) database.exec(alsoRun)
  database.exec('COMMIT')
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
}

async function seedPostgres(databaseUrl: string, count: number): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    options: '-c search_path=production',
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
  await client.query(stateAfter(count))
  await client.query('COMMIT')
  await client.query('VACUUM ANALYZE pets')
  await client.end()
}

/** What our own writes would have left beside the rows. */
function stateAfter(count: number): string {
  const counters = statuses.map((status, index) => {
    const first = index === 0 ? statuses.length : index
    return `${status} = ${first > count ? 0 : Math.floor((count - first) / statuses.length) + 1}`
  })
  return `UPDATE store_state SET last_pet_id = ${count},
    ${counters.join(', ')}`
}
