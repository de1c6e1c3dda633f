// The files that a user dropped or chose: an archive, or a folder with all its files.
import { maxDeployFiles } from '../../client/limits.ts'

export type Chosen = { archive: File } | { files: Map<string, File> }

const archives = /\.(zip|tgz|tar\.gz)$/i

/** Undefined for anything else. */
export async function readDropped(items: DataTransferItemList): Promise<Chosen | undefined> {
  // The list is emptied once the event handler returns.
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  const [first, ...others] = entries
  if (!first) return undefined
  if (others.length === 0 && first.isFile) {
    const file = await fileOf(first as FileSystemFileEntry)
    if (archives.test(file.name)) return { archive: file }
  }
  const files = new Map<string, File>()
  const isOneFolder = others.length === 0 && first.isDirectory
  for (const entry of entries) await walk(entry, isOneFolder ? '' : entry.name, files)
  return { files }
}

/** From an input with `webkitdirectory`, or for an archive. */
export function readChosen(list: FileList): Chosen | undefined {
  const [first] = list
  if (!first) return undefined
  if (list.length === 1 && archives.test(first.name)) return { archive: first }
  const files = new Map<string, File>()
  for (const file of list) {
    const [, ...below] = file.webkitRelativePath.split('/')
    const name = below.length > 0 ? below.join('/') : file.name
    if (!isSkipped(name)) files.set(name, file)
  }
  return { files }
}

async function walk(entry: FileSystemEntry, name: string, files: Map<string, File>): Promise<void> {
  if (files.size >= maxDeployFiles) return
  if (entry.isFile) {
    if (!isSkipped(name)) files.set(name, await fileOf(entry as FileSystemFileEntry))
    return
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (some.length === 0) return
    for (const each of some) {
      await walk(each, name === '' ? each.name : `${name}/${each.name}`, files)
    }
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject))
}

/** Files of operating systems and tools. The command line skips the same. */
function isSkipped(name: string): boolean {
  return /(^|\/)(\.git|\.svn|node_modules|__MACOSX)\/|(^|\/)(\.DS_Store|Thumbs\.db)$/.test(name)
}
