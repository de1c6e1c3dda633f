// Runs deploy: sends a folder or an archive to a project and follows the deploy. Only files that the server
// lacks are sent.

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, type Dirent, existsSync, statSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { createFairSemaphore } from '#kit/fair-semaphore.ts'
import { isIgnoredFile } from '#publishing/archives/ignored-files.ts'
import { checkPaths } from '#publishing/deploys/receive-archive.ts'
import { isFinished } from '#publishing/deploys/records/deploy-row.ts'
import type { Deploy } from '#publishing/deploys/records/schema.ts'
import { isPreviewName } from '#publishing/previews/records/preview-name.ts'
import { maxArchiveBytes } from '#publishing/projects/plan-limits.ts'
import { canonicalPath } from '#renderer/site-files/canonical-path.ts'
import type { BuildReport } from '#renderer/site-files/site-file.ts'
import { proposePreviewName, randomPreviewName } from '../../../client/preview-name.ts'
import { maxDeployFileBytes, maxDeployMessageLength } from '../../../client/values/limits.ts'
import { CommandError, type Input, print, readText, UsageError } from '../command-line/command.ts'
import { withPublishing } from '../command-line/local-database.ts'
import { type Progress, withProgress } from '../command-line/progress.ts'
import { asCommandError, chosenServer } from '../command-line/server-choice.ts'
import {
  type DeployChoice,
  type DeployTarget,
  openLocalTarget,
  openRemoteTarget,
} from './deploy-target.ts'

const maxWaitMs = 2000
// A repository's own configuration must not start a program to check signatures.
const command = ['-c', 'log.showSignature=false', 'log', '-1', '--format=%s']

/**
 * The default message of a deploy: the subject of the last commit of the folder's Git repository. Undefined outside of a
 * repository, without Git, and if Git does not answer in time.
 */
async function findCommitSubject(folder: string): Promise<string | undefined> {
  const limits = { timeout: maxWaitMs, killSignal: 'SIGKILL', maxBuffer: 64 * 1024 } as const
  const run = promisify(execFile)('git', ['-C', folder, ...command], limits)
  const subject = await run.then(({ stdout }) => shortMessage(stdout)).catch(() => '')
  return subject === '' ? undefined : subject
}

/** As the server accepts it: one line, at most `maxDeployMessageLength` characters. */
function shortMessage(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim()
  const characters = [...line]
  if (characters.length <= maxDeployMessageLength) return line
  return `${characters.slice(0, maxDeployMessageLength - 1).join('')}…`
}

/** Many, because the server commits files that arrive together in one write. */
const sendAtOnce = 64
const bytesAtOnce = 64 * 1024 * 1024

export async function runDeploy(input: Input): Promise<number> {
  const [folder = ''] = input.operands
  if (!existsSync(folder)) throw new CommandError(`${folder} does not exist`)
  return await onTarget(input, async (target) => {
    const deployed = await withProgress(async (progress) => {
      const isFolder = statSync(folder).isDirectory()
      const message = await messageOf(input, isFolder ? folder : dirname(folder))
      const begun = isFolder
        ? await sendFolder(target, folder, message, progress)
        : await sendArchive(target, folder, message)
      return { ...begun, deploy: await follow(target, begun.deploy, progress) }
    })
    const { deploy } = deployed
    if (!input.json && deploy.warnings) printProblems(await target.readReport(deploy))
    return report(input, target, deployed)
  })
}

/** Undefined for an empty one. */
async function messageOf({ options }: Input, folder: string): Promise<string | undefined> {
  const { message } = options
  if (message === undefined) return await findCommitSubject(folder)
  return shortMessage(message) || undefined
}

async function onTarget(
  { options }: Input,
  use: (target: DeployTarget) => Promise<number>,
): Promise<number> {
  const choice = readChoices(options)
  try {
    const server = chosenServer(options)
    if (server) {
      const { token, url } = server
      return await use(await openRemoteTarget(url, token, choice))
    }
    return await withPublishing(async (database, config) => {
      const target = await openLocalTarget(database, config, choice)
      try {
        return await use(target)
      } finally {
        await target.close()
      }
    })
  } catch (error) {
    throw asCommandError(error)
  }
}

function readChoices(options: Input['options']): DeployChoice {
  const { create, 'password-file': file, preview, project: slug = '', strict } = options
  if (file !== undefined && preview === undefined) {
    throw new UsageError('--password-file requires --preview')
  }
  const to = { slug, creates: create !== undefined, isStrict: strict !== undefined }
  if (preview === undefined) return { ...to, preview: undefined }
  const name = preview === '' ? randomPreviewName() : proposePreviewName(preview)
  if (!isPreviewName(name)) {
    throw new UsageError('--preview needs a name of at least 3 letters and digits')
  }
  const password = file === undefined ? undefined : readText(file).split(/\r?\n/, 1)[0]
  return { ...to, preview: { name, password } }
}

interface Begun {
  deploy: Deploy
  /** The number of files that were sent. */
  sent: number
}

async function sendFolder(
  target: DeployTarget,
  folder: string,
  message: string | undefined,
  progress: Progress,
): Promise<Begun> {
  const contents = await readFolder(folder)
  const tooLarge = contents.find(({ bytes }) => bytes > maxDeployFileBytes)
  if (tooLarge)
    throw new CommandError(`${tooLarge.path} is larger than ${maxDeployFileBytes} bytes`)
  const files = []
  for (const [i, { file, path }] of contents.entries()) {
    files.push({ path, hash: await hashFile(file) })
    show(progress, 'Reading', i + 1, contents.length)
  }
  checkPaths(files)
  const hashes = [...new Set(files.map(({ hash }) => hash))]
  const places = new Map(files.map(({ hash }, i) => [hash, contents[i] as FolderFile]))
  let sent = 0
  for (let attempt = 1; ; attempt++) {
    const missing = await target.findMissing(hashes)
    await sendFiles(target, missing, places, progress)
    sent += missing.length
    try {
      return { deploy: await target.begin(files, message), sent }
    } catch (error) {
      // The server deleted a file after it was asked: send it again, once.
      const isMissing = (error as { code?: unknown }).code === 'files_missing'
      if (!isMissing || attempt > 1) throw error
    }
  }
}

