// deploy: a folder or an archive becomes what a project publishes. Only files that the server does not have
// are sent.
import { existsSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createFairSemaphore } from '../../platform/fair-semaphore.ts'
import { checkPaths } from '../../publishing/deploys/check-paths.ts'
import type { Deploy } from '../../publishing/deploys/records/schema.ts'
import { isFinished } from '../../publishing/deploys/wait-for-deploy.ts'
import { maxArchiveBytes, maxFileBytes } from '../../publishing/projects/plan-limits.ts'
import { CommandError, type Input, print } from '../command-line/command.ts'
import { onPublishing } from '../command-line/on-publishing.ts'
import { createProgress, type Progress } from '../command-line/progress.ts'
import { asCommandError, chosenServer } from '../command-line/server-choice.ts'
import { type DeployTarget, openRemoteTarget } from './deploy-target.ts'
import { openLocalTarget } from './local-target.ts'
import { type FolderFile, hashFile, readFolder } from './read-folder.ts'

/** Many, because the server writes what comes together with one wait for its disk. */
const sendAtOnce = 64
const bytesAtOnce = 64 * 1024 * 1024

/** Runs the command: see deploy.ts. */
export async function runDeploy(input: Input): Promise<number> {
  const [folder = ''] = input.operands
  if (!existsSync(folder)) throw new CommandError(`there is no ${folder}`)
  return await onTarget(input, async (target) => {
    const progress = createProgress(process.stderr, () => performance.now())
    try {
      const begun = statSync(folder).isDirectory()
        ? await sendFolder(target, folder, progress)
        : await sendArchive(target, folder)
      const done = await follow(target, begun.deploy, progress)
      progress.end()
      return report(input, target, { ...begun, deploy: done })
    } finally {
      progress.end()
    }
  })
}

async function onTarget(
  { options }: Input,
  use: (target: DeployTarget) => Promise<number>,
): Promise<number> {
  const { create, project: slug = '' } = options
  try {
    const server = chosenServer(options)
    if (server) {
      const { token, url } = server
      return await use(await openRemoteTarget(url, token, slug, create !== undefined))
    }
    return await onPublishing(async (database, config) => {
      const target = await openLocalTarget(database, config, slug, create !== undefined)
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

interface Begun {
  deploy: Deploy
  /** Files that were sent. */
  sent: number
}

async function sendFolder(
  target: DeployTarget,
  folder: string,
  progress: Progress,
): Promise<Begun> {
  const found = await readFolder(folder)
  const tooLarge = found.find(({ bytes }) => bytes > maxFileBytes)
  if (tooLarge) throw new CommandError(`${tooLarge.path} is larger than ${maxFileBytes} bytes`)
  const files = []
  for (const [i, { file, path }] of found.entries()) {
    files.push({ path, hash: await hashFile(file) })
    show(progress, 'Reading', i + 1, found.length)
  }
  checkPaths(files)
  const hashes = [...new Set(files.map(({ hash }) => hash))]
  const places = new Map(files.map(({ hash }, i) => [hash, found[i] as FolderFile]))
  let sent = 0
  for (let attempt = 1; ; attempt++) {
    const missing = await target.findMissing(hashes)
    await sendFiles(target, missing, places, progress)
    sent += missing.length
    try {
      return { deploy: await target.begin(files), sent }
    } catch (error) {
      // What the server had was forgotten just now: it is sent again, once.
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
    // Once one has failed, the rest need not be tried.
    queue.length = 0
  })
}

async function sendArchive(target: DeployTarget, file: string): Promise<Begun> {
  if (statSync(file).size > maxArchiveBytes) {
    throw new CommandError(`${file} is larger than ${maxArchiveBytes} bytes`)
  }
  const deploy = await target.sendArchive(await readFile(file))
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
  progress.update({ label, done, total, count: done, unit: 'files' })
}

function report(input: Input, { address }: DeployTarget, { deploy: done, sent }: Begun): number {
  const { failure, number, siteFiles, state } = done
  if (failure) {
    const { file, line, message } = failure
    const place = file === null ? '' : `${file}${line === null ? '' : `:${line}`}: `
    if (input.json) print(input, { ...done, address, sent }, '')
    throw new CommandError(`deploy ${number} failed: ${place}${message}`)
  }
  const what = state === 'live' ? 'is live' : `is ${state}: a later deploy was faster`
  const files = `${siteFiles.toLocaleString('en')} ${siteFiles === 1 ? 'file' : 'files'}, ${sent.toLocaleString('en')} sent`
  print(input, { ...done, address, sent }, `Deploy ${number} ${what} (${files}): ${address}`)
  return 0
}
