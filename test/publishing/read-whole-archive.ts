// Reads an archive as an upload is read: from the descriptor of an unlinked file.

import { closeSync, mkdtempDisposableSync, openSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ArchiveLimits } from '#publishing/archives/entry-checker.ts'
import type { ArchiveForm } from '#publishing/archives/read-archive.ts'
import { readArchive } from '#publishing/archives/read-archive.ts'

export const testLimits: ArchiveLimits = {
  files: 500,
  entries: 2000,
  bytes: 50_000_000,
  fileBytes: 10_000_000,
}

export async function readWhole(
  bytes: Uint8Array,
  form: ArchiveForm,
  limits: ArchiveLimits = testLimits,
) {
  const fd = openUnlinked(bytes)
  try {
    const passedOver: string[] = []
    const archive = readArchive(fd, form, limits, (path) => passedOver.push(path))
    return { files: await Array.fromAsync(archive), passedOver }
  } finally {
    closeSync(fd)
  }
}

/** A descriptor of an unlinked file with these bytes. */
export function openUnlinked(bytes: Uint8Array): number {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'archive-'))
  const file = join(folder.path, 'upload')
  writeFileSync(file, bytes)
  return openSync(file, 'r')
}
