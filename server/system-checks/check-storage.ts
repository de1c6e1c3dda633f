// Whether the disks have room and are private, and whether there is a recent backup.
import { accessSync, constants, existsSync, mkdtempSync, rmdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { BackupStatus } from '#kit/backups/open-backups.ts'
import type { Clock } from '#kit/clock.ts'
import type { Config } from '#kit/config/config.ts'
import { readFreeBytes } from '#kit/disk.ts'
import { type Finding, findingsOf } from '#kit/system/schema.ts'
import { foldersWritten } from '#publishing/deploys/free-space.ts'

const disk = findingsOf('disk')
const backup = findingsOf('backups')
/** Free space below this multiple of the floor is a warning. */
const warnBelowFloors = 4
/** A floor for every installation, also where MIN_FREE_DISK is 0. */
const minBytes = 64 * 1024 * 1024

type DiskConfig = Pick<Config, 'backups' | 'databaseUrl' | 'dataDir' | 'minFreeBytes'>

export async function checkDisk(config: DiskConfig): Promise<Finding[]> {
  const { backups, dataDir, databaseUrl } = config
  const privateFolders = [
    ...(databaseUrl === undefined ? [dataDir] : []),
    ...(backups ? [backups.folder] : []),
  ]
  const measured = [...new Set([...foldersWritten(config), ...privateFolders])]
  const rooms = measured.map((folder) => checkRoom(folder, config))
  return [...rooms, ...privateFolders.flatMap(checkModes)]
}

function checkRoom(folder: string, { minFreeBytes }: DiskConfig): Finding {
  let freeBytes: number
  try {
    freeBytes = readFreeBytes(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return checkCreatable(folder)
    return disk.problem(folder, `It cannot be read (${code}).`, 'Check the folder and its owner.')
  }
  const floor = freeBytes < minBytes ? minBytes : minFreeBytes
  const [free, least] = inOneUnit(freeBytes, floor)
  const refused =
    floor === minBytes
      ? 'the databases may take no more writes'
      : 'uploads and deploys are refused (MIN_FREE_DISK)'
  const message = `${free} are free. Below ${least} ${refused}.`
  if (freeBytes < floor) {
    return disk.problem(folder, message, 'Delete what is not needed, or enlarge the disk.')
  }
  if (freeBytes < warnBelowFloors * floor) {
    return disk.warning(folder, message, 'Plan for more room: look at Storage of the projects.')
  }
  return disk.ok(folder, `${inOneUnit(freeBytes)[0]} are free.`)
}

/** Only the attempt tells. It leaves nothing: the folder would be this user's, not the service's. */
function checkCreatable(folder: string): Finding {
  let parent = folder
  while (!existsSync(parent)) parent = dirname(parent)
  try {
    rmdirSync(mkdtempSync(join(parent, '.animal-store-')))
    return disk.skipped(folder, 'It does not exist yet.')
  } catch (error) {
    const message = `It does not exist, and cannot be created (${(error as NodeJS.ErrnoException).code}).`
    return disk.problem(folder, message, `Check ${parent} and its owner, or choose another folder.`)
  }
}

function checkModes(folder: string): Finding[] {
  const mode = statSync(folder, { throwIfNoEntry: false })?.mode
  if (mode === undefined) return []
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch {
    const fix = `Give it to the user of the service: chown -R animal-store '${folder}'.`
    return [disk.problem(folder, 'This user cannot write it.', fix)]
  }
  if ((mode & 0o077) === 0) return []
  const message = `Other users of this machine can open it (mode ${(mode & 0o777).toString(8)}): it has keys and password hashes.`
  return [disk.warning(folder, message, `Run chmod -R go= '${folder}'.`)]
}

/** `read` gives undefined if no node has scheduled backups. */
export async function checkBackups(
  read: () => Promise<BackupStatus | undefined>,
  clock: Clock,
): Promise<Finding[]> {
  const status = await read().catch(() => 'unknown' as const)
  const subject = 'BACKUP_DIR'
  if (status === 'unknown')
    return [backup.skipped(subject, 'Their state cannot be read from the database.')]
  if (!status) {
    const fix = 'Set BACKUP_DIR on one node, or run animal-store backup regularly.'
    return [backup.warning(subject, 'Scheduled backups are off.', fix)]
  }
  const { isOld, last, lastFailure } = status
  const failure = lastFailure ? ` Last failure: ${lastFailure.message}` : ''
  const fix = 'Correct the cause, then look at the log: the backup is retried within the hour.'
  if (!last) {
    const text = `There is no good backup yet.${failure}`
    return [isOld ? backup.problem(subject, text, fix) : backup.skipped(subject, text)]
  }
  const age =
    last.at > clock() + 60_000
      ? 'The last good one is dated in the future: the clock was wrong then.'
      : `The last good one is ${inHours(clock() - last.at)} old.`
  if (isOld) return [backup.problem(subject, age + failure, fix)]
  if (lastFailure && lastFailure.at > last.at) return [backup.warning(subject, age + failure, fix)]
  return [backup.ok(subject, age)]
}

/** In gigabytes if all of them are large. */
function inOneUnit(...sizes: number[]): string[] {
  const [unit, name] =
    Math.min(...sizes) < 10_240 * 1024 ** 2 ? [1024 ** 2, 'MB'] : [1024 ** 3, 'GB']
  return sizes.map((bytes) => `${Math.floor(bytes / unit)} ${name}`)
}

function inHours(milliseconds: number): string {
  const hours = Math.max(0, milliseconds) / 3_600_000
  if (hours < 1) return `${Math.floor(hours * 60)} minutes`
  return hours < 48 ? `${Math.floor(hours)} hours` : `${Math.floor(hours / 24)} days`
}
