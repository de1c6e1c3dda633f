// Adding animals. All creates of a group commit go through one call: ids are allocated, counters moved
// and rows inserted under one lock, so that ids become visible in order.
import type { Session } from '../../platform/database/database.ts'
import { rowInserter } from '../../platform/database/insert-rows.ts'
import { changeState, lockState } from '../database/state.ts'
import type { StoreTables } from '../database/tables.ts'
import { findEarlier, type Outcome } from '../idempotency/guarded-write.ts'
import { recordUse, type Use } from '../idempotency/idempotency.ts'
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

const insertRows = rowInserter<StoreTables>()('pets', ['id', 'name', 'category_id', 'status'])

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
    // By now the key's first use is recorded: just above, or by an earlier transaction.
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
  await insertRows(
    session,
    pets.map(({ name, categoryId, status }, i) => ({
      id: first + BigInt(i),
      name,
      category_id: BigInt(categoryId),
      status,
    })),
  )
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
