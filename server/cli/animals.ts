// animals import | export: moving animals in and out, straight on the database, with the server running or not.
import { createReadStream, existsSync, fstatSync, statSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import type { Database } from '../platform/database/database.ts'
import { countPets } from '../store/animals/list-pets.ts'
import { PetStatus } from '../store/animals/schema.ts'
import { environmentNames } from '../store/keys/api-key.ts'
import { exportPets } from '../store/transfer/export-pets.ts'
import { type Form, formOfName, forms } from '../store/transfer/forms.ts'
import { type ImportResult, importPets } from '../store/transfer/import-pets.ts'
import { createRejectedFile } from '../store/transfer/rejected-file.ts'
import { type Command, CommandError, type Input, type Option, UsageError } from './command.ts'
import { onDatabase, print } from './keys.ts'
import { createProgress } from './progress.ts'

const environment: Option = {
  value: environmentNames.join('|'),
  meaning: 'Which environment.',
  required: true,
}
const maxProblems = 20
const chunkBytes = 64 * 1024

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
    const [file = ''] = input.operands
    const { rejected } = input.options
    const isDryRun = input.options['dry-run'] !== undefined
    const keepGoing = input.options['keep-going'] !== undefined
    if (rejected !== undefined && !keepGoing) throw new UsageError('--rejected needs --keep-going')
    const form = readForm(input, file)
    const source = openSource(file)
    const rejectedPath = rejected ?? `${file === '-' ? 'stdin' : file}.rejected.ndjson`
    if (keepGoing && !isDryRun && existsSync(rejectedPath)) {
      throw new CommandError(
        `${rejectedPath} exists, and is not overwritten: move it, or choose --rejected`,
      )
    }
    const rejects = createRejectedFile(rejectedPath)
    const progress = createProgress(process.stderr, () => performance.now())
    const run = (database: Database | undefined): Promise<ImportResult> =>
      importPets(database, source.chunks, {
        form,
        keepGoing,
        maxProblems,
        onRead({ bytes, records }, found) {
          progress.update({ label: 'Checking', done: bytes, total: source.size, count: records })
          if (keepGoing && !isDryRun) rejects.write(found)
        },
        onMove: (moved, all) =>
          progress.update({ label: 'Importing', done: moved, total: all, count: moved }),
      })
    try {
      const result = await (isDryRun
        ? run(checkEnvironment(input))
        : onDatabase(input, (database) => run(database)))
      rejects.close()
      if (!result.isWhole) rejects.discard()
      progress.end()
      const hasFile = keepGoing && !isDryRun && result.isWhole && result.rejected > 0
      report(input, result, { isDryRun, rejectedFile: hasFile ? rejectedPath : undefined })
      return result.rejected > 0 ? 1 : 0
    } catch (error) {
      rejects.discard()
      progress.end()
      throw ofFile(error, file)
    }
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
    status: { value: PetStatus.enum.join('|'), meaning: 'Only animals of this status.' },
  },
  async run(input) {
    const file = input.operands[0] === '-' ? undefined : input.operands[0]
    if (input.json && !file) {
      throw new UsageError('--json needs a FILE: the animals themselves go to standard output')
    }
    const form = file ? readForm(input, file) : (readForm(input, '-') ?? 'csv')
    if (!form) throw new UsageError(unknownForm(file ?? ''))
    const status = PetStatus.enum.find((known) => known === input.options.status)
    if (input.options.status !== undefined && !status) {
      throw new UsageError(`--status accepts ${PetStatus.enum.join(', ')}`)
    }
    const progress = createProgress(process.stderr, () => performance.now())
    const exported = await onDatabase(input, async (database) => {
      const total = Number(await countPets(database.read, { status, ids: undefined }))
      let count = 0
      const write = async (to: (text: string) => Promise<unknown>): Promise<void> => {
        for await (const part of exportPets(database, form, status)) {
          await to(part.text)
          count += part.count
          progress.update({ label: 'Exporting', done: count, total, count })
        }
      }
      try {
        await (file ? writeFileWhole(file, write) : writeStandardOutput(write))
      } finally {
        progress.end()
      }
      return count
    })
    if (file) print(input, { exported, file }, `Exported ${animals(exported)} to ${file}.`)
    return 0
  },
}

