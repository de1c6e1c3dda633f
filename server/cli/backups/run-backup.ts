// Runs backup on the local databases, with or without a running server.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { backupFileName } from '#kit/backups/delete-old-backups.ts'
import { createBackup } from '#kit/backups/write-backup.ts'
import { type Config, readProgramVersion } from '#kit/config/config.ts'
import { keyFileIn } from '#kit/secrets.ts'
import { CommandError, type Input, loadConfig, print } from '../command-line/command.ts'
import { abortOnSignal, withProgress } from '../command-line/progress.ts'
import { formatBytes, objectLines, showProgress, summarize, sumRows } from './stored-contents.ts'

export async function runBackup(input: Input): Promise<undefined> {
  const config = loadConfig()
  const file = fileFor(input.operands[0] ?? '')
  const key = input.options['with-key'] === undefined ? undefined : readKey(config)
  const started = performance.now()
  const program = readProgramVersion()
  const { end, signal } = abortOnSignal()
  const written = await withProgress((progress) =>
    createBackup(config, file, { program, key, onProgress: showProgress(progress), signal }),
  ).finally(end)
  const { bytes, createdAt, engine, hasKey, tables, writesHeldMs } = written
  const seconds = Math.round(performance.now() - started) / 1000
  const heldMs = Math.ceil(writesHeldMs)
  const lines = [
    `Backed up ${sumRows(tables)} to ${file} (${formatBytes(bytes)}, ${seconds} s).`,
    ...(engine === 'sqlite' ? [`Writes waited for ${heldMs} ms.`] : []),
    ...objectLines(tables),
    ...keyLines(config, hasKey),
  ]
  print(
    input,
    { file, bytes, seconds, createdAt, engine, writesHeldMs: heldMs, hasKey, ...summarize(tables) },
    lines.join('\n'),
  )
}

/** The operand, or a name with the time in the folder that it is. */
function fileFor(operand: string): string {
  const path = resolve(operand)
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat?.isDirectory()) return join(path, backupFileName(Date.now()))
  if (stat) throw new CommandError(`${path} already exists: choose another name, or give a folder.`)
  if (operand.endsWith('/')) throw new CommandError(`${path} does not exist: create the folder.`)
  return path
}

function readKey({ dataDir, secretKeys }: Config): Buffer {
  const file = keyFileIn(dataDir)
  if (secretKeys.length > 0) {
    throw new CommandError('--with-key: the key is in SECRET_KEY, which no backup includes.')
  }
  if (!existsSync(file)) throw new CommandError(`--with-key: ${file} does not exist.`)
  process.stderr.write(
    'The backup will include secret.key: whoever has the file can decrypt the signing secrets and private keys in it. Protect it like the server.\n',
  )
  return readFileSync(file)
}

function keyLines({ dataDir, secretKeys }: Config, hasKey: boolean): string[] {
  if (hasKey) return ['It includes secret.key: protect the file like the server.']
  const key = secretKeys.length > 0 ? 'SECRET_KEY' : keyFileIn(dataDir)
  return [`The encryption key is not part of it: keep a copy of ${key} elsewhere.`]
}
