// Creates, changes and removes animals. An open order holds its animal: it cannot be removed, and only the order changes
// its status. Conditions (If-Match, If-None-Match) are checked under the lock.

import type { WriteSession } from '#kit/database/database.ts'
import { AppError } from '#kit/errors.ts'
import { openRecords, type PetRow, type Records } from '../changes/records.ts'
import { type RecordTarget, type StoreWrite, writeToRecord } from '../changes/store-write.ts'
import type { Use } from '../idempotency/idempotency.ts'
import { petJson } from './list-pets.ts'
import type { PetPatch, PetStatus } from './schema.ts'

/** An animal alone, without who asked for it. */
export interface PlainPet {
  name: string
  categoryId: bigint | number
  status: PetStatus
}

interface PetToCreate extends PlainPet {
  /** Undefined without an Idempotency-Key. */
  use: Use | undefined
  /** When, in milliseconds since the epoch. */
  now: number
}

export function createPet({ now, use, ...pet }: PetToCreate): StoreWrite {
  return {
    use,
    reads: {},
    change(records) {
      const { id, json: body } = addPet(records, pet, now)
      return { status: 201, location: `/pets/${id}`, body }
    },
  }
}

/** Adds an animal with the next id, of which webhooks hear. `now` is in milliseconds since the epoch. */
export function addPet(records: Records, pet: PlainPet, now: number): { id: bigint; json: string } {
  const { name, status } = pet
  const added = records.pets.insert({ name, category_id: BigInt(pet.categoryId), status })
  const json = jsonOf(added)
  records.tell({ type: 'pet.created', petId: added.id, data: json }, now)
  return { id: added.id, json }
}

/** Inserts animals with the next ids, of which webhooks do not hear. To be called inside a write. */
export async function insertPets(session: WriteSession, pets: PlainPet[]): Promise<void> {
  const { records, save } = await openRecords(session)
  for (const { categoryId, name, status } of pets) {
    records.pets.insert({ name, category_id: BigInt(categoryId), status })
  }
  save()
}

interface Target extends RecordTarget {
  /** When, in milliseconds since the epoch. */
  now: number
}

const animals = {
  name: 'animal',
  reads: (id: bigint) => ({ pets: [id], heldPets: [id] }),
  find: ({ pets }: Records, id: bigint) => pets.get(id),
  missing: petNotFound,
  toJson: jsonOf,
}

/** Applies a merge patch (RFC 7396). */
export function patchPet({ patch, ...target }: Target & { patch: PetPatch }): StoreWrite {
  return writeToRecord(animals, target, (records, pet) => {
    const next: PetRow = {
      id: pet.id,
      name: patch.name ?? pet.name,
      category_id: BigInt(patch.categoryId ?? pet.category_id),
      // RFC 7396: null removes, and an animal without a status is available.
      status: patch.status === undefined ? pet.status : (patch.status ?? 'available'),
    }
    const hold = next.status === pet.status ? undefined : findHold(records, pet.id)
    if (hold) return hold
    if (jsonOf(next) !== jsonOf(pet)) setPet(records, next, target.now)
    return { status: 200, location: '', body: jsonOf(next) }
  })
}

/** Removes an animal; its id is never given again. */
export function removePet(target: Target): StoreWrite {
  return writeToRecord(animals, target, (records, pet) => {
    const hold = findHold(records, pet.id)
    if (hold) return hold
    records.pets.set(pet.id, undefined)
    const event = { type: 'pet.deleted', petId: pet.id, data: jsonOf(pet) } as const
    records.tell(event, target.now)
    return { status: 204, location: '', body: '' }
  })
}

/** Changes an animal, of which webhooks hear. */
export function setPet(records: Records, pet: PetRow, now: number): void {
  records.pets.set(pet.id, pet)
  records.tell({ type: 'pet.updated', petId: pet.id, data: jsonOf(pet) }, now)
}

export function petNotFound(): AppError {
  return new AppError('pet_not_found', 'No animal has this id.')
}

function jsonOf({ category_id: categoryId, id, name, status }: PetRow): string {
  return petJson(id, name, categoryId, status)
}

function findHold(records: Records, id: bigint): AppError | undefined {
  const order = records.openOrders.get(id)
  if (order === undefined) return undefined
  return new AppError('conflict', `Order ${order} holds this animal. Deliver or cancel it first.`)
}
