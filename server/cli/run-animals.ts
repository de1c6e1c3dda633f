// Runs the animals commands on the local database, with or without a running server.
import { createReadStream, existsSync, fstatSync, statSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import type { Database } from '#kit/database/database.ts'
import { countPets } from '#store/animals/list-pets.ts'
import { PetStatus } from '#store/animals/schema.ts'
import { exportPets } from '#store/transfer/export-pets.ts'
import { type Form, formOfName, forms } from '#store/transfer/forms.ts'
import { type ImportResult, importPets } from '#store/transfer/import-pets.ts'
import { createRejectedFile } from '#store/transfer/rejected-file.ts'
import { CommandError, type Input, print, UsageError } from './command-line/command.ts'
import { withStore } from './command-line/local-database.ts'
import { withProgress } from './command-line/progress.ts'

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
  try {
    const result = await withProgress(({ update }) => {
      const run = (database: Database | undefined): Promise<ImportResult> =>
        importPets(database, source.chunks, {
          form: format,
          keepGoing,
          maxProblems,
          onRead({ bytes, records }, found) {
            update({ label: 'Checking', done: bytes, total: source.size, count: records })
            if (keepGoing && !isDryRun) rejects.write(found)
          },
          onMove: (done, total) => update({ label: 'Importing', done, total }),
        })
      return isDryRun ? run(undefined) : withStore(input.options.environment, run)
    })
    rejects.close()
    if (!result.isWhole) rejects.discard()
    const hasFile = keepGoing && !isDryRun && result.isWhole && result.rejected > 0
    report(input, result, { isDryRun, rejectedFile: hasFile ? rejectedPath : undefined })
    return result.rejected > 0 ? 1 : 0
  } catch (error) {
    rejects.discard()
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

export async function runAnimalsExport(input: Input): Promise<undefined> {
  const file = input.operands[0] === '-' ? undefined : input.operands[0]
  if (input.json && !file) {
    throw new UsageError('--json requires FILE: without it the animals go to standard output')
  }
  const format = readFormat(input, file ?? '-') ?? 'csv'
  const status = PetStatus.enum.find((each) => each === input.options.status)
  const exported = await withStore(input.options.environment, async (database) => {
    const total = Number(await countPets(database.read, { status }))
    let done = 0
    await withProgress(async ({ update }) => {
      const write = async (to: (text: string) => Promise<unknown>): Promise<void> => {
        for await (const part of exportPets(database, format, status)) {
          await to(part.text)
          done += part.count
          update({ label: 'Exporting', done, total })
        }
      }
      await (file ? writeFileWhole(file, write) : writeStandardOutput(write))
    })
    return done
  })
  if (file) print(input, { exported, file }, `Exported ${animals(exported)} to ${file}.`)
}

type Write = (to: (text: string) => Promise<unknown>) => Promise<void>

/** Replaces the file only when the new one is complete. */
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
    throw asFileError(error, path)
  }
}

async function writeStandardOutput(write: Write): Promise<void> {
  const { stdout } = process
  let failed: Error | undefined
  stdout.on('error', (error) => {
    failed = error
  })
  await write(async (text) => {
    if (failed) throw new CommandError('standard output was closed early')
    await new Promise<void>((resolve) => stdout.write(text, () => resolve()))
  })
}

/** The format from --format or the file name; undefined for standard input without --format. */
function readFormat(input: Input, file: string): Form | undefined {
  const chosen = forms.find((each) => each === input.options.format)
  const format = chosen ?? (file === '-' ? undefined : formOfName(file))
  if (format || file === '-') return format
  const name = JSON.stringify(file)
  throw new UsageError(`the file name ${name} has no known format: add --format ${forms.join('|')}`)
}

/** Names the file in its errors, whose codes would otherwise be taken for those of the listener. */
function asFileError(error: unknown, file: string): unknown {
  const { code, syscall, path } = error as NodeJS.ErrnoException
  if (code === undefined || !['open', 'read', 'write', 'rename'].includes(syscall ?? ''))
    return error
  const what =
    syscall === 'read' ? 'read' : syscall === 'open' && path === file ? 'opened' : 'written'
  return new CommandError(`${path ?? file} cannot be ${what}: ${code}`)
}

/** Such as `1 animal` or `1,234 animals`. */
function animals(count: number): string {
  return `${number(count)} ${count === 1 ? 'animal' : 'animals'}`
}

/** With commas between the thousands. */
function number(count: number): string {
  return count.toLocaleString('en')
}
