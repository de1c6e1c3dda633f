// The declarations of animals import | export and staging reset. What only running needs is loaded then.
import type { PetStatus } from '#store/animals/schema.ts'
import { environmentNames } from '#store/database/environment-name.ts'
import { forms } from '#store/transfer/forms.ts'
import { type Command, type Option, print } from '../command-line/command.ts'

const environment: Option = {
  choices: environmentNames,
  meaning: 'The environment.',
  required: true,
}
/** As in the schema, which is too large to load for the help; a test compares them. */
const statuses: readonly PetStatus[] = ['available', 'pending', 'sold']

export const animalsCommands: Command[] = [
  {
    name: 'animals import',
    summary: 'Imports animals from a file: all of them, or none.',
    details:
      'The file is CSV with a header line, NDJSON or a JSON array; - reads standard input. Every animal gets a new id.',
    operands: ['FILE'],
    options: {
      environment,
      format: {
        choices: forms,
        meaning:
          'The file format. Default: detected from the file name or, on standard input, the content.',
      },
      'dry-run': { meaning: 'Check everything, change nothing.' },
      'keep-going': { meaning: 'Import valid records and write the others to a file.' },
      rejected: {
        value: 'REJECTED',
        meaning:
          'The file for rejected records, which must not exist. Default: FILE.rejected.ndjson.',
      },
    },
    run: async (input) => (await import('./run-animals-import.ts')).runAnimalsImport(input),
  },
  {
    name: 'animals export',
    summary: 'Exports animals to a file or to standard output.',
    details: 'The format is CSV, NDJSON or a JSON array.',
    operands: ['[FILE]'],
    options: {
      environment,
      format: {
        choices: forms,
        meaning: 'The format. Default: by the file name; csv on standard output.',
      },
      status: { choices: statuses, meaning: 'Only animals with this status.' },
    },
    run: async (input) => (await import('./run-animals-export.ts')).runAnimalsExport(input),
  },
  {
    name: 'staging reset',
    summary: "Replaces staging's animals with the sample animals. API keys are kept.",
    options: {},
    async run(input) {
      const { withStore } = await import('../command-line/local-database.ts')
      const { resetSamples } = await import('#store/environments/first-start.ts')
      const animals = await withStore('staging', (database) => resetSamples(database))
      print(input, { animals }, `Staging has its ${animals} sample animals again.`)
      return undefined
    },
  },
]
