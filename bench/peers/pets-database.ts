// The database of the two hand-written stores, as an ordinary good engineer would set it up:
// node:sqlite with prepared statements, WAL, and every commit fsynced before it is answered.

import { DatabaseSync } from 'node:sqlite'

export const statuses = ['available', 'pending', 'sold'] as const
export type PetStatus = (typeof statuses)[number]

export interface NewPet {
  name: string
  categoryId: number
  status: PetStatus
}

export interface Pet extends NewPet {
  id: number
}

export type PetsDatabase = ReturnType<typeof openPetsDatabase>

const schema = `
  CREATE TABLE IF NOT EXISTS pets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    category_id INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('available', 'pending', 'sold'))
  ) STRICT;
  CREATE INDEX IF NOT EXISTS pets_by_status ON pets (status, id);
  CREATE TABLE IF NOT EXISTS keys (
    hash BLOB PRIMARY KEY,
    label TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`

const columns = 'id, name, category_id AS categoryId, status'

export function openPetsDatabase(file: string) {
  const database = new DatabaseSync(file)
  database.exec('PRAGMA journal_mode = WAL')
  database.exec('PRAGMA synchronous = FULL')
  database.exec('PRAGMA busy_timeout = 5000')
  database.exec(schema)

  const list = database.prepare(`SELECT ${columns} FROM pets WHERE id > ? ORDER BY id LIMIT ?`)
  const listByStatus = database.prepare(
    `SELECT ${columns} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`,
  )
  const find = database.prepare(`SELECT ${columns} FROM pets WHERE id = ?`)
  const insert = database.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)')
  const findKey = database.prepare('SELECT label FROM keys WHERE hash = ?')
  const insertKey = database.prepare('INSERT INTO keys (hash, label) VALUES (?, ?)')

  return {
    listPets(after: number, limit: number, status?: PetStatus): Pet[] {
      const rows = status ? listByStatus.all(status, after, limit) : list.all(after, limit)
      return rows as unknown as Pet[]
    },
    findPet(id: number): Pet | undefined {
      return find.get(id) as unknown as Pet | undefined
    },
    insertPet(pet: NewPet): Pet {
      const { lastInsertRowid } = insert.run(pet.name, pet.categoryId, pet.status)
      return { id: Number(lastInsertRowid), ...pet }
    },
    hasKey(hash: Buffer): boolean {
      return findKey.get(hash) !== undefined
    },
    insertKey(hash: Buffer, label: string): void {
      insertKey.run(hash, label)
    },
    close(): void {
      database.close()
    },
  }
}
