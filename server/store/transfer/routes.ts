// What the import by the store's own API does.
import { AppError } from '../../platform/errors.ts'
import { mediaTypeOf } from '../../platform/http/request/body-type.ts'
import { insertPets } from '../animals/create-pets.ts'
import { type Guarded, guarded } from '../idempotency/guarded-write.ts'
import { writeRoute } from '../operations/store-route.ts'
import { type Form, forms, mediaTypes } from './forms.ts'
import { addBatch, emptyResult, type ImportResult as Found, importRefusal } from './import-pets.ts'
import { maxImportRecords, operations } from './operations.ts'
import { createPetReader, type NewPetRow } from './read-pets.ts'
import { type ImportResult, maxImportProblems } from './schema.ts'

export const importRoute = writeRoute(
  operations.importPets,
  async (database, { bytes, now, query, request, use }) => {
    const type = mediaTypeOf(request.headers)
    const form = forms.find((known) => mediaTypes[known] === type) as Form
    const { found, pets } = readBody(bytes as Buffer, form)
    if (query.dryRun === 'true') {
      return { kind: 'done', answer: { status: 200, location: '', body: resultJson(found, true) } }
    }
    if (found.rejected > 0) throw importRefusal(found)
    return await database.write(addPets, { pets, use, now })
  },
)

const addPets = guarded(
  async (session, { now, pets }: Guarded & { now: number; pets: NewPetRow[] }) => {
    if (pets.length > 0) {
      await insertPets(
        session,
        pets.map(([name, categoryId, status]) => ({ name, categoryId, status })),
        now,
      )
    }
    const added = { ...emptyResult(), checked: pets.length, imported: pets.length }
    return { status: 200, location: '', body: resultJson(added, false) }
  },
)

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
