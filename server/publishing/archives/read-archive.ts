// Reads the files of an uploaded archive, one at a time. Nothing is unpacked to a disk.
import type { SiteFile } from '#renderer/site-files/site-file.ts'
import { archiveSize } from './archive-bytes.ts'
import { type ArchiveLimits, createEntryChecker, type OnIgnoredFile } from './entry-checker.ts'
import { readTarGz } from './read-tar-gz.ts'
import { readZip } from './read-zip.ts'

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
