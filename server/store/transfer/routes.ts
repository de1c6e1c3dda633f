// The import of animals by the store's own API: bounded, checked as a whole, written in one transaction.
import { Type } from 'typebox'
import { AppError } from '#kit/errors.ts'
import { mediaTypeOf } from '#kit/http/request/request-head.ts'
import { addPet } from '../animals/change-pets.ts'
import { NewPet } from '../animals/schema.ts'
import type { StoreWrite } from '../changes/store-write.ts'
import type { Use } from '../idempotency/idempotency.ts'
import { storeRoutesOf } from '../operations/store-route.ts'
import { type Form, forms, mediaTypes } from './forms.ts'
import { addBatch, emptyResult, type ImportResult as Found, importRefusal } from './import-pets.ts'
import { createPetReader, type NewPetRow } from './read-pets.ts'
import { ImportPetsQuery, ImportResult, maxImportProblems } from './schema.ts'

const maxImportBytes = 1024 * 1024
const maxImportRecords = 10_000
const maxRecordsText = maxImportRecords.toLocaleString('en')

const rex = '{"name":"Rex","categoryId":7}'
const mia = '{"name":"Mia","categoryId":3,"status":"sold"}'
const ndjson = {
  schema: Type.String({ description: 'A NewPet on each line.' }),
  examples: { ndjson: { summary: 'Two animals', value: `${rex}\n${mia}\n` } },
}

const route = storeRoutesOf({ tag: 'animals', records: 'pets' })

export const importRoute = route('POST /pets/import', 'importPets', {
  summary: 'Add many animals',
  description: `Adds the animals of the body, in their order, all or none: at most ${maxRecordsText} in 1 MiB. Each is validated like a creation and gets a new id. A dry run reports problems with a 200; otherwise it is a 400 whose details name the line. For more animals there is the command \`animals import\`.`,
  query: ImportPetsQuery,
  rawBody: {
    maxBytes: maxImportBytes,
    mediaTypes: {
      [mediaTypes.json]: {
        schema: Type.Array(NewPet, { maxItems: maxImportRecords }),
        examples: {
          json: { summary: 'Two animals', value: [JSON.parse(rex), JSON.parse(mia)] },
        },
      },
      [mediaTypes.ndjson]: ndjson,
      'application/ndjson': ndjson,
      'application/jsonl': ndjson,
      [mediaTypes.csv]: {
        schema: Type.String({
          description:
            'RFC 4180, in UTF-8, with a header line: the columns name, categoryId and, where wanted, status, in any order. Other columns are ignored.',
        }),
        examples: {
          csv: {
            summary: 'Two animals',
            value: 'name,categoryId,status\r\nRex,7,\r\n"Mia, the cat",3,sold\r\n',
          },
        },
      },
    },
  },
  returns: ImportResult,
  errors: ['invalid_parameter'],
  document: {
    'x-stability': 'experimental',
    answerDescription: 'All animals were added, or, of a dry run, what would happen',
    answerExamples: {
      imported: {
        summary: 'Two animals were added',
        value: { dryRun: false, checked: 2, imported: 2, rejected: 0, problems: [] },
      },
      dryRun: {
        summary: 'A dry run that found something',
        value: {
          dryRun: true,
          checked: 2,
          imported: 0,
          rejected: 1,
          problems: [
            {
              line: 3,
              path: 'status',
              message: 'status must be one of: available, pending, sold.',
            },
          ],
        },
      },
    },
    conditions: {
      400: 'A record is no animal, or the body cannot be read; nothing was added',
      413: `The body is over 1 MiB, or has more than ${maxRecordsText} records`,
      415: 'The body is not plain CSV, NDJSON or JSON',
    },
  },
  write({ bytes, now, query, request, use }) {
    const type = mediaTypeOf(request.headers)
    const form = forms.find((known) => mediaTypes[known] === type) ?? 'ndjson'
    const { found, pets } = readBody(bytes as Buffer, form)
    if (query.dryRun === 'true') {
      return { status: 200, location: '', body: resultJson(found, true) }
    }
    if (found.rejected > 0) throw importRefusal(found)
    return addPets({ pets, use, now })
  },
})

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
  const result = emptyResult()
  const pets: NewPetRow[] = []
  for (const batch of [reader.push(bytes), reader.end()]) {
    addBatch(result, batch, maxImportProblems)
    for (const pet of batch.pets) pets.push(pet)
  }
  if (result.checked > maxImportRecords) {
    throw new AppError('body_too_large', `An import must not exceed ${maxImportRecords} records.`)
  }
  return { found: result, pets }
}

function resultJson(found: Found, dryRun: boolean): string {
  const { checked, imported, problems, rejected } = found
  return JSON.stringify({ dryRun, checked, imported, rejected, problems } satisfies ImportResult)
}
