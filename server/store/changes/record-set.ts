// The records of one kind that a batch of writes has read, and what it has changed of them, in memory until it is saved.

import type { OrderStatus, PetStatus } from '../database/tables.ts'

export interface PetRecord {
  id: bigint
  name: string
  categoryId: bigint
  status: PetStatus
}

export interface OrderRecord {
  id: bigint
  petId: bigint
  status: OrderStatus
  /** Milliseconds since the epoch. */
  createdAt: bigint
}

export interface CategoryRecord {
  id: bigint
  name: string
}

export const petColumns = ['id', 'name', 'category_id', 'status'] as const
export const orderColumns = ['id', 'pet_id', 'status', 'created_at'] as const

export interface RecordSet<Row extends { id: bigint }> {
  /** Undefined if it does not exist. It must be among those that were read, or inserted. */
  get(id: bigint): Row | undefined
  insert(row: Row): void
  change(row: Row): void
  remove(id: bigint): void
  readonly inserted: ReadonlyMap<bigint, Row>
  readonly changed: ReadonlyMap<bigint, Row>
  readonly removed: ReadonlySet<bigint>
}

export function createRecordSet<Row extends { id: bigint }>(read: Iterable<Row>): RecordSet<Row> {
  const rows = new Map<bigint, Row>()
  for (const row of read) rows.set(row.id, row)
  const inserted = new Map<bigint, Row>()
  const changed = new Map<bigint, Row>()
  const removed = new Set<bigint>()
  return {
    get: (id) => rows.get(id),
    insert(row) {
      rows.set(row.id, row)
      inserted.set(row.id, row)
    },
    change(row) {
      rows.set(row.id, row)
      const kind = inserted.has(row.id) ? inserted : changed
      kind.set(row.id, row)
    },
    remove(id) {
      rows.delete(id)
      changed.delete(id)
      if (!inserted.delete(id)) removed.add(id)
    },
    inserted,
    changed,
    removed,
  }
}
