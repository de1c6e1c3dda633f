// A small disk: a tmpfs, which only root can mount.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** The folder of a new one, until the test is finished. */
export function mountDisk(megabytes: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-disk-'))
  try {
    const options = `size=${megabytes}m,mode=777`
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'ignore' })
  } catch (error) {
    rmSync(folder, { recursive: true })
    throw error
  }
  onTestFinished(() => {
    // Lazy, because a process that is being killed may still hold a file open.
    execFileSync('umount', ['--lazy', folder])
    rmSync(folder, { recursive: true })
  })
  return folder
}
