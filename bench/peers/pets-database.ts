// The SQLite database of the hand-written stores: node:sqlite with prepared statements, WAL, and an fsync of every
// commit before the response.

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

export type OrderStatus = 'placed' | 'approved' | 'delivered' | 'cancelled'

export interface Order {
  id: number
  petId: number
  status: OrderStatus
  /** In milliseconds since the epoch. */
  createdAt: number
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
  CREATE TABLE IF NOT EXISTS orders (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    pet_id INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('placed', 'approved', 'delivered', 'cancelled')),
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS open_orders ON orders (pet_id)
    WHERE status IN ('placed', 'approved');
  CREATE TABLE IF NOT EXISTS keys (
    hash BLOB PRIMARY KEY,
    label TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`

const columns = 'id, name, category_id AS categoryId, status'
const orderColumns = 'id, pet_id AS petId, status, created_at AS createdAt'

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
  const update = database.prepare(
    'UPDATE pets SET name = ?, category_id = ?, status = ? WHERE id = ?',
  )
  const reserve = database.prepare(
    "UPDATE pets SET status = 'pending' WHERE id = ? AND status = 'available'",
  )
  const setStatus = database.prepare('UPDATE pets SET status = ? WHERE id = ?')
  const insertOrder = database.prepare(
    "INSERT INTO orders (pet_id, status, created_at) VALUES (?, 'placed', ?)",
  )
  const findOrder = database.prepare(`SELECT ${orderColumns} FROM orders WHERE id = ?`)
  const findOpenOrder = database.prepare(
    "SELECT id FROM orders WHERE pet_id = ? AND status IN ('placed', 'approved')",
  )
  const setOrderStatus = database.prepare('UPDATE orders SET status = ? WHERE id = ?')
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
    /** Rolls back if `work` throws. */
    transaction<T>(work: () => T): T {
      database.exec('BEGIN IMMEDIATE')
      try {
        const result = work()
        database.exec('COMMIT')
        return result
      } catch (error) {
        if (database.isTransaction) database.exec('ROLLBACK')
        throw error
      }
    },
    updatePet({ id, name, categoryId, status }: Pet): void {
      update.run(name, categoryId, status, id)
    },
    /** Sets an available animal to pending. Returns false if the animal is missing or not available. */
    reservePet(id: number): boolean {
      return reserve.run(id).changes === 1
    },
    setPetStatus(id: number, status: PetStatus): void {
      setStatus.run(status, id)
    },
    insertOrder(petId: number, createdAt: number): Order {
      const { lastInsertRowid } = insertOrder.run(petId, createdAt)
      return { id: Number(lastInsertRowid), petId, status: 'placed', createdAt }
    },
    findOrder(id: number): Order | undefined {
      return findOrder.get(id) as unknown as Order | undefined
    },
    hasOpenOrder(petId: number): boolean {
      return findOpenOrder.get(petId) !== undefined
    },
    setOrderStatus(id: number, status: OrderStatus): void {
      setOrderStatus.run(status, id)
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
