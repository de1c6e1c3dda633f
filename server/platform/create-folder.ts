// Folders that hold what is ours alone.
import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/** Creates a folder with all above it, mode 0700. Node's own recursive form never ends below /proc and its like. */
export function createFolder(folder: string): void {
  if (existsSync(folder)) return
  const parent = dirname(folder)
  if (parent !== folder) createFolder(parent)
  mkdirSync(folder, { mode: 0o700 })
}
