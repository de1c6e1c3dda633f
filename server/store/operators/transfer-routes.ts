// The import and export of animals as files, in the management API.
import { type Static, Type } from 'typebox'
import { streamBody } from '#kit/api/read-body.ts'
import { AppError } from '#kit/errors.ts'
import { mediaTypeOf } from '#kit/http/request/request-head.ts'
import { exactInteger } from '#kit/json/exact-number.ts'
import { booleanText, count, words } from '#kit/schema/described-schema.ts'
import { maxImportBytes, maxImportRecords } from '../../../client/values/limits.ts'
import { Pet, PetStatus } from '../animals/schema.ts'
import { type EnvironmentsContext, environmentRoutesOf } from '../database/environment-routes.ts'
import { exportPets } from '../transfer/export-pets.ts'
import { forms, mediaTypes } from '../transfer/forms.ts'
import { importPets, importRefusal } from '../transfer/import-pets.ts'
import type { NewPetRow } from '../transfer/read-pets.ts'
import { LineProblem } from '../transfer/schema.ts'

const maxProblems = 20
const maxShown = 10

const ImportAnimalsQuery = Type.Object({
  dryRun: booleanText('`true` checks everything and writes nothing.'),
  keepGoing: booleanText(
    '`true` imports the valid records and skips the rest; otherwise all or nothing.',
  ),
})

const AnimalToImport = Type.Object({
  name: Type.String(),
  categoryId: Type.Unsafe<number | bigint>(Type.Integer({ format: 'int64' })),
  status: words(PetStatus.enum),
})

const ImportOfAnimals = Type.Object(
  {
    dryRun: Type.Boolean({ description: 'True when nothing was written.' }),
    checked: count('Records in the file.'),
    imported: count('Animals that were added.'),
    rejected: count('Records that are no animals.'),
    isWhole: Type.Boolean({
      description: 'False when the file could not be read to its end; then nothing is imported.',
    }),
    problemCount: count('How many problems there are.'),
    problems: Type.Array(LineProblem, {
      maxItems: maxProblems,
      description: `The first ${maxProblems}.`,
    }),
    first: Type.Array(AnimalToImport, {
      maxItems: maxShown,
      description: `The first ${maxShown} records that are animals.`,
    }),
  },
  { $id: 'ImportOfAnimals' },
)
export type ImportOfAnimals = Static<typeof ImportOfAnimals>

const ExportAnimalsQuery = Type.Object({
  form: Type.Enum([...forms], { type: 'string', default: 'csv', description: 'Form of the file.' }),
  status: Type.Optional(words(PetStatus.enum, 'Only those of this status.')),
})

const route = environmentRoutesOf<EnvironmentsContext>('animals')

export const transferRoutes = [
  route('POST /store/{environment}/pets/import', 'importAnimals', {
    summary: 'Add the animals of a file',
    description: `At most ${maxImportRecords.toLocaleString('en')} in ${maxImportBytes / 1024 / 1024} MiB, each validated like a creation; the command \`animals import\` takes more. A dry run reports problems with a 200; otherwise invalid records are a 400 whose details name the line, unless they are to be skipped. No webhook events are sent.`,
    scope: 'store:write',
    query: ImportAnimalsQuery,
    upload: { mediaTypes: Object.values(mediaTypes), maxBytes: maxImportBytes },
    returns: ImportOfAnimals,
    errors: ['invalid_body'],
    async handle({ database, query, request }) {
      const dryRun = query.dryRun === 'true'
      const keepGoing = query.keepGoing === 'true'
      const type = mediaTypeOf(request.headers)
      const first: NewPetRow[] = []
      const body = streamBody(request, maxImportBytes)
      const result = await importPets(dryRun ? undefined : database, body, {
        form: forms.find((known) => mediaTypes[known] === type),
        keepGoing,
        maxProblems,
        onPets: (pets) => void first.push(...pets.slice(0, maxShown - first.length)),
        onRead({ records }) {
          if (records <= maxImportRecords) return
          const message = `An import must not exceed ${maxImportRecords} records. Use the command animals import for more.`
          throw new AppError('body_too_large', message)
        },
      })
      const isRefused = result.rejected > 0 && !(keepGoing && result.isWhole)
      if (isRefused && !dryRun) throw importRefusal(result)
      return {
        dryRun,
        ...result,
        first: first.map(([name, categoryId, status]) => ({
          name,
          categoryId: exactInteger(categoryId),
          status,
        })),
      }
    },
  }),
  route('GET /store/{environment}/pets/export', 'exportAnimals', {
    summary: 'Get the animals as a file',
    description:
      'By ascending id: every animal that is there throughout is in it exactly once. An import takes it back.',
    scope: 'store:read',
    query: ExportAnimalsQuery,
    download: {
      [mediaTypes.csv]: Type.String({ description: 'RFC 4180, in UTF-8, with a header line.' }),
      [mediaTypes.ndjson]: Type.String({ description: 'An animal on each line.' }),
      [mediaTypes.json]: Type.Array(Pet),
    },
    async handle({ database, environment, origin, query: { form, status } }) {
      const day = new Date(origin.at).toISOString().slice(0, 10)
      return {
        mediaType: mediaTypes[form],
        fileName: `animals-${environment}-${day}.${form}`,
        parts: textOf(exportPets(database, form, status)),
      }
    },
  }),
] as const

async function* textOf(parts: AsyncIterable<{ text: string }>): AsyncGenerator<string> {
  for await (const { text } of parts) if (text !== '') yield text
}
