import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Returns when a file is on disk; of a folder, the names in it. */
export function syncFile(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
