// Changing and removing animals. An open order holds its animal: it cannot be removed, nor its status
// changed but by the order. Conditions (If-Match, If-None-Match) are checked under the lock.
import { AppError } from '#kit/errors.ts'
import { type Conditions, entityTag, failedCondition } from '#kit/http/response/ready-response.ts'
import type { PetRecord } from '../changes/record-set.ts'
import type { Records } from '../changes/records.ts'
import { type StoreWrite, writeToFound } from '../changes/store-write.ts'
import type { Use } from '../idempotency/idempotency.ts'
import { petJson } from './pet-json.ts'
import type { PetPatch } from './schema.ts'

interface Target {
  /** Undefined without an Idempotency-Key. */
  use: Use | undefined
  /** Undefined for what cannot be an id. */
  id: bigint | undefined
  conditions: Conditions
  /** When, in milliseconds since the epoch. */
  now: number
}

/** Applies a merge patch (RFC 7396). */
export function patchPet({ patch, ...target }: Target & { patch: PetPatch }): StoreWrite {
  return writeToFound(targeted(target), (records, found) => {
    const next: PetRecord = {
      id: found.id,
      name: patch.name ?? found.name,
      categoryId: patch.categoryId === undefined ? found.categoryId : BigInt(patch.categoryId),
      // RFC 7396: null removes, and an animal without a status is available.
      status: patch.status === undefined ? found.status : (patch.status ?? 'available'),
    }
    const held = next.status === found.status ? undefined : findHold(records, found.id)
    if (held) return held
    if (jsonOf(next) !== jsonOf(found)) setPet(records, next, target.now)
    return { status: 200, location: '', body: jsonOf(next) }
  })
}

/** Removes an animal; its id is never given again. */
export function removePet(target: Target): StoreWrite {
  return writeToFound(targeted(target), (records, found) => {
    const held = findHold(records, found.id)
    if (held) return held
    records.removePet(found)
    const event = { type: 'pet.deleted', petId: found.id, data: jsonOf(found) } as const
    records.tell(event, target.now)
    return { status: 204, location: '', body: '' }
  })
}

/** Changes an animal, of which webhooks hear. */
export function setPet(records: Records, pet: PetRecord, now: number): void {
  records.changePet(pet)
  records.tell({ type: 'pet.updated', petId: pet.id, data: jsonOf(pet) }, now)
}

const jsonOf = ({ categoryId, id, name, status }: PetRecord): string =>
  petJson(id, name, categoryId, status)

const targeted = (target: Target) => ({
  use: target.use,
  reads: target.id === undefined ? {} : { pets: [target.id], heldPets: [target.id] },
  find: (records: Records) => findTarget(records, target),
})

function findTarget(records: Records, { conditions, id }: Target): PetRecord | AppError {
  const pet = id === undefined ? undefined : records.pets.get(id)
  if (!pet) return new AppError('pet_not_found', 'No animal has this id.')
  return failedCondition(conditions, entityTag(jsonOf(pet)), 'animal') ?? pet
}

function findHold(records: Records, id: bigint): AppError | undefined {
  const order = records.openOrderOf(id)
  if (order === undefined) return undefined
  return new AppError('conflict', `Order ${order} holds this animal. Deliver or cancel it first.`)
}
