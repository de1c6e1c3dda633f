// animals import | export, as they are typed. What they do is in run-animals-import.ts and
// run-animals-export.ts, which only they load.
import type { PetStatus } from '../../store/animals/schema.ts'
import { environmentNames } from '../../store/database/environment-name.ts'
import { forms } from '../../store/transfer/forms.ts'
import type { Command, Option } from '../command-line/command.ts'

const environment: Option = {
  value: environmentNames.join('|'),
  meaning: 'Which environment.',
  required: true,
}
/** Those of the schema, which is not loaded for a help: a test holds them together. */
const statuses: readonly PetStatus[] = ['available', 'pending', 'sold']

export const animalsImport: Command = {
  name: 'animals import',
  summary: 'Add the animals of a file, all or none of them.',
  details:
    'CSV with a header line, NDJSON or a JSON array; - reads standard input. Every animal gets a new id, whatever the file says.',
  operands: ['FILE'],
  options: {
    environment,
    format: {
      value: forms.join('|'),
      meaning: "The file's form. By its extension without it; of standard input, by its beginning.",
    },
    'dry-run': { meaning: 'Check everything and write nothing.' },
    'keep-going': { meaning: 'Import what is good, and write the other records to a file.' },
    rejected: {
      value: 'REJECTED',
      meaning: 'Where --keep-going writes them. FILE.rejected.ndjson without it; must not exist.',
    },
  },
  async run(input) {
    const { runAnimalsImport } = await import('./run-animals-import.ts')
    return await runAnimalsImport(input)
  },
}

export const animalsExport: Command = {
  name: 'animals export',
  summary: 'Write the animals to a file, or to standard output.',
  details: 'As CSV, NDJSON or a JSON array.',
  operands: ['[FILE]'],
  options: {
    environment,
    format: {
      value: forms.join('|'),
      meaning: "The form. By the file's extension without it; csv on standard output.",
    },
    status: { value: statuses.join('|'), meaning: 'Only animals of this status.' },
  },
  async run(input) {
    const { runAnimalsExport } = await import('./run-animals-export.ts')
    return await runAnimalsExport(input)
  },
}
