// Folders for the databases of tests: in memory if there is enough, because the tests create thousands of
// databases, and each syncs its writes to disk.
import { statfsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'

const inMemory = '/dev/shm'
const minFreeBytes = 6 * 1024 ** 3

/** Creates a new, empty folder. The caller deletes it. */
export function createDataFolder(
  prefix: string,
  parent = hasMemory() ? inMemory : tmpdir(),
): Promise<string> {
  return mkdtemp(join(parent, prefix))
}

function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(inMemory)
    return Math.min(bavail * bsize, freemem()) > minFreeBytes
  } catch {
    return false
  }
}
