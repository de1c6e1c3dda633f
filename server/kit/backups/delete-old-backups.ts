// Retention. Deletes only files that a schedule of this installation has written: by name, and by the mark in their
// header. Links and folders are left alone.
import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isDraftOfScheduled, isScheduledName } from './backup-file-name.ts'
import { readBackupHeader } from './read-backup.ts'

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
