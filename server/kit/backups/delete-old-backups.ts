// The names of backups, and the retention of scheduled ones: only files that a schedule of this installation has written are
// deleted, known by their names, which sort by time, and by the mark in their header. Links and folders are never deleted.
import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readBackupHeader } from './read-backup.ts'

const nameTime = (now: number): string => new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '')

/** Such as `animal-store-20261123T051342Z.backup`. `now` is in milliseconds since the epoch. */
export const backupFileName = (now: number): string => `animal-store-${nameTime(now)}.backup`

/** Such as `animal-store-scheduled-20261123T051342Z.backup`. */
export const scheduledFileName = (now: number): string =>
  `animal-store-scheduled-${nameTime(now)}.backup`

const scheduledName = /^animal-store-scheduled-\d{8}T\d{6}Z\.backup$/
const draftOfScheduled = /^animal-store-scheduled-\d{8}T\d{6}Z\.backup\.[0-9a-f]{12}\.partial$/

const isScheduledName = (name: string): boolean => scheduledName.test(name)
const isDraftOfScheduled = (name: string): boolean => draftOfScheduled.test(name)

/**
 * Keeps the newest `keep` backups; deletes older ones, and drafts. Only while no other scheduled backup is written.
 * `newest`: names after it are of a time when the clock was wrong, and count as the oldest.
 */
export function deleteOldBackups(
  folder: string,
  installation: string,
  keep: number,
  newest = '\uffff',
): string[] {
  const isOwn = (name: string): boolean => {
    const path = join(folder, name)
    return lstatSync(path).isFile() && readBackupHeader(path)?.scheduledBy === installation
  }
  const names = readdirSync(folder)
  // The names sort by time.
  const backups = names.filter((name) => isScheduledName(name) && isOwn(name)).sort()
  backups.sort((a, b) => Number(a <= newest) - Number(b <= newest))
  const drafts = names.filter((name) => isDraftOfScheduled(name) && isOwn(name))
  const deleted = [...backups.slice(0, Math.max(0, backups.length - keep)), ...drafts]
  for (const name of deleted) rmSync(join(folder, name))
  return deleted
}
