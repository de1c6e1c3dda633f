// What a person uploads becomes files, one at a time, or a DeployFailure that says why it cannot. Nothing
// of an archive touches a disk.

import type { SiteFile } from '../site-files/site-file.ts'
import { createAdmission, type OnIgnoredFile } from './admission.ts'
import { archiveSize } from './archive-bytes.ts'
import type { ArchiveForm } from './archive-form.ts'
import type { ArchiveLimits } from './archive-limits.ts'
import { readTarGz } from './read-tar-gz.ts'
import { readZip } from './read-zip.ts'

/**
 * The regular files of an archive, in its order, with the paths they have there: see `withoutCommonFolder`.
 * No path comes twice, in any case or Unicode form. `fd` is read by position and stays open. In memory are
 * at most two times `fileBytes` and what the upload's list of files takes.
 *
 * Throws a DeployFailure for an archive that is damaged, hostile or too large, possibly after some files
 * were given: those must not be used. An error of our own disk is thrown as it is.
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
