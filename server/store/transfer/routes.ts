// What the import by the store's own API does.
import { AppError } from '#kit/errors.ts'
import { mediaTypeOf } from '#kit/http/request/body-type.ts'
import { addPet } from '../animals/create-pets.ts'
import type { StoreWrite } from '../changes/store-write.ts'
import type { Use } from '../idempotency/idempotency.ts'
import { writeRoute } from '../operations/store-route.ts'
import { type Form, forms, mediaTypes } from './forms.ts'
import { addBatch, emptyResult, type ImportResult as Found, importRefusal } from './import-pets.ts'
import { maxImportRecords, operations } from './operations.ts'
import { createPetReader, type NewPetRow } from './read-pets.ts'
import { type ImportResult, maxImportProblems } from './schema.ts'

export const importRoute = writeRoute(
  operations.importPets,
  ({ bytes, now, query, request, use }) => {
    const type = mediaTypeOf(request.headers)
    const form = forms.find((known) => mediaTypes[known] === type) ?? 'ndjson'
    const { found, pets } = readBody(bytes as Buffer, form)
    if (query.dryRun === 'true') {
      return { status: 200, location: '', body: resultJson(found, true) }
    }
    if (found.rejected > 0) throw importRefusal(found)
    return addPets({ pets, use, now })
  },
)

function addPets({ now, pets, use }: AddedPets): StoreWrite {
  return {
    use,
    reads: {},
    change(records) {
      for (const [name, categoryId, status] of pets) {
        addPet(records, { name, categoryId, status }, now)
      }
      const added = { ...emptyResult(), checked: pets.length, imported: pets.length }
      return { status: 200, location: '', body: resultJson(added, false) }
    },
  }
}

interface AddedPets {
  pets: NewPetRow[]
  use: Use | undefined
  now: number
}

function readBody(bytes: Buffer, form: Form): { found: Found; pets: NewPetRow[] } {
  const reader = createPetReader(form)
  const found = emptyResult()
  const pets: NewPetRow[] = []
  for (const batch of [reader.push(bytes), reader.end()]) {
    addBatch(found, batch, maxImportProblems)
    for (const pet of batch.pets) pets.push(pet)
  }
  if (found.checked > maxImportRecords) {
    throw new AppError('body_too_large', `An import must not exceed ${maxImportRecords} records.`)
  }
  return { found, pets }
}

function resultJson(found: Found, dryRun: boolean): string {
  const { checked, imported, problems, rejected } = found
  return JSON.stringify({ dryRun, checked, imported, rejected, problems } satisfies ImportResult)
}
