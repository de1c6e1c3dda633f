// Creates animals: one for a request, of which webhooks hear, or many at once, of which they do not.
import type { WriteSession } from '#kit/database/database.ts'
import { openRecords, type Records } from '../changes/records.ts'
import type { StoreWrite } from '../changes/store-write.ts'
import type { Use } from '../idempotency/idempotency.ts'
import { petJson } from './pet-json.ts'
import type { PetStatus } from './schema.ts'

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
  const { categoryId, id } = records.insertPet({ name, categoryId: BigInt(pet.categoryId), status })
  const json = petJson(id, name, categoryId, status)
  records.tell({ type: 'pet.created', petId: id, data: json }, now)
  return { id, json }
}

/** Inserts animals with the next ids, of which webhooks do not hear. To be called inside a write. */
export async function insertPets(session: WriteSession, pets: PlainPet[]): Promise<void> {
  const { records, save } = await openRecords(session)
  for (const { categoryId, name, status } of pets) {
    records.insertPet({ name, categoryId: BigInt(categoryId), status })
  }
  save()
}
