// Runs animals import on the local database, with or without a running server.
import { createReadStream, existsSync, fstatSync, statSync } from 'node:fs'
import type { Database } from '#kit/database/database.ts'
import { type ImportResult, importPets } from '#store/transfer/import-pets.ts'
import { createRejectedFile } from '#store/transfer/rejected-file.ts'
import { CommandError, type Input, print, UsageError } from '../command-line/command.ts'
import { withStore } from '../command-line/local-database.ts'
import { createProgress } from '../command-line/progress.ts'
import { animals, asFileError, number, readFormat } from './animals-file.ts'

const maxProblems = 20
const chunkBytes = 64 * 1024

export async function runAnimalsImport(input: Input): Promise<number> {
  const [file = ''] = input.operands
  const { rejected } = input.options
  const isDryRun = input.options['dry-run'] !== undefined
  const keepGoing = input.options['keep-going'] !== undefined
  if (rejected !== undefined && !keepGoing) throw new UsageError('--rejected requires --keep-going')
  const format = readFormat(input, file)
  const source = openSource(file)
  const rejectedPath = rejected ?? `${file === '-' ? 'stdin' : file}.rejected.ndjson`
  if (keepGoing && !isDryRun && existsSync(rejectedPath)) {
    throw new CommandError(
      `${rejectedPath} already exists: move it, or choose another file with --rejected`,
    )
  }
  const rejects = createRejectedFile(rejectedPath)
  const progress = createProgress(process.stderr, () => performance.now())
  const run = (database: Database | undefined): Promise<ImportResult> =>
    importPets(database, source.chunks, {
      form: format,
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
    const result = await (isDryRun ? run(undefined) : withStore(input.options.environment, run))
    rejects.close()
    if (!result.isWhole) rejects.discard()
    progress.end()
    const hasFile = keepGoing && !isDryRun && result.isWhole && result.rejected > 0
    report(input, result, { isDryRun, rejectedFile: hasFile ? rejectedPath : undefined })
    return result.rejected > 0 ? 1 : 0
  } catch (error) {
    rejects.discard()
    progress.end()
    throw asFileError(error, file)
  }
}

/** The content, and its size where it is known. */
function openSource(file: string): { chunks: AsyncIterable<Buffer>; size: number | undefined } {
  if (file === '-') {
    const stat = fstatSync(0)
    return { chunks: process.stdin, size: stat.isFile() ? stat.size : undefined }
  }
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat) throw new CommandError(`${file} does not exist`)
  if (stat.isDirectory()) throw new CommandError(`${file} is a folder`)
  return {
    chunks: createReadStream(file, { highWaterMark: chunkBytes }),
    size: stat.isFile() ? stat.size : undefined,
  }
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
    // Some messages begin with their field.
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
    const done = `Checked ${animals(checked)}: all are valid. Nothing was imported.`
    print(input, {}, isDryRun ? done : `Imported ${animals(imported)}.`)
  } else if (rejectedFile) {
    print(input, {}, `Imported ${animals(imported)}.`)
    process.stderr.write(`animal-store: ${of} were rejected; see ${rejectedFile}\n`)
  } else {
    process.stderr.write(`animal-store: ${of} are invalid. Nothing was imported.\n`)
  }
}
