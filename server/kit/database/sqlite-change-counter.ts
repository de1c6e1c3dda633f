// A number that changes with every commit to a SQLite database by any process. SQLite's own `pragma
// data_version` says the same in three system calls; here it is read in one, from the header of the
// WAL-index (https://sqlite.org/walformat.html, section 2.1), which every commit writes before it returns.
//
// Invariant: the file is never closed. POSIX drops all locks that a process holds on a file when it closes
// any descriptor of it, SQLite's locks among them.
import { openSync, readSync, statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

const headerBytes = 48
const knownVersion = 3_007_000
// Offsets in the header, which has the machine's byte order.
const versionAt = 0
const changesAt = 8
const checksumAt = 24

const isLittleEndian = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1

/** One file descriptor per file identity, for the lifetime of the process. */
const opened = new Map<string, number>()

/**
 * Returns the counter. `reader` is an open connection to the database at `path` in WAL mode. It is used if
 * the WAL-index cannot be read or has an unknown format.
 */
export function createChangeCounter(path: string, reader: DatabaseSync): () => number {
  const dataVersion = reader.prepare('pragma data_version')
  dataVersion.setReturnArrays(true)
  const ask = (): number => {
    // Inside of a read transaction it does not change.
    if (reader.isTransaction) reader.exec('commit')
    return (dataVersion.get() as unknown as number[])[0] as number
  }
  // The WAL-index exists after the first read.
  reader.prepare('select count(*) from sqlite_schema').get()
  const file = openWalIndex(`${path}-shm`)
  if (file === undefined) return ask
  const bytes = Buffer.alloc(headerBytes)
  const header = new DataView(bytes.buffer, bytes.byteOffset, headerBytes)
  const read = (): boolean => readSync(file, bytes, 0, headerBytes, 0) === headerBytes
  if (!read() || header.getUint32(versionAt, isLittleEndian) !== knownVersion) return ask
  return () => {
    if (!read()) return ask()
    // The count restarts after a crash; the checksum of the last frame distinguishes such counts.
    const changes = header.getUint32(changesAt, isLittleEndian)
    const checksum = header.getUint32(checksumAt, isLittleEndian)
    return changes * 2 ** 21 + (checksum & 0x1f_ffff)
  }
}

function openWalIndex(path: string): number | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    const identity = `${dev}:${ino}`
    const known = opened.get(identity)
    if (known !== undefined) return known
    const file = openSync(path, 'r')
    opened.set(identity, file)
    return file
  } catch {
    return undefined
  }
}
