// The paths of one site. They must be distinct even if case and Unicode form are ignored, as some file systems do,
// and no path may be both a file and a folder.

type Kind = 'file' | 'folder'

export function createPathSet() {
  const known = new Map<string, { path: string; kind: Kind }>()

  function addOne(key: string, path: string, kind: Kind): string | undefined {
    const other = known.get(key)
    if (other === undefined) known.set(key, { path, kind })
    else if (other.path !== path) return differsTooLittle(other.path, path)
    else if (other.kind !== kind) return `"${path}" is both a file and a folder.`
    else if (kind === 'file') return `"${path}" occurs twice.`
    return undefined
  }

  return {
    /** Adds a canonical path, or returns a sentence that describes the conflict with another path. */
    add(path: string, kind: Kind): string | undefined {
      const key = foldedPath(path)
      let keyEnd = key.indexOf('/')
      for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) {
        const clash = addOne(key.slice(0, keyEnd), path.slice(0, end), 'folder')
        if (clash !== undefined) return clash
        keyEnd = key.indexOf('/', keyEnd + 1)
      }
      return addOne(key, path, kind)
    },
  }
}

/** Equal for paths that a file system may treat as the same: NFKC, and upper case before lower case (ß is ss). */
function foldedPath(path: string): string {
  return path.normalize('NFKC').toUpperCase().normalize('NFKC').toLowerCase().normalize('NFKC')
}

function differsTooLittle(first: string, second: string): string {
  const byForm = first.normalize('NFKC') === second.normalize('NFKC')
  const how = byForm ? 'the Unicode form of their characters' : 'upper and lower case'
  return `"${first}" and "${second}" differ only in ${how}. Rename one of them.`
}
