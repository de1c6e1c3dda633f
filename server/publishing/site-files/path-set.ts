// The paths of one site, no two of which may meet: not on a disk that ignores case, not on one that
// knows only one Unicode form, and no file may be a folder, too.

export interface PathSet {
  /** Takes the canonical path in, or says in a sentence that names both with which one it clashes. */
  add(path: string, kind: 'file' | 'folder'): string | undefined
}

interface Known {
  path: string
  kind: 'file' | 'folder'
}

export function createPathSet(): PathSet {
  const known = new Map<string, Known>()

  function addOne(key: string, path: string, kind: 'file' | 'folder'): string | undefined {
    const other = known.get(key)
    if (other === undefined) known.set(key, { path, kind })
    else if (other.path !== path) return differsTooLittle(other.path, path)
    else if (other.kind !== kind) return `"${path}" is a file and a folder at once.`
    else if (kind === 'file') return `"${path}" is there twice.`
    return undefined
  }

  return {
    add(path, kind) {
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

/** Equal for paths that a system may take for one: Unicode's NFKC, and upper case before lower (ß is ss). */
function foldedPath(path: string): string {
  return path.normalize('NFKC').toUpperCase().normalize('NFKC').toLowerCase().normalize('NFKC')
}

function differsTooLittle(first: string, second: string): string {
  const byForm = first.normalize('NFKC') === second.normalize('NFKC')
  const how = byForm ? 'the Unicode form of their characters' : 'upper and lower case'
  return `"${first}" and "${second}" differ only in ${how}; rename one.`
}
