// Adding animals. All creates of a group commit go through one call: ids are allocated, counters moved
// and rows inserted under one lock, so that ids become visible in order.
import type { Session } from '../../platform/database/database.ts'
import type { Query, Value } from '../../platform/database/query.ts'
import { findEarlier, type Outcome } from '../idempotency/guarded-write.ts'
import { recordUse, type Use } from '../idempotency/idempotency.ts'
import { changeState, lockState } from '../state.ts'
import { define } from '../tables.ts'
import { recordEvents } from '../webhooks/record-events.ts'
import { petJson } from './pet-json.ts'
import type { PetStatus } from './schema.ts'

export interface PetToCreate {
  name: string
  categoryId: bigint | number
  status: PetStatus
  /** Undefined without an Idempotency-Key. */
  use: Use | undefined
  /** When, in milliseconds since the epoch. */
  now: number
}

/** An animal alone, without who asked for it. */
export type PlainPet = Omit<PetToCreate, 'use' | 'now'>

/** A work of the database: creates each input's animal, or finds what its idempotency key did before. */
export async function createPets(session: Session, inputs: PetToCreate[]): Promise<Outcome[]> {
  const outcomes = new Map<PetToCreate, Outcome>()
  const fresh: PetToCreate[] = []
  const seen = new Set<string>()
  const repeats: { input: PetToCreate; use: Use }[] = []

  if (inputs.some((input) => input.use)) await lockState(session)
  for (const input of inputs) {
    const { use } = input
    if (!use) {
      fresh.push(input)
      continue
    }
    const name = `${use.scope} ${use.key}`
    if (seen.has(name)) {
      repeats.push({ input, use })
      continue
    }
    seen.add(name)
    const earlier = await findEarlier(session, use)
    if (earlier) outcomes.set(input, earlier)
    else fresh.push(input)
  }

  for (const [input, outcome] of await createFresh(session, fresh)) outcomes.set(input, outcome)
  for (const { input, use } of repeats) {
    // By now the key's first use is recorded: just above, or by whoever came before this transaction.
    const earlier = await findEarlier(session, use)
    if (!earlier) throw new Error('the first use of an idempotency key was not recorded')
    outcomes.set(input, earlier)
  }
  return inputs.map((input) => outcomes.get(input) as Outcome)
}

/**
 * Inserts animals with the next ids; gives the first id. To be called inside a write. Webhooks hear of
 * them with the time `now`, and do not without it.
 */
export async function insertPets(
  session: Session,
  pets: PlainPet[],
  now?: number,
): Promise<bigint> {
  const count = (status: PetStatus): number => pets.filter((pet) => pet.status === status).length
  const state = await changeState(session, {
    last_pet_id: pets.length,
    available: count('available'),
    pending: count('pending'),
    sold: count('sold'),
  })
  const first = state.last_pet_id - BigInt(pets.length) + 1n
  for (let start = 0; start < pets.length; ) {
    const size = sizes.find((s) => s <= pets.length - start) as number
    const params: Record<string, Value> = {}
    for (let i = 0; i < size; i++) {
      const pet = pets[start + i] as PlainPet
      params[`id${i}`] = first + BigInt(start + i)
      params[`name${i}`] = pet.name
      params[`category${i}`] = BigInt(pet.categoryId)
      params[`status${i}`] = pet.status
    }
    await session.all(insertQuery(size), params)
    start += size
  }
  if (now !== undefined) {
    await recordEvents(session, state, now, () =>
      pets.map(({ name, categoryId, status }, i) => {
        const petId = first + BigInt(i)
        return { type: 'pet.created', petId, data: petJson(petId, name, categoryId, status) }
      }),
    )
  }
  return first
}

async function createFresh(
  session: Session,
  pets: PetToCreate[],
): Promise<[PetToCreate, Outcome][]> {
  const [earliest] = pets
  if (!earliest) return []
  const first = await insertPets(session, pets, earliest.now)
  const created: [PetToCreate, Outcome][] = []
  for (const [i, pet] of pets.entries()) {
    const id = first + BigInt(i)
    const body = petJson(id, pet.name, pet.categoryId, pet.status)
    const answer = { status: 201, location: `/pets/${id}`, body }
    if (pet.use) await recordUse(session, pet.use, answer)
    created.push([pet, { kind: 'done', answer }])
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
