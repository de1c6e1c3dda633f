// The canonical form of the paths of published files, and the set of those of one site. Names that are invisible in part, or
// that systems read differently, are rejected, never corrected. Paths must be distinct even if case and Unicode form are
// ignored, as some file systems do, and none may be both a file and a folder.

/** Bidirectional controls, line separators and zero-width characters, which disguise a name. */
const invisible = /[\p{Bidi_Control}\u2028\u2029\u200b\u2060\ufeff]/u

/** What must not be there, and what is wrong then, with `{}` for the text. The first that is found is said. */
type Faults = readonly (readonly [{ test(text: string): boolean }, string])[]

const longerThan = (bytes: number) => ({ test: (text: string) => Buffer.byteLength(text) > bytes })
const faultsOfName: Faults = [
  [/^$/, 'The name is empty.'],
  [/\0/, 'The name contains a NUL character.'],
  [/\p{Cc}/u, 'The name contains a control character.'],
  [/\p{Cs}/u, 'The name contains an incomplete character (a lone surrogate).'],
  [/\ufffd/, 'The name is not valid UTF-8.'],
  [invisible, 'The name contains an invisible character, such as a text direction mark.'],
]
const faultsOfPath: Faults = [
  [/^\//, 'The path is absolute: it starts with a slash.'],
  [/^\\\\/, 'The path is absolute: it starts with the name of a computer.'],
  [/^[a-z]:/i, 'The path is absolute: it starts with a drive letter.'],
  [/\\/, 'The path contains a backslash. Separate folders with "/".'],
  [longerThan(1024), 'The path is longer than 1,024 bytes.'],
  [/^(?:[^/]*\/){32}/, 'The path has more than 32 levels.'],
]
const faultsOfSegment: Faults = [
  [/^$/, 'The path has an empty segment: two consecutive slashes or one at the end.'],
  [/^\.\.$/, 'The path leaves its folder: it contains "..".'],
  [/^\.$/, 'The path contains "." as a folder.'],
  [/[. ]$/, 'A segment of the path ends with a dot or a space.'],
  [longerThan(255), 'A segment of the path is longer than 255 bytes.'],
  [
    /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i,
    '"{}" is the name of a device on Windows. Rename it.',
  ],
  [
    { test: (text) => /[/\\]|^\.\.?$/.test(text.normalize('NFKC')) },
    'The path contains a character that some systems read as a dot or a slash.',
  ],
]

/**
 * `path` is canonical: segments in NFC joined by `/`, at most 32 of at most 255 bytes, 1,024 bytes in all.
 * A leading `./` is removed. `refused` is a sentence for the owner of the file that says what is wrong. A name
 * decoded from invalid UTF-8 contains the replacement character and is rejected.
 */
export function canonicalPath(name: string): { path: string } | { refused: string } {
  // The start is checked in the canonical form: "./C:" and a Kelvin sign (NFC: K) with a colon are drives, too.
  const path = (name.startsWith('./') ? name.slice(2) : name).normalize('NFC')
  const refused =
    faultIn([name], faultsOfName) ??
    faultIn([path], faultsOfPath) ??
    faultIn(path.split('/'), faultsOfSegment)
  return refused === undefined ? { path } : { refused }
}

const faultIn = (texts: readonly string[], faults: Faults): string | undefined =>
  texts.flatMap((text) =>
    faults.flatMap(([form, fault]) => (form.test(text) ? fault.replace('{}', () => text) : [])),
  )[0]

/** The name for display: invisible characters are escaped as `\u{…}`, and a long name is shortened. */
export function shownName(name: string): string {
  const shown = Array.from(name.slice(0, 200), (char) =>
    /[\p{Cc}\p{Cs}]/u.test(char) || invisible.test(char)
      ? `\\u{${char.codePointAt(0)?.toString(16)}}`
      : char,
  ).join('')
  return name.length > 200 ? `${shown}…` : shown
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
      const [keys, parts] = [foldedPath(path).split('/'), path.split('/')]
      for (const index of parts.keys()) {
        const upTo = (segments: string[]) => segments.slice(0, index + 1).join('/')
        const clash = addOne(upTo(keys), upTo(parts), index + 1 < parts.length ? 'folder' : kind)
        if (clash !== undefined) return clash
      }
      return undefined
    },
  }
}

/** Equal for paths that a file system may treat as the same: NFKC, and upper case before lower case (ß is ss). */
const foldedPath = (path: string): string =>
  path.normalize('NFKC').toUpperCase().normalize('NFKC').toLowerCase().normalize('NFKC')

function differsTooLittle(first: string, second: string): string {
  const byForm = first.normalize('NFKC') === second.normalize('NFKC')
  const how = byForm ? 'the Unicode form of their characters' : 'upper and lower case'
  return `"${first}" and "${second}" differ only in ${how}. Rename one of them.`
}
