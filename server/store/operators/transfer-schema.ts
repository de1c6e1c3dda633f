// The wire shapes of an import by the management API: what it did, or what it would do.
import { type Static, Type } from 'typebox'
import { booleanText } from '#kit/schema/described-schema.ts'
import { PetStatus } from '../animals/schema.ts'
import { forms } from '../transfer/forms.ts'
import { LineProblem } from '../transfer/schema.ts'

export const maxProblems = 20
export const maxShown = 10

export const ImportAnimalsQuery = Type.Object({
  dryRun: booleanText('`true` checks everything and writes nothing.'),
  keepGoing: booleanText(
    '`true` imports the valid records and skips the rest; otherwise all or nothing.',
  ),
})

const AnimalToImport = Type.Object({
  name: Type.String(),
  categoryId: Type.Unsafe<number | bigint>(Type.Integer({ format: 'int64' })),
  status: Type.Enum([...PetStatus.enum], { type: 'string' }),
})

export const ImportOfAnimals = Type.Object(
  {
    dryRun: Type.Boolean({ description: 'True when nothing was written.' }),
    checked: Type.Integer({ minimum: 0, description: 'Records in the file.' }),
    imported: Type.Integer({ minimum: 0, description: 'Animals that were added.' }),
    rejected: Type.Integer({ minimum: 0, description: 'Records that are no animals.' }),
    isWhole: Type.Boolean({
      description: 'False when the file could not be read to its end; then nothing is imported.',
    }),
    problemCount: Type.Integer({ minimum: 0, description: 'How many problems there are.' }),
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

export const ExportAnimalsQuery = Type.Object({
  form: Type.Enum([...forms], { type: 'string', default: 'csv', description: 'Form of the file.' }),
  status: Type.Optional(
    Type.Enum([...PetStatus.enum], { type: 'string', description: 'Only those of this status.' }),
  ),
})
