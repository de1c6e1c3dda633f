// Adding animals. All creates of a group commit go through one call: ids are allocated, counters moved
// and rows inserted under one lock, which the row of store_state is, so that ids become visible in order.
import type { Session } from '../../platform/database/database.ts'
import type { Query, Value } from '../../platform/database/query.ts'
import { findUse, type RecordedAnswer, recordUse, type Use } from '../idempotency/idempotency.ts'
import { define } from '../tables.ts'
import { petJson } from './pet-json.ts'
import type { PetStatus } from './schema.ts'

export interface PetToCreate {
  name: string
  categoryId: bigint | number
  status: PetStatus
  /** Undefined without an Idempotency-Key. */
  use: Use | undefined
}

export type Creation =
  | { kind: 'created'; answer: RecordedAnswer }
  | { kind: 'replay'; answer: RecordedAnswer }
  | { kind: 'reused' }

const allocate = define<{
  moved: number
  total: number
  available: number
  pending: number
  sold: number
}>()((db, param) =>
  db
    .updateTable('store_state')
    .set((eb) => ({
      content_version: eb('content_version', '+', param('moved') as never),
      last_pet_id: eb('last_pet_id', '+', param('total') as never),
      available: eb('available', '+', param('available') as never),
      pending: eb('pending', '+', param('pending') as never),
      sold: eb('sold', '+', param('sold') as never),
    }))
    .returning('last_pet_id'),
)

/** A work of the database: creates each input's animal, or finds what its idempotency key did before. */
export async function createPets(session: Session, inputs: PetToCreate[]): Promise<Creation[]> {
  const outcomes = new Map<PetToCreate, Creation>()
  const fresh: PetToCreate[] = []
  const repeats: { input: PetToCreate; use: Use }[] = []

  if (inputs.some((input) => input.use)) {
    // Takes the lock, so that what another node has just recorded is seen.
    await session.all(allocate, { moved: 0, total: 0, available: 0, pending: 0, sold: 0 })
  }
  const seen = new Set<string>()
  for (const input of inputs) {
    if (!input.use) {
      fresh.push(input)
      continue
    }
    const id = `${input.use.scope} ${input.use.key}`
    if (seen.has(id)) {
      repeats.push({ input, use: input.use })
      continue
    }
    seen.add(id)
    const found = await findUse(session, input.use)
    if (found.kind === 'new') fresh.push(input)
    else outcomes.set(input, found)
  }

  for (const [input, creation] of await insertAll(session, fresh)) outcomes.set(input, creation)
  for (const { input, use } of repeats) {
    // By now the key's first use is recorded: just above, or by whoever came before this transaction.
    const found = await findUse(session, use)
    if (found.kind === 'new')
      throw new Error('the first use of an idempotency key was not recorded')
    outcomes.set(input, found)
  }
  return inputs.map((input) => outcomes.get(input) as Creation)
}

/** Inserts animals with the next ids; gives the first id. Must be called inside a write. */
export async function insertPets(
  session: Session,
  pets: Omit<PetToCreate, 'use'>[],
): Promise<bigint> {
  const count = (status: PetStatus): number => pets.filter((pet) => pet.status === status).length
  const [state] = await session.all(allocate, {
    moved: 1,
    total: pets.length,
    available: count('available'),
    pending: count('pending'),
    sold: count('sold'),
  })
  if (!state) throw new Error('store_state is empty')
  const first = state.last_pet_id - BigInt(pets.length) + 1n
  for (let start = 0; start < pets.length; ) {
    const size = sizes.find((s) => s <= pets.length - start) as number
    const params: Record<string, Value> = {}
    for (let i = 0; i < size; i++) {
      const pet = pets[start + i] as PetToCreate
      params[`id${i}`] = first + BigInt(start + i)
      params[`name${i}`] = pet.name
      params[`category${i}`] = BigInt(pet.categoryId)
      params[`status${i}`] = pet.status
    }
    await session.all(insertQuery(size), params)
    start += size
  }
  return first
}

async function insertAll(
  session: Session,
  pets: PetToCreate[],
): Promise<[PetToCreate, Creation][]> {
  if (pets.length === 0) return []
  const first = await insertPets(session, pets)
  const created: [PetToCreate, Creation][] = []
  for (const [i, pet] of pets.entries()) {
    const id = first + BigInt(i)
    const body = petJson(id, pet.name, pet.categoryId, pet.status)
    const answer = { status: 201, location: `/pets/${id}`, body }
    if (pet.use) await recordUse(session, pet.use, answer)
    created.push([pet, { kind: 'created', answer }])
  }
  return created
}

/** Rows for each statement: few sizes, so that few statements are compiled. */
const sizes = [64, 16, 4, 1]
const inserts = new Map<number, Query<Record<string, Value>, unknown>>()

function insertQuery(size: number): Query<Record<string, Value>, unknown> {
  let query = inserts.get(size)
  if (!query) {
    query = define<Record<string, Value>>()((db, param) =>
      db.insertInto('pets').values(
        Array.from({ length: size }, (_, i) => ({
          id: param(`id${i}`) as bigint,
          name: param(`name${i}`) as string,
          category_id: param(`category${i}`) as bigint,
          status: param(`status${i}`) as string,
        })),
      ),
    )
    inserts.set(size, query)
  }
  return query
}
