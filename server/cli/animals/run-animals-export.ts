// Runs animals export on the local database, with or without a running server.
import { statSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { countPets } from '#store/animals/list-pets.ts'
import { PetStatus } from '#store/animals/schema.ts'
import { exportPets } from '#store/transfer/export-pets.ts'
import { CommandError, type Input, print, UsageError } from '../command-line/command.ts'
import { withStore } from '../command-line/local-database.ts'
import { createProgress } from '../command-line/progress.ts'
import { animals, asFileError, readFormat } from './animals-file.ts'

export async function runAnimalsExport(input: Input): Promise<undefined> {
  const file = input.operands[0] === '-' ? undefined : input.operands[0]
  if (input.json && !file) {
    throw new UsageError('--json requires FILE: without it the animals go to standard output')
  }
  const format = readFormat(input, file ?? '-') ?? 'csv'
  const status = PetStatus.enum.find((known) => known === input.options.status)
  const progress = createProgress(process.stderr, () => performance.now())
  const exported = await withStore(input.options.environment, async (database) => {
    const total = Number(await countPets(database.read, { status, ids: undefined }))
    let count = 0
    const write = async (to: (text: string) => Promise<unknown>): Promise<void> => {
      for await (const part of exportPets(database, format, status)) {
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
