// Reads the files of an uploaded archive (.zip or .tar.gz), one at a time. Nothing is unpacked to a disk. Each entry is
// checked before it is unpacked, and the limits hold while it is: what an archive declares about itself is not trusted.

import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { shownName } from '#renderer/site-files/canonical-path.ts'
import { DeployFailure, type SiteFile } from '#renderer/site-files/site-file.ts'
import { archiveChunks, archiveSize, pullBytes } from './archive-bytes.ts'
import {
  type ArchiveLimits,
  createEntryChecker,
  type EntryChecker,
  type EntryKind,
  type OnIgnoredFile,
  type OpenArchive,
  refuseBomb,
  tooManyBytes,
} from './entry-checker.ts'
import { readZip } from './read-zip.ts'
import { cutOff, paddedBytes, tarEntries } from './tar-entries.ts'

/** Generous estimate of the headers and padding of one entry. */
const entryOverheadBytes = 4096

const otherKinds = new Map([
  ['1', 'a hard link'],
  ['2', 'a symbolic link'],
  ['3', 'a device'],
  ['4', 'a device'],
  ['6', 'a named pipe'],
  ['S', 'a sparse file'],
])

/** As a stream, entry by entry, with a limit for the decompressed size. */
async function* readTarGz(archive: OpenArchive, checker: EntryChecker): AsyncGenerator<SiteFile> {
  const chunks = inflatedChunks(archive)
  try {
    const source = pullBytes(chunks)
    for await (const entry of tarEntries(source)) {
      checker.count()
      const kind = kindOf(entry.type, entry.name)
      const path = checker.check(entry.name, kind, entry.size)
      if (kind === 'folder' && entry.size > 0) {
        throw new DeployFailure('The archive is damaged: a folder has content.', {
          file: shownName(entry.name),
        })
      }
      const padded = paddedBytes(entry.size)
      if (path === undefined) {
        await source.skip(padded)
        continue
      }
      const bytes = await source.take(entry.size)
      const padding = await source.skip(padded - entry.size)
      if (bytes.length + padding < padded) throw cutOff()
      yield { path, bytes }
    }
  } finally {
    await chunks.return(undefined)
  }
}

function kindOf(type: string, name: string): EntryKind {
  const isRegular = type === '0' || type === '\0' || type === '7'
  // Programs older than type 5 mark folders with a slash.
  if (type === '5' || (isRegular && name.endsWith('/'))) return 'folder'
  return isRegular ? 'file' : { other: otherKinds.get(type) ?? 'of an unknown kind' }
}

/** Consecutive gzip members form one file (RFC 1952, 2.2). Trailing zeros are accepted, other trailing data is not. */
async function* inflatedChunks({
  fd,
  size,
  limits,
}: OpenArchive): AsyncGenerator<Uint8Array, undefined> {
  const gunzip = createGunzip({ chunkSize: 64 * 1024 })
  // Errors are handled in the loop below.
  const settled = pipeline(Readable.from(archiveChunks(fd)), gunzip).catch(() => {})
  let bytes = 0
  try {
    for await (const chunk of gunzip) {
      bytes += chunk.length
      if (bytes > limits.bytes + limits.entries * entryOverheadBytes) throw tooManyBytes(limits)
      refuseBomb(bytes, size)
      yield chunk
    }
  } catch (error) {
    // zlib's errors are caused by the archive; all others are internal.
    const isDamaged =
      error instanceof Error &&
      'code' in error &&
      /^Z_(DATA|BUF|NEED_DICT)/.test(String(error.code))
    throw isDamaged ? new DeployFailure('The gzip file is damaged or incomplete.') : error
  } finally {
    // No read may be pending when the descriptor is closed.
    await settled
  }
}

export type ArchiveForm = 'zip' | 'tar.gz'

/**
 * The format by the first 4 bytes; undefined for an unsupported format. File names and media types are not trusted. The
 * content of a gzip file is not checked here.
 */
export function archiveForm(firstBytes: Uint8Array): ArchiveForm | undefined {
  const [a, b, c, d] = firstBytes
  if (a === 0x1f && b === 0x8b && c === 8) return 'tar.gz'
  // The first entry, or the end of an archive without entries (APPNOTE 4.3.7, 4.3.16).
  if (a === 0x50 && b === 0x4b && ((c === 3 && d === 4) || (c === 5 && d === 6))) return 'zip'
  return undefined
}

/**
 * The regular files of an archive, in its order and with its paths: see `withoutCommonFolder`. All paths are
 * distinct, also if case and Unicode form are ignored. `fd` is read at explicit positions and stays open. Memory is
 * limited to twice `fileBytes` plus the list of files.
 *
 * Throws a DeployFailure for an archive that is damaged, malicious or too large, possibly after some files were
 * returned, which must not be used then. An error of the server's disk is thrown unchanged.
 */
export async function* readArchive(
  fd: number,
  form: ArchiveForm,
  limits: ArchiveLimits,
  onIgnoredFile: OnIgnoredFile = () => {},
): AsyncGenerator<SiteFile> {
  const archive = { fd, size: await archiveSize(fd), limits }
  const checker = createEntryChecker(limits, onIgnoredFile)
  yield* form === 'zip' ? readZip(archive, checker) : readTarGz(archive, checker)
  checker.end()
}

/**
 * The same paths in the same order, without the top folder if it contains all of them. Only one level is removed,
 * and never a hidden folder, whose name has a meaning (`.well-known`). For canonical paths of files.
 */
export function withoutCommonFolder(paths: readonly string[]): string[] {
  const first = paths[0] ?? ''
  const folder = first.slice(0, first.indexOf('/') + 1)
  const isCut = folder !== '' && !folder.startsWith('.') && paths.every((p) => p.startsWith(folder))
  return isCut ? paths.map((path) => path.slice(folder.length)) : [...paths]
}
