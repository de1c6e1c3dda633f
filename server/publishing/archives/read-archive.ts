// Reads the files of an uploaded archive, one at a time. Nothing is unpacked to a disk.

import type { SiteFile } from '../site-files/site-file.ts'
import { createAdmission, type OnIgnoredFile } from './admission.ts'
import { archiveSize } from './archive-bytes.ts'
import type { ArchiveForm } from './archive-form.ts'
import type { ArchiveLimits } from './archive-limits.ts'
import { readTarGz } from './read-tar-gz.ts'
import { readZip } from './read-zip.ts'

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
  const admission = createAdmission(limits, onIgnoredFile)
  yield* form === 'zip' ? readZip(archive, admission) : readTarGz(archive, admission)
  admission.end()
}
