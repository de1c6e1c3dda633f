// Runs backup verify and restore.
import { resolve } from 'node:path'
import { installedDatabases } from '#kit/backups/backup-format.ts'
import { type CheckedBackup, readStoredKey, verifyBackup } from '#kit/backups/read-backup.ts'
import {
  checkRestorable,
  findExisting,
  findOtherKey,
  restoreBackup,
} from '#kit/backups/restore-backup.ts'
import type { Config } from '#kit/config/config.ts'
import { findUnknownKeys } from '#kit/database/re-encrypt.ts'
import { openSecrets, writeKeyFile } from '#kit/secrets.ts'
import { knownDatabases } from '../../known-databases.ts'
import { CommandError, columns, type Input, loadConfig, print } from '../command-line/command.ts'
import { abortOnSignal, withProgress } from '../command-line/progress.ts'
import {
  checkObjects,
  countObjects,
  describeProblem,
  forgetBucket,
  formatBytes,
  objectLines,
  showProgress,
  summarize,
  sumRows,
  withAllSecrets,
} from './stored-contents.ts'

export async function runVerify(input: Input): Promise<undefined> {
  const file = resolve(input.operands[0] ?? '')
  const checked = await withProgress(async (progress) => {
    const show = showProgress(progress)
    return verifyBackup(file, (done, total) => show({ step: 'checking', done, total }))
  })
  print(input, describeJson(file, checked), `${describe(file, checked)}\nEvery byte is intact.`)
}

export async function runRestore(input: Input): Promise<undefined> {
  const config = loadConfig()
  const file = resolve(input.operands[0] ?? '')
  const isDryRun = input.options['dry-run'] !== undefined
  await withProgress(async (progress) => {
    const onProgress = showProgress(progress)
    const checked = checkRestorable(file, knownDatabases, onProgress)
    const key = checked.hasKey && config.secretKeys.length === 0 ? readStoredKey(file) : undefined
    await requireEmpty(config, key, progress.end)
    if (isDryRun) {
      progress.end()
      const text = `${describe(file, checked)}\nIt can be restored into ${placeOf(config)}. Nothing was changed.`
      print(input, { ...describeJson(file, checked), dryRun: true }, text)
      return
    }
    const { end, signal } = abortOnSignal()
    await restoreBackup(file, config, knownDatabases, checked, {
      onProgress,
      signal,
      beforePublishing: () => key && writeKeyFile(config.dataDir, key),
    }).finally(end)
    await forgetBucket()
    progress.end()
    const missingKeys = await findMissingKeys()
    for (const id of missingKeys) warnOfKey(config, id)
    const { tables } = checked.manifest
    const objects =
      countObjects(tables) === 0
        ? { files: 0, missing: [] }
        : await checkObjects((done) =>
            progress.update({ label: 'Checking', done, total: undefined, unit: 'objects' }),
          )
    progress.end()
    const problem = describeProblem(objects)
    if (problem !== undefined) process.stderr.write(`${problem}\n`)
    const text = `Restored ${sumRows(tables)} from ${file} into ${placeOf(config)}.\nEvery table was compared with the backup. Start the server: animal-store serve`
    print(input, { ...describeJson(file, checked), dryRun: false, missingKeys, objects }, text)
  })
}

const placeOf = ({ databaseUrl, dataDir }: Config): string =>
  databaseUrl === undefined ? dataDir : 'the database of DATABASE_URL'

/** Shows what is there, and throws a CommandError. */
async function requireEmpty(config: Config, key: Buffer | undefined, beforeText: () => void) {
  const contents = [
    ...(await findExisting(config, installedDatabases)),
    ...(key ? findOtherKey(config.dataDir, key) : []),
  ]
  if (contents.length === 0) return
  beforeText()
  process.stderr.write(
    `${placeOf(config)} is not empty:\n${columns(contents.map((line) => [line]))}`,
  )
  throw new CommandError(
    `nothing was restored: ${config.databaseUrl === undefined ? 'set DATA_DIR to a new folder, or move these files away, all of them' : 'give an empty database in DATABASE_URL, or drop these schemas'}.`,
  )
}

/** Ids of keys that encrypt restored secrets and are not here. */
async function findMissingKeys(): Promise<string[]> {
  return await withAllSecrets(async (stored, config) => {
    const unknown = await findUnknownKeys(stored, openSecrets(config))
    return [...unknown.keys()]
  })
}

function warnOfKey({ dataDir }: Config, id: string): void {
  process.stderr.write(
    `The encryption key ${id} is missing: before you start the server, put secret.key of that time into ${dataDir}, or set SECRET_KEY as it was. Without it, what is encrypted cannot be used: signing secrets of webhooks, private keys of certificates, authenticator apps.\n`,
  )
}

function describe(file: string, { bytes, hasKey, header, manifest }: CheckedBackup): string {
  const engine = header.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'
  const { rows } = summarize(manifest.tables)
  return [
    `${file}: ${formatBytes(bytes)}, created ${header.createdAt} by version ${header.program} on ${engine}.`,
    columns(
      Object.entries(rows).map(([name, count]) => [name, `${count.toLocaleString('en')} rows`]),
    ),
    ...objectLines(manifest.tables),
    hasKey ? 'It includes secret.key.' : 'It does not include the encryption key.',
  ].join('\n')
}

function describeJson(file: string, { bytes, hasKey, header, manifest }: CheckedBackup) {
  const { createdAt, engine, program } = header
  return { file, bytes, createdAt, engine, program, hasKey, ...summarize(manifest.tables) }
}
