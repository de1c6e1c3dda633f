// Reads a .zip file using its central directory. Each entry is checked before it is unpacked (PKWARE APPNOTE
// 6.3.10). Its local header must match the directory, because other programs may read the local header.
import { isUtf8 } from 'node:buffer'
import { crc32, createInflateRaw } from 'node:zlib'
import {
  type Entry,
  fromRandomAccessReaderPromise,
  getFileNameLowLevel,
  type LocalFileHeader,
  parseExtraFields,
} from 'yauzl'
import { shownName } from '#renderer/site-files/canonical-path.ts'
import { DeployFailure, type SiteFile } from '#renderer/site-files/site-file.ts'
import { DescriptorReader, readAt } from './archive-bytes.ts'
import {
  type EntryChecker,
  type EntryKind,
  type OpenArchive,
  refuseBomb,
  refuseMoreEntries,
} from './entry-checker.ts'

/** The position of an entry in the archive, including its header; `end` is the first byte after its data. */
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
  checker: EntryChecker,
): AsyncGenerator<SiteFile> {
  for (const file of await directoryOf(archive, checker).catch(asFailure)) {
    yield { path: file.path, bytes: await unpacked(archive.fd, file) }
  }
}

async function directoryOf(archive: OpenArchive, checker: EntryChecker): Promise<PackedFile[]> {
  const options = { autoClose: false, decodeStrings: false, validateEntrySizes: false }
  const reader = new DescriptorReader(archive.fd)
  const zip = await fromRandomAccessReaderPromise(reader, archive.size, options)
  // Typed as a boolean, but it is the position of the next entry of the directory.
  const directoryStart = Number(zip.readEntryCursor)
  refuseMoreEntries(zip.entryCount, archive.limits)
  const extents: Extent[] = []
  const files: PackedFile[] = []
  for await (const entry of zip.eachEntry()) {
    checker.count()
    const name = nameOf(entry)
    const kind = kindOf(entry, name)
    const path = checker.check(name, kind, entry.uncompressedSize)
    const local = await zip.readLocalFileHeaderPromise(entry)
    const { fileDataStart: dataStart } = local
    const isUsed = path !== undefined || kind === 'folder'
    const fault = faultOfLocalHeader(entry, local) ?? (isUsed && faultOfEntry(entry, kind))
    if (fault) throw failure(fault, name)
    const start = entry.relativeOffsetOfLocalHeader
    extents.push({ start, end: dataStart + entry.compressedSize, name })
    if (path === undefined) continue
    const { compressedSize: packedBytes, uncompressedSize: bytes, crc32 } = entry
    const isDeflated = entry.compressionMethod === deflated
    files.push({ path, dataStart, packedBytes, bytes, crc32, isDeflated })
  }
  await refuseLongerDirectory(archive.fd, Number(zip.readEntryCursor))
  refuseOverlap(extents, directoryStart)
  refuseBomb(
    files.reduce((sum, { bytes }) => sum + bytes, 0),
    archive.size,
  )
  return files
}

/** Programs that ignore the declared number of entries would read entries beyond it. */
async function refuseLongerDirectory(fd: number, directoryEnd: number): Promise<void> {
  const signature = Buffer.from(await readAt(fd, directoryEnd, 4)).toString('latin1')
  if (signature === 'PK\x01\x02') {
    throw new DeployFailure('The archive is damaged: it has more entries than declared.')
  }
}

/** Overlapping entries can make a small archive unpack to a huge size (Fifield, "A better zip bomb"). */
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
    throw failure('The archive is damaged: the file is smaller than declared.', file.path)
  }
  if (crc32(bytes) !== file.crc32) {
    throw failure('The archive is damaged: the checksum of the file is wrong.', file.path)
  }
  return bytes
}

/** The buffer has one byte more than the declared size, which is enough to detect a larger file. */
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
    throw failure('The archive is damaged: the file is larger than declared.', file.path)
  }
  if (engine.bytesWritten !== packed.length) {
    throw failure(
      'The archive is damaged: there is extra data after the compressed file.',
      file.path,
    )
  }
  const [only] = chunks
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks)
}

/** Errors of yauzl are caused by the archive. Errors with a code come from the disk and are internal. */
function asFailure(error: unknown): never {
  if (!(error instanceof Error) || error.name !== 'Error' || 'code' in error) throw error
  if (error.message.includes('multi-disk')) {
    throw new DeployFailure('The archive is split into several parts. Create it as a single file.')
  }
  if (error.message.includes('strong encryption')) {
    throw new DeployFailure('The archive is encrypted. Create it without a password.')
  }
  throw new DeployFailure(
    'The archive is not a complete ZIP file. It may be incomplete or damaged.',
  )
}

