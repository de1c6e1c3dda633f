// What an archive of any form must keep to: every entry passes here before a byte of it is unpacked.

import { canonicalPath, shownName } from '../site-files/canonical-path.ts'
import { DeployFailure } from '../site-files/deploy-failure.ts'
import { createPathSet } from '../site-files/path-set.ts'
import type { ArchiveLimits } from './archive-limits.ts'
import { isIgnoredFile } from './ignored-files.ts'

/** `other` is what an archive can have and a site cannot, in words: "a symbolic link". */
export type EntryKind = 'file' | 'folder' | { other: string }

export interface Admission {
  /** Counts what has a place in the archive, also before its name is known. Throws a DeployFailure. */
  count(): void
  /**
   * The canonical path of a file that is wanted; undefined for folders and what is passed over. `name` as
   * decoded, a folder's with or without its last slash. Throws a DeployFailure for what is refused.
   */
  admit(name: string, kind: EntryKind, size: number): string | undefined
  /** Throws when no file was admitted. */
  end(): void
}

/** Told the canonical path of whatever is left out, for its owner to know. */
export type OnIgnoredFile = (path: string) => void

export function createAdmission(limits: ArchiveLimits, onIgnoredFile: OnIgnoredFile): Admission {
  const paths = createPathSet()
  let entries = 0
  let files = 0
  let bytes = 0

  return {
    count() {
      entries += 1
      refuseMoreEntries(entries, limits)
    },
    admit(name, kind, size) {
      if (kind === 'folder' && (name === './' || name === '.')) return undefined
      const parsed = canonicalPath(kind === 'folder' ? name.replace(/\/$/, '') : name)
      const file = shownName(name)
      if ('refused' in parsed) throw new DeployFailure(parsed.refused, { file })
      const { path } = parsed
      if (isIgnoredFile(path)) {
        onIgnoredFile(path)
        return undefined
      }
      if (typeof kind === 'object') {
        throw new DeployFailure(`It is ${kind.other}; only files and folders can be deployed.`, {
          file,
        })
      }
      const clash = paths.add(path, kind)
      if (clash !== undefined) throw new DeployFailure(clash, { file })
      if (kind === 'folder') return undefined
      files += 1
      bytes += size
      if (files > limits.files) {
        throw new DeployFailure(`There are more than ${inWords(limits.files)} files.`, { file })
      }
      if (size > limits.fileBytes) {
        throw new DeployFailure(
          `The file is larger than ${inWords(limits.fileBytes)} bytes when unpacked.`,
          { file },
        )
      }
      if (bytes > limits.bytes) throw tooManyBytes(limits)
      return path
    },
    end() {
      if (files === 0) throw new DeployFailure('The archive has no files.')
    },
  }
}

/** Also for an archive that says beforehand how many entries it has. */
export function refuseMoreEntries(entries: number, limits: ArchiveLimits): void {
  if (entries > limits.entries) {
    throw new DeployFailure(`The archive has more than ${inWords(limits.entries)} entries.`)
  }
}

/** A site packs about 4 to 1, at most some 50 to 1; what packs better than this was made to hurt. */
export function refuseBomb(unpackedBytes: number, archiveBytes: number): void {
  if (unpackedBytes > 1_000_000 && unpackedBytes > 250 * archiveBytes) {
    throw new DeployFailure('The archive unpacks to more than 250 times its size.')
  }
}

export function tooManyBytes(limits: ArchiveLimits): DeployFailure {
  return new DeployFailure(
    `The files of the archive have more than ${inWords(limits.bytes)} bytes when unpacked.`,
  )
}

function inWords(count: number): string {
  return count.toLocaleString('en')
}
