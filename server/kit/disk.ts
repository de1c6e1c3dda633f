// Folders and files of the data folder: created private, synced, and free space, with a reserve of it for a start on a full
// disk: SQLite cannot open a database without room for the index of its write-ahead log.

import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

/** Creates a folder and its parents, mode 0700. Node's recursive option hangs below /proc and similar. */
export function createFolder(folder: string): void {
  if (existsSync(folder)) return
  const parent = dirname(folder)
  if (parent !== folder) createFolder(parent)
  mkdirSync(folder, { mode: 0o700 })
}

/** A log grows by this much between two checkpoints: with less, a database may take no writes. */
const logBytes = 4 * 1024 * 1024

export function readFreeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

export const isDiskFull = (folder: string): boolean => readFreeBytes(folder) < logBytes

const reserveIn = (dataDir: string): string => join(dataDir, 'reserve')

/** After a start, for the next one. */
export function keepReserve(dataDir: string): void {
  if (existsSync(reserveIn(dataDir)) || readFreeBytes(dataDir) < 2 * logBytes) return
  writeFileSync(reserveIn(dataDir), randomBytes(logBytes / 2), { mode: 0o600 })
}

/** Before a start on a full disk. */
export const giveUpReserve = (dataDir: string): void => rmSync(reserveIn(dataDir), { force: true })

/** Returns when a file is on disk; of a folder, the names in it. */
export function syncFile(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
