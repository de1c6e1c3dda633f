// animals export: writes the animals to a file or standard output, straight on the database, with the server
// running or not.
import { statSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { countPets } from '../../store/animals/list-pets.ts'
import { PetStatus } from '../../store/animals/schema.ts'
import { exportPets } from '../../store/transfer/export-pets.ts'
import { CommandError, type Input, print, UsageError } from '../command-line/command.ts'
import { onStore } from '../command-line/on-store.ts'
import { createProgress } from '../command-line/progress.ts'
import { animals, ofFile, readForm, unknownForm } from './animals-file.ts'

/** Runs the command: see animals.ts. */
export async function runAnimalsExport(input: Input): Promise<number> {
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
  const exported = await onStore(input, async (database) => {
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
