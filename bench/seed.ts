// Many animals in one transaction, written straight into a database whose schema is there and
// whose server is stopped. The rows are the same on every engine and in every store.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Pet } from './servers/server.ts'

export type SeedTarget = { folder: string } | { databaseUrl: string }

const names = ['Biscuit', 'Clover', 'Domino', 'Ember', 'Fig', 'Ginger', 'Hazel', 'Indigo']
const statuses = ['available', 'pending', 'sold']

/** The animal that seeding gives the identifier `id`, from 1 upwards. */
export function animalAt(id: number): Pet {
  return {
    id,
    name: `${names[id % names.length]} ${id}`,
    categoryId: (id % 50) + 1,
    status: statuses[id % statuses.length] ?? 'available',
  }
}

export async function seedAnimals(target: SeedTarget, count: number): Promise<void> {
  if (count === 0) return
  if ('databaseUrl' in target) throw new Error('PostgreSQL: its tables are not known yet')
  const peerFile = join(target.folder, 'peer.db')
  if (!existsSync(peerFile)) throw new Error(`no database to seed in ${target.folder}`)
  seedPeer(peerFile, count)
}

function seedPeer(file: string, count: number): void {
  const database = new DatabaseSync(file)
  database.exec('BEGIN IMMEDIATE')
  const insert = database.prepare(
    'INSERT INTO pets (id, name, category_id, status) VALUES (?, ?, ?, ?)',
  )
  for (let id = 1; id <= count; id++) {
    const pet = animalAt(id)
    insert.run(id, pet.name, pet.categoryId, pet.status)
  }
  database.exec('COMMIT')
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
}
