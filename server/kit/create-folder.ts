// Creates private folders.
import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/** Creates a folder and its parents, mode 0700. Node's recursive option hangs below /proc and similar. */
export function createFolder(folder: string): void {
  if (existsSync(folder)) return
  const parent = dirname(folder)
  if (parent !== folder) createFolder(parent)
  mkdirSync(folder, { mode: 0o700 })
}
