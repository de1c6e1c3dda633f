// The canonical form of the paths of published files, and the set of those of one site. Names that are invisible in part, or
// that systems read differently, are rejected, never corrected. Paths must be distinct even if case and Unicode form are
// ignored, as some file systems do, and none may be both a file and a folder.

const maxSegmentBytes = 255
const maxPathBytes = 1024
const maxLevels = 32

const deviceName = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i
/** Bidirectional controls, line separators and zero-width characters, which disguise a name. */
const invisible = /[\p{Bidi_Control}\u2028\u2029\u200b\u2060\ufeff]/u

/**
 * `path` is canonical: segments in NFC joined by `/`, at most 32 of at most 255 bytes, 1,024 bytes in all.
 * A leading `./` is removed. `refused` is a sentence for the owner of the file that says what is wrong. A name
 * decoded from invalid UTF-8 contains the replacement character and is rejected.
 */
export function canonicalPath(name: string): { path: string } | { refused: string } {
  // The start is checked in the canonical form: "./C:" and a Kelvin sign (NFC: K) with a colon are drives, too.
  const path = (name.startsWith('./') ? name.slice(2) : name).normalize('NFC')
  const segments = path.split('/')
  const refused =
    faultOfCharacters(name) ??
    faultOfStart(path) ??
    faultOfSize(path, segments) ??
    segments.map(faultOfSegment).find((fault) => fault !== undefined)
  return refused === undefined ? { path } : { refused }
}

/** The name for display: invisible characters are escaped as `\u{…}`, and a long name is shortened. */
export function shownName(name: string): string {
  const shown = Array.from(name.slice(0, 200), (char) =>
    /[\p{Cc}\p{Cs}]/u.test(char) || invisible.test(char)
      ? `\\u{${char.codePointAt(0)?.toString(16)}}`
      : char,
  ).join('')
  return name.length > 200 ? `${shown}…` : shown
}

function faultOfCharacters(name: string): string | undefined {
  if (name === '') return 'The name is empty.'
  if (name.includes('\0')) return 'The name contains a NUL character.'
  if (/\p{Cc}/u.test(name)) return 'The name contains a control character.'
  if (!name.isWellFormed()) return 'The name contains an incomplete character (a lone surrogate).'
  if (name.includes('\ufffd')) return 'The name is not valid UTF-8.'
  if (invisible.test(name)) {
    return 'The name contains an invisible character, such as a text direction mark.'
  }
  return undefined
}

function faultOfStart(name: string): string | undefined {
  if (name.startsWith('/')) return 'The path is absolute: it starts with a slash.'
  if (name.startsWith('\\\\')) return 'The path is absolute: it starts with the name of a computer.'
  if (/^[a-z]:/i.test(name)) return 'The path is absolute: it starts with a drive letter.'
  if (name.includes('\\')) return 'The path contains a backslash. Separate folders with "/".'
  return undefined
}

function faultOfSize(path: string, segments: readonly string[]): string | undefined {
  if (Buffer.byteLength(path) > maxPathBytes) {
    return `The path is longer than ${maxPathBytes.toLocaleString('en')} bytes.`
  }
  if (segments.length > maxLevels) return `The path has more than ${maxLevels} levels.`
  return undefined
}

function faultOfSegment(segment: string): string | undefined {
  if (segment === '')
    return 'The path has an empty segment: two consecutive slashes or one at the end.'
  if (segment === '..') return 'The path leaves its folder: it contains "..".'
  if (segment === '.') return 'The path contains "." as a folder.'
  if (/[. ]$/.test(segment)) return 'A segment of the path ends with a dot or a space.'
  if (Buffer.byteLength(segment) > maxSegmentBytes) {
    return `A segment of the path is longer than ${maxSegmentBytes} bytes.`
  }
  if (deviceName.test(segment)) {
    return `"${segment}" is the name of a device on Windows. Rename it.`
  }
  const compatible = segment.normalize('NFKC')
  if (/[/\\]/.test(compatible) || /^\.\.?$/.test(compatible)) {
    return 'The path contains a character that some systems read as a dot or a slash.'
  }
  return undefined
}

type Kind = 'file' | 'folder'

export function createPathSet() {
  const entries = new Map<string, { path: string; kind: Kind }>()

  function addOne(key: string, path: string, kind: Kind): string | undefined {
    const other = entries.get(key)
    if (other === undefined) entries.set(key, { path, kind })
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
