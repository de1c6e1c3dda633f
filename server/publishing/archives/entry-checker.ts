// Checks every entry of an archive, of any format, before any of its bytes are unpacked.

import { canonicalPath, shownName } from '../site-files/canonical-path.ts'
import { DeployFailure } from '../site-files/deploy-failure.ts'
import { createPathSet } from '../site-files/path-set.ts'
import type { ArchiveLimits } from './archive-limits.ts'
import { isIgnoredFile } from './ignored-files.ts'

/** `other` describes an entry that a site cannot contain, such as "a symbolic link". */
export type EntryKind = 'file' | 'folder' | { other: string }

export interface Admission {
  /** Counts an entry of the archive, even before its name is known. Throws a DeployFailure. */
  count(): void
  /**
   * The canonical path of a file to unpack; undefined for folders and ignored files. `name` is the decoded name,
   * that of a folder with or without its last slash. Throws a DeployFailure for a rejected entry.
   */
  admit(name: string, kind: EntryKind, size: number): string | undefined
  /** Throws if no file was admitted. */
  end(): void
}

/** Called with the canonical path of each ignored file, so that the owner can be informed. */
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
        throw new DeployFailure(`This is ${kind.other}. Only files and folders can be deployed.`, {
          file,
        })
      }
      const clash = paths.add(path, kind)
      if (clash !== undefined) throw new DeployFailure(clash, { file })
      if (kind === 'folder') return undefined
      files += 1
      bytes += size
      if (files > limits.files) {
        throw new DeployFailure(`The archive has more than ${inWords(limits.files)} files.`, {
          file,
        })
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
      if (files === 0) throw new DeployFailure('The archive contains no files.')
    },
  }
}

/** Also used for an archive that declares its number of entries. */
export function refuseMoreEntries(entries: number, limits: ArchiveLimits): void {
  if (entries > limits.entries) {
    throw new DeployFailure(`The archive has more than ${inWords(limits.entries)} entries.`)
  }
}

/** Sites are compressed about 4:1, at most about 50:1. A much higher ratio indicates an archive bomb. */
export function refuseBomb(unpackedBytes: number, archiveBytes: number): void {
  if (unpackedBytes > 1_000_000 && unpackedBytes > 250 * archiveBytes) {
    throw new DeployFailure('The archive unpacks to more than 250 times its size.')
  }
}

export function tooManyBytes(limits: ArchiveLimits): DeployFailure {
  return new DeployFailure(
    `The files of the archive are larger than ${inWords(limits.bytes)} bytes in total when unpacked.`,
  )
}

function inWords(count: number): string {
  return count.toLocaleString('en')
}
