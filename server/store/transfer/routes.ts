// The import over HTTP: bounded, so that it is checked at once and written in one transaction.
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../platform/errors.ts'
import { mediaTypeOf } from '../../platform/http/request/body-type.ts'
import { insertPets } from '../animals/create-pets.ts'
import type { Environment } from '../environment.ts'
import { type Guarded, guarded, sendOutcome, useOf } from '../idempotency/guarded-write.ts'
import { type Form, forms, mediaTypes } from './forms.ts'
import { addBatch, emptyResult, type ImportResult as Found } from './import-pets.ts'
import { importRefusal } from './import-refusal.ts'
import { importBody, maxImportBytes, maxImportRecords, operations } from './operations.ts'
import { createPetReader, type NewPetRow } from './read-pets.ts'
import { ImportPetsQuery, type ImportResult, maxImportProblems } from './schema.ts'

const path = '/pets/import'

export function transferRoutes(app: FastifyInstance, environment: Environment): void {
  const { baseUrl, clock, database } = environment

  app.route({
    method: 'POST',
    url: path,
    bodyLimit: maxImportBytes,
    config: { scope: 'pets:write', operation: operations.importPets, rawBody: importBody },
    schema: { querystring: ImportPetsQuery },
    handler: async (request, reply) => {
      const isDryRun = (request.query as ImportPetsQuery).dryRun === 'true'
      const type = mediaTypeOf(request.headers)
      const form = forms.find((known) => mediaTypes[known] === type) as Form
      const use = useOf(request, path, clock)
      const { found, pets } = readBody(request.body as Buffer, form)
      if (isDryRun) {
        const answer = { status: 200, location: '', body: resultJson(found, true) }
        sendOutcome(request, reply, { kind: 'done', answer }, baseUrl)
        return
      }
      if (found.rejected > 0) throw importRefusal(found)
      sendOutcome(
        request,
        reply,
        await database.write(addPets, { pets, use, now: clock() }),
        baseUrl,
      )
    },
  })
}

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
    throw new AppError('body_too_large', `An import may have ${maxImportRecords} records.`)
  }
  return { found, pets }
}

function resultJson(found: Found, dryRun: boolean): string {
  const { checked, imported, problems, rejected } = found
  return JSON.stringify({ dryRun, checked, imported, rejected, problems } satisfies ImportResult)
}
