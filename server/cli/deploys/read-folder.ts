// A folder on its way to a deploy: its files with their content's hashes, read one after the other.
import { createHash } from 'node:crypto'
import { createReadStream, type Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isPassedOver } from '../../publishing/archives/passed-over.ts'
import { canonicalPath } from '../../publishing/site-files/canonical-path.ts'
import { CommandError } from '../command-line/command.ts'

export interface FolderFile {
  /** Canonical, relative to the folder. */
  path: string
  /** On this machine. */
  file: string
  bytes: number
}

const most = 100_000

/**
 * The files of a folder, by path. Left out: what nobody means to publish (see `isPassedOver`), and
 * node_modules. Throws a CommandError for links, devices and names that no site may have.
 */
export async function readFolder(folder: string): Promise<FolderFile[]> {
  const files: FolderFile[] = []
  const folders = ['']
  for (const inner of folders) {
    for (const entry of await readdir(join(folder, inner), { withFileTypes: true })) {
      const name = inner === '' ? entry.name : `${inner}/${entry.name}`
      if (isPassedOver(name) || entry.name === 'node_modules') continue
      if (entry.isDirectory()) folders.push(name)
      else files.push(await readEntry(folder, name, entry))
      if (files.length + folders.length > most) {
        throw new CommandError(
          `${folder} has more than ${most} files: choose the folder of the site`,
        )
      }
    }
  }
  if (files.length === 0) throw new CommandError(`${folder} has no files`)
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
}

async function readEntry(folder: string, name: string, entry: Dirent): Promise<FolderFile> {
  const file = join(folder, name)
  if (entry.isSymbolicLink()) {
    throw new CommandError(`${name} is a link: put the file itself there, or take the link away`)
  }
  if (!entry.isFile()) throw new CommandError(`${name} is not a regular file: take it away`)
  const found = canonicalPath(name)
  if ('refused' in found) throw new CommandError(`${name}: ${found.refused}`)
  return { path: found.path, file, bytes: (await stat(file)).size }
}

/** SHA-256 of a file, in lower-case hexadecimal. */
export async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
