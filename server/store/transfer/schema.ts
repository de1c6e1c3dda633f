// The wire shapes of an import.
import { type Static, Type } from 'typebox'
import { booleanText, count } from '#kit/schema/described-schema.ts'

/** A record may span lines: the number is that of its first. */
export const LineProblem = Type.Object({
  line: Type.Integer({ minimum: 1, description: "The record's first line, from 1." }),
  path: Type.String({ description: 'The field; empty for the whole record.' }),
  message: Type.String({ description: 'What is wrong, and what is required.' }),
})

export const maxImportProblems = 100

export const ImportResult = Type.Object(
  {
    dryRun: Type.Boolean({ description: 'True when all was checked and nothing written.' }),
    checked: count('Records in the body.'),
    imported: count('Animals that were added.'),
    rejected: count('Records that are no animals; only a dry run has any.'),
    problems: Type.Array(LineProblem, {
      maxItems: maxImportProblems,
      description: `What is wrong with the records: the first ${maxImportProblems} problems.`,
    }),
  },
  { $id: 'ImportResult', description: 'What an import did, or would do.' },
)
export type ImportResult = Static<typeof ImportResult>

export const ImportPetsQuery = Type.Object({
  dryRun: booleanText('`true` checks everything and writes nothing.'),
})
