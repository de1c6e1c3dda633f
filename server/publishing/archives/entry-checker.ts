// Checks every entry of an archive, of any format, before any of its bytes are unpacked.

import { canonicalPath, createPathSet, shownName } from '#renderer/site-files/canonical-path.ts'
import { DeployFailure } from '#renderer/site-files/site-file.ts'
import { isIgnoredFile } from './ignored-files.ts'

export interface ArchiveLimits {
  files: number
  /** Entries of any kind, including folders and ignored files. */
  entries: number
  /** Total size of all files, uncompressed. */
  bytes: number
  /** Size of one file, uncompressed. */
  fileBytes: number
}

export interface OpenArchive {
  /** Open for reading; the caller closes it. */
  fd: number
  /** Size of the archive itself, in bytes. */
  size: number
  limits: ArchiveLimits
}

/** `other` describes an entry that a site cannot contain, such as "a symbolic link". */
export type EntryKind = 'file' | 'folder' | { other: string }

/** Called with the canonical path of each ignored file, so that the owner can be informed. */
export type OnIgnoredFile = (path: string) => void

export type EntryChecker = ReturnType<typeof createEntryChecker>

export function createEntryChecker(limits: ArchiveLimits, onIgnoredFile: OnIgnoredFile) {
  const paths = createPathSet()
  let entries = 0
  let files = 0
  let bytes = 0

  return {
    /** Counts an entry of the archive, even before its name is known. Throws a DeployFailure. */
    count(): void {
      entries += 1
      refuseMoreEntries(entries, limits)
    },
    /**
     * The canonical path of a file to unpack; undefined for folders and ignored files. `name` is the decoded name, that
     * of a folder with or without its last slash. Throws a DeployFailure for a rejected entry.
     */
    check(name: string, kind: EntryKind, size: number): string | undefined {
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
        const message = `This is ${kind.other}. Only files and folders can be deployed.`
        throw new DeployFailure(message, { file })
      }
      const clash = paths.add(path, kind)
      if (clash !== undefined) throw new DeployFailure(clash, { file })
      if (kind === 'folder') return undefined
      files += 1
      bytes += size
      if (files > limits.files) {
        const message = `The archive has more than ${inWords(limits.files)} files.`
        throw new DeployFailure(message, { file })
      }
      if (size > limits.fileBytes) {
        const message = `The file is larger than ${inWords(limits.fileBytes)} bytes when unpacked.`
        throw new DeployFailure(message, { file })
      }
      if (bytes > limits.bytes) throw tooManyBytes(limits)
      return path
    },
    /** Throws if there was no file to unpack. */
    end(): void {
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