/** Undefined for standard input without --format. */
function readForm(input: Input, file: string): Form | undefined {
  const { format } = input.options
  const form = forms.find((known) => known === format)
  if (format !== undefined && !form) throw new UsageError(`--format accepts ${forms.join(', ')}`)
  if (form || file === '-') return form
  const found = formOfName(file)
  if (!found) throw new UsageError(unknownForm(file))
  return found
}

function unknownForm(file: string): string {
  return `the name ${JSON.stringify(file)} does not tell the form: choose --format ${forms.join('|')}`
}

/** A dry run needs no database, but is to fail on what the real one would fail on. */
function checkEnvironment(input: Input): undefined {
  if (!environmentNames.some((name) => name === input.options.environment)) {
    throw new UsageError(`--environment accepts ${environmentNames.join(' or ')}`)
  }
}

/** The input's chunks, and its size where that is known. */
function openSource(file: string): { chunks: AsyncIterable<Buffer>; size: number | undefined } {
  if (file === '-') {
    const stat = fstatSync(0)
    return { chunks: process.stdin, size: stat.isFile() ? stat.size : undefined }
  }
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat) throw new CommandError(`there is no file ${file}`)
  if (stat.isDirectory()) throw new CommandError(`${file} is a folder`)
  return {
    chunks: createReadStream(file, { highWaterMark: chunkBytes }),
    size: stat.isFile() ? stat.size : undefined,
  }
}

/** A file's own errors, told of the file: as they are they would be taken for those of the listener. */
function ofFile(error: unknown, file: string): unknown {
  const { code, syscall, path } = error as NodeJS.ErrnoException
  if (code === undefined || !['open', 'read', 'write', 'rename'].includes(syscall ?? ''))
    return error
  const what =
    syscall === 'read' ? 'read' : syscall === 'open' && path === file ? 'opened' : 'written'
  return new CommandError(`${path ?? file} cannot be ${what}: ${code}`)
}

interface ReportOptions {
  isDryRun: boolean
  rejectedFile: string | undefined
}

function report(
  input: Input,
  result: ImportResult,
  { isDryRun, rejectedFile }: ReportOptions,
): void {
  const { checked, imported, rejected, problems, problemCount } = result
  for (const { line, path, message } of problems) {
    // A message of a field begins with it; one that does not is told its field.
    const where = path === '' || message.startsWith(path) ? '' : `${path}: `
    process.stderr.write(`line ${line}: ${where}${message}\n`)
  }
  const more = problemCount - problems.length
  if (more > 0) process.stderr.write(`… and ${number(more)} more problems.\n`)
  const of = `${number(rejected)} of ${number(checked)} records`
  if (input.json) {
    const file = rejectedFile ?? null
    print(
      input,
      { imported, rejected, checked, dryRun: isDryRun, problems, problemCount, rejectedFile: file },
      '',
    )
  } else if (rejected === 0) {
    const done = `Checked ${animals(checked)}: all are good. Nothing was written.`
    print(input, {}, isDryRun ? done : `Imported ${animals(imported)}.`)
  } else if (rejectedFile) {
    print(input, {}, `Imported ${animals(imported)}.`)
    process.stderr.write(`animal-store: ${of} were rejected; see ${rejectedFile}\n`)
  } else {
    process.stderr.write(`animal-store: ${of} cannot be imported; nothing was.\n`)
  }
}

function animals(count: number): string {
  return `${number(count)} ${count === 1 ? 'animal' : 'animals'}`
}

function number(count: number): string {
  return count.toLocaleString('en')
}

type Write = (to: (text: string) => Promise<unknown>) => Promise<void>

/** The file is there when it is complete; what was there before stays until then. */
async function writeFileWhole(file: string, write: Write): Promise<void> {
  const isOther = statSync(file, { throwIfNoEntry: false })?.isFile() === false
  const path = isOther ? file : `${file}.partial`
  try {
    const handle = await open(path, 'w')
    try {
      await write((text) => handle.writeFile(text))
      if (!isOther) await handle.sync()
    } finally {
      await handle.close()
    }
    if (!isOther) await rename(path, file)
  } catch (error) {
    if (!isOther) await rm(path, { force: true })
    throw ofFile(error, path)
  }
}

async function writeStandardOutput(write: Write): Promise<void> {
  const { stdout } = process
  let failed: Error | undefined
  stdout.on('error', (error) => {
    failed = error
  })
  await write(async (text) => {
    if (failed) throw new CommandError('standard output was closed before the end')
    await new Promise<void>((resolve) => stdout.write(text, () => resolve()))
  })
}