function failure(message: string, name: string): DeployFailure {
  return new DeployFailure(message, { file: shownName(name) })
}

const stored = 0
const deflated = 8
const isEncryptedFlag = 0x1
const sizesFollowFlag = 0x8
const isUtf8Flag = 0x800
const unicodePathField = 0x7075
const zip64Field = 1
const isInZip64 = 0xffffffff

/**
 * The decoded name. Without the UTF-8 flag it is still decoded as UTF-8 if it is valid, as Apple's programs write it,
 * otherwise as code page 437 (appendix D). It contains U+FFFD if the bytes are neither.
 */
function nameOf(entry: Entry): string {
  const isMarked =
    (entry.generalPurposeBitFlag & isUtf8Flag) !== 0 ||
    entry.extraFields.some(({ id }) => id === unicodePathField)
  const flags = isMarked || !isUtf8(entry.fileNameRaw) ? entry.generalPurposeBitFlag : isUtf8Flag
  return getFileNameLowLevel(flags, entry.fileNameRaw, entry.extraFields, true)
}

/** Determined by the name and the Unix mode, which most programs write on any system. */
function kindOf(entry: Entry, name: string): EntryKind {
  const type = (entry.externalFileAttributes >>> 16) & 0o170000
  const isNamedFolder = name.endsWith('/')
  if (type === 0o040000 && !isNamedFolder) return { other: 'a folder without a slash at its end' }
  if (![0, 0o100000, 0o040000].includes(type)) {
    return { other: otherKinds.get(type) ?? 'of an unknown kind' }
  }
  return isNamedFolder ? 'folder' : 'file'
}

const otherKinds = new Map([
  [0o120000, 'a symbolic link'],
  [0o020000, 'a device'],
  [0o060000, 'a device'],
  [0o010000, 'a named pipe'],
  [0o140000, 'a socket'],
])

/** Why the data of the entry cannot be read, as a sentence; undefined if it can. */
function faultOfEntry(entry: Entry, kind: EntryKind): string | undefined {
  const { compressionMethod: method, compressedSize, uncompressedSize } = entry
  if (entry.generalPurposeBitFlag & isEncryptedFlag) {
    return 'The file is encrypted. Create the archive without a password.'
  }
  if (method !== stored && method !== deflated) {
    return `The file uses compression method ${method}, which is not supported. Use "deflate".`
  }
  if (method === stored && compressedSize !== uncompressedSize) {
    return 'The archive is damaged: an uncompressed file has two different sizes.'
  }
  if (kind === 'folder' && uncompressedSize !== 0) {
    return 'The archive is damaged: a folder has content.'
  }
  // Deflate adds a few bytes per block to incompressible data, never a quarter.
  if (compressedSize > uncompressedSize * 1.25 + 1024) {
    return 'The archive is damaged: a file is larger compressed than unpacked.'
  }
  return undefined
}

/** The first difference between the local header and the directory, as a sentence. */
function faultOfLocalHeader(entry: Entry, local: LocalFileHeader): string | undefined {
  if (!entry.fileNameRaw.equals(local.fileName)) return disagreement('name')
  if (entry.compressionMethod !== local.compressionMethod) return disagreement('compression method')
  if ((entry.generalPurposeBitFlag ^ local.generalPurposeBitFlag) & isEncryptedFlag) {
    return disagreement('encryption')
  }
  if (local.generalPurposeBitFlag & sizesFollowFlag) return undefined
  if (entry.crc32 !== local.crc32) return disagreement('checksum')
  const sizes = localSizes(local)
  const isSame =
    sizes.uncompressed === entry.uncompressedSize && sizes.compressed === entry.compressedSize
  return isSame ? undefined : disagreement('size')
}

function localSizes(local: LocalFileHeader): { uncompressed: number; compressed: number } {
  let { uncompressedSize: uncompressed, compressedSize: compressed } = local
  if (uncompressed !== isInZip64 && compressed !== isInZip64) return { uncompressed, compressed }
  const field = parseExtraFields(local.extraField).find(({ id }) => id === zip64Field)
  const sizes = field === undefined ? [] : uint64s(field.data)
  if (uncompressed === isInZip64) uncompressed = sizes.shift() ?? -1
  if (compressed === isInZip64) compressed = sizes.shift() ?? -1
  return { uncompressed, compressed }
}

function uint64s(bytes: Buffer): number[] {
  const numbers: number[] = []
  for (let at = 0; at + 8 <= bytes.length; at += 8) numbers.push(Number(bytes.readBigUInt64LE(at)))
  return numbers
}

function disagreement(what: string): string {
  return `The archive is damaged: the ${what} of the file differs between its two headers.`
}
