// The secrets of a first start: API keys and the set-up link. They are shown on a terminal only. Otherwise standard
// output is a log that others read and keep, so they go to a file of mode 0600 in the data folder.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFolder } from '#kit/create-folder.ts'
import type { EnvironmentName } from '#store/database/environment-name.ts'

export interface FirstCredentials {
  keys: Partial<Record<EnvironmentName, string>>
  /** Undefined once there is an account. */
  setUpLink: string | undefined
}

export function hasCredentials({ keys, setUpLink }: FirstCredentials): boolean {
  return setUpLink !== undefined || Object.keys(keys).length > 0
}

/**
 * Writes them to a file and returns its path. Keys of an earlier start that are still there are kept, because they
 * cannot be shown again. Throws if the folder cannot be written.
 */
export function writeCredentials(dataDir: string, credentials: FirstCredentials): string {
  createFolder(dataDir)
  const path = join(dataDir, 'first-credentials.json')
  const { keys, setUpLink } = credentials
  const content = { keys: { ...readKeys(path), ...keys }, setUpLink }
  const draft = `${path}.${process.pid}`
  rmSync(draft, { force: true })
  writeFileSync(draft, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(draft, path)
  return path
}

function readKeys(path: string): FirstCredentials['keys'] {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).keys
  } catch {
    return {}
  }
}