async function sendFiles(
  target: DeployTarget,
  missing: string[],
  places: Map<string, FolderFile>,
  progress: Progress,
): Promise<void> {
  const memory = createFairSemaphore({ maxPermits: bytesAtOnce })
  const queue = [...missing]
  let sent = 0
  const sendNext = async (): Promise<void> => {
    for (let hash = queue.pop(); hash !== undefined; hash = queue.pop()) {
      const { bytes, file } = places.get(hash) as FolderFile
      const sendFile = async () => target.send(hash as string, await readFile(file))
      await memory.use(target, sendFile, { permits: bytes })
      show(progress, 'Sending', ++sent, missing.length)
    }
  }
  const sending = Array.from({ length: sendAtOnce }, sendNext)
  await Promise.all(sending).finally(() => {
    // After a failure the rest is not sent.
    queue.length = 0
  })
}

async function sendArchive(
  target: DeployTarget,
  file: string,
  message: string | undefined,
): Promise<Begun> {
  if (statSync(file).size > maxArchiveBytes) {
    throw new CommandError(`${file} is larger than ${maxArchiveBytes} bytes`)
  }
  const deploy = await target.sendArchive(await readFile(file), message)
  return { deploy, sent: deploy.sourceFiles }
}

async function follow(target: DeployTarget, begun: Deploy, progress: Progress): Promise<Deploy> {
  let deploy = begun
  while (!isFinished(deploy)) {
    const label = deploy.state === 'uploaded' ? 'Waiting' : 'Building'
    progress.update({ label, done: 0, total: undefined, count: deploy.siteFiles, unit: 'files' })
    deploy = await target.follow(deploy)
  }
  return deploy
}

function show(progress: Progress, label: string, done: number, total: number): void {
  progress.update({ label, done, total, unit: 'files' })
}

/** One line for each problem, as compilers print them. */
function printProblems({ generator, items, total }: BuildReport): void {
  const source =
    generator && `${[generator.name, ...generator.taken].join(', ')}: ${generator.file}\n`
  const lines = items.map(({ count, file, line, message, severity, text }) => {
    const place = line === null ? file : `${file}:${line}`
    const others = count > 1 ? ` (${count} places)` : ''
    return `${severity}: ${place}: ${message}${others}\n${text ? `  ${text}\n` : ''}`
  })
  const more = total - items.length
  process.stderr.write(
    (source ?? '') + lines.join('') + (more > 0 ? `${more} more problems\n` : ''),
  )
}

function report(input: Input, { address }: DeployTarget, { deploy: done, sent }: Begun): number {
  const { failure, number, siteFiles, state } = done
  if (failure) {
    const { file, line, message } = failure
    const place = file === null ? '' : `${file}${line === null ? '' : `:${line}`}: `
    if (input.json) print(input, { ...done, address, sent }, '')
    throw new CommandError(`deploy ${number} failed: ${place}${message}`)
  }
  const states = { live: 'is live', preview: `is at the preview ${done.preview}` }
  const what = states[state as keyof typeof states] ?? `is ${state} by a later deploy`
  const files = `${siteFiles.toLocaleString('en')} ${siteFiles === 1 ? 'file' : 'files'}, ${sent.toLocaleString('en')} sent`
  print(
    input,
    { ...done, address, sent },
    `Deploy ${number} ${what} (${files})${address === undefined ? '.' : `: ${address}`}`,
  )
  return 0
}

interface FolderFile {
  /** Canonical, relative to the folder. */
  path: string
  /** The local path. */
  file: string
  bytes: number
}

const maxFolderFiles = 100_000

/**
 * The files of a folder, sorted by path, without what `isIgnoredFile` excludes. Throws a
 * CommandError for links, devices and names that a site cannot have.
 */
async function readFolder(folder: string): Promise<FolderFile[]> {
  const files: FolderFile[] = []
  const folders = ['']
  for (const inner of folders) {
    for (const entry of await readdir(join(folder, inner), { withFileTypes: true })) {
      const name = inner === '' ? entry.name : `${inner}/${entry.name}`
      if (isIgnoredFile(name)) continue
      if (entry.isDirectory()) folders.push(name)
      else files.push(await readEntry(folder, name, entry))
      if (files.length + folders.length > maxFolderFiles) {
        throw new CommandError(
          `${folder} has more than ${maxFolderFiles} files: choose the folder of the site`,
        )
      }
    }
  }
  if (files.length === 0) throw new CommandError(`${folder} has no files`)
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
}

async function readEntry(folder: string, name: string, entry: Dirent): Promise<FolderFile> {
  const file = join(folder, name)
  if (entry.isSymbolicLink()) {
    throw new CommandError(`${name} is a symbolic link: replace it with the file, or remove it`)
  }
  if (!entry.isFile()) throw new CommandError(`${name} is not a regular file: remove it`)
  const path = canonicalPath(name)
  if ('refused' in path) throw new CommandError(`${name}: ${path.refused}`)
  return { path: path.path, file, bytes: (await stat(file)).size }
}

/** SHA-256 of a file, in lower-case hexadecimal. */
async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
