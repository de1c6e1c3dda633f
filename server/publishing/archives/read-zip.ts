// Files of a ZIP. The whole directory is judged first; only then is anything unpacked, each file into no
// more bytes than it said, and it must be the bytes it said.

import { crc32, createInflateRaw } from 'node:zlib'
import { type Entry, fromRandomAccessReader, type ZipFile } from 'yauzl'
import { shownName } from '../site-files/canonical-path.ts'
import { DeployFailure } from '../site-files/deploy-failure.ts'
import type { SiteFile } from '../site-files/site-file.ts'
import { type Admission, refuseBomb, refuseMoreEntries } from './admission.ts'
import { DescriptorReader, readAt } from './archive-bytes.ts'
import type { OpenArchive } from './open-archive.ts'
import { faultOfEntry, faultOfLocalHeader, isDeflated, kindOf, nameOf } from './zip-entry.ts'

/** Where an entry lies in the archive, its header included; `end` is the first byte after its data. */
interface Extent {
  start: number
  end: number
  name: string
}

interface PackedFile {
  path: string
  dataStart: number
  packedBytes: number
  bytes: number
  crc32: number
  isDeflated: boolean
}

export async function* readZip(
  archive: OpenArchive,
  admission: Admission,
): AsyncGenerator<SiteFile> {
  for (const file of await directoryOf(archive, admission).catch(asFailure)) {
    yield { path: file.path, bytes: await unpacked(archive.fd, file) }
  }
}

async function directoryOf(archive: OpenArchive, admission: Admission): Promise<PackedFile[]> {
  const zip = await openZip(archive)
  // The types take the cursor for a boolean; it is the position of the next entry of the directory.
  const directoryStart = Number(zip.readEntryCursor)
  refuseMoreEntries(zip.entryCount, archive.limits)
  const extents: Extent[] = []
  const files: PackedFile[] = []
  for await (const entry of zip.eachEntry()) {
    admission.count()
    const name = nameOf(entry)
    const kind = kindOf(entry, name)
    const path = admission.admit(name, kind, entry.uncompressedSize)
    const dataStart = await judgedStart(zip, entry, name)
    const fault = faultOfEntry(entry, kind)
    if (fault !== undefined && (path !== undefined || kind === 'folder')) throw failure(fault, name)
    const start = entry.relativeOffsetOfLocalHeader
    extents.push({ start, end: dataStart + entry.compressedSize, name })
    if (path !== undefined) files.push(packedFile(entry, path, dataStart))
  }
  await refuseLongerDirectory(archive.fd, Number(zip.readEntryCursor))
  refuseOverlap(extents, directoryStart)
  refuseBomb(
    files.reduce((sum, { bytes }) => sum + bytes, 0),
    archive.size,
  )
  return files
}

function openZip({ fd, size }: OpenArchive): Promise<ZipFile> {
  const options = {
    autoClose: false,
    lazyEntries: true,
    decodeStrings: false,
    validateEntrySizes: false,
  }
  return new Promise((resolve, reject) => {
    fromRandomAccessReader(new DescriptorReader(fd), size, options, (error, zip) => {
      if (error) reject(error)
      else resolve(zip)
    })
  })
}

/** Where the data begins, once the header before it is seen to agree with the directory. */
async function judgedStart(zip: ZipFile, entry: Entry, name: string): Promise<number> {
  const local = await zip.readLocalFileHeaderPromise(entry)
  const fault = faultOfLocalHeader(entry, local)
  if (fault !== undefined) throw failure(fault, name)
  return local.fileDataStart
}

function packedFile(entry: Entry, path: string, dataStart: number): PackedFile {
  return {
    path,
    dataStart,
    packedBytes: entry.compressedSize,
    bytes: entry.uncompressedSize,
    crc32: entry.crc32,
    isDeflated: isDeflated(entry),
  }
}

/** Programs that walk to the end would see entries that those which count do not. */
async function refuseLongerDirectory(fd: number, directoryEnd: number): Promise<void> {
  const signature = Buffer.from(await readAt(fd, directoryEnd, 4)).toString('latin1')
  if (signature === 'PK\x01\x02') {
    throw new DeployFailure('The archive is damaged: it has more entries than it says.')
  }
}

/** Entries that share bytes make a small archive a huge one (Fifield, "A better zip bomb"). */
function refuseOverlap(extents: Extent[], directoryStart: number): void {
  let end = 0
  for (const extent of extents.sort((a, b) => a.start - b.start)) {
    if (extent.start < end || extent.end > directoryStart) {
      throw failure('The archive is damaged: parts of it overlap.', extent.name)
    }
    end = extent.end
  }
}

async function unpacked(fd: number, file: PackedFile): Promise<Uint8Array> {
  const packed = await readAt(fd, file.dataStart, file.packedBytes)
  const bytes = file.isDeflated ? await inflated(packed, file) : packed
  if (bytes.length !== file.bytes) {
    throw failure('The archive is damaged: the file is smaller than it says.', file.path)
  }
  if (crc32(bytes) !== file.crc32) {
    throw failure('The archive is damaged: the checksum of the file is wrong.', file.path)
  }
  return bytes
}

/** Room for one byte more than was said is enough to see that there is one. */
async function inflated(packed: Uint8Array, file: PackedFile): Promise<Uint8Array> {
  const engine = createInflateRaw({ chunkSize: Math.max(64, file.bytes + 1) })
  engine.end(packed)
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of engine) {
      chunks.push(chunk)
      size += chunk.length
      if (size > file.bytes) break
    }
  } catch {
    throw failure('The archive is damaged: the file cannot be unpacked.', file.path)
  }
  if (size > file.bytes) {
    throw failure('The archive is damaged: the file is larger than it says.', file.path)
  }
  if (engine.bytesWritten !== packed.length) {
    throw failure('The archive is damaged: there is something behind the packed file.', file.path)
  }
  const [only] = chunks
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks)
}

/** What yauzl finds wrong is the archive's fault; what has a code is the disk's, and ours. */
function asFailure(error: unknown): never {
  if (!(error instanceof Error) || error.name !== 'Error' || 'code' in error) throw error
  if (error.message.includes('multi-disk')) {
    throw new DeployFailure('The archive is one part of several; make it in one piece.')
  }
  if (error.message.includes('strong encryption')) {
    throw new DeployFailure('The archive is encrypted; pack it without a password.')
  }
  throw new DeployFailure('The archive is no complete ZIP file; it may be cut off or damaged.')
}

function failure(message: string, name: string): DeployFailure {
  return new DeployFailure(message, { file: shownName(name) })
}
