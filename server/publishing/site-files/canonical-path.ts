// The one form in which the path of a published file may be written. A name that has no such form is
// refused, never repaired: what a person cannot see or another system reads otherwise has no address.

const maxSegmentBytes = 255
const maxPathBytes = 1024
const maxLevels = 32

const deviceName = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i
/** Marks of direction, line ends and characters without width, all of which hide what a name is. */
const invisible = /[\p{Bidi_Control}\u2028\u2029\u200b\u2060\ufeff]/u

/**
 * `path` is canonical: segments in NFC joined by `/`, at most 32 of at most 255 bytes, 1,024 bytes in all.
 * A leading `./` is cut. `refused` is a sentence for whoever made the name, which says what to change.
 * A name decoded from bytes that were not UTF-8 has the replacement character in it and is refused.
 */
export function canonicalPath(name: string): { path: string } | { refused: string } {
  const refused = faultOfCharacters(name) ?? faultOfStart(name)
  if (refused !== undefined) return { refused }
  const path = (name.startsWith('./') ? name.slice(2) : name).normalize('NFC')
  const segments = path.split('/')
  const fault = faultOfSize(path, segments) ?? firstFault(segments)
  return fault === undefined ? { path } : { refused: fault }
}

/** The name as it may be shown: what cannot be seen is written as `\u{…}`, and the end is cut. */
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
  if (name.includes('\0')) return 'The name has a NUL character in it.'
  if (/\p{Cc}/u.test(name)) return 'The name has a control character in it.'
  if (!name.isWellFormed()) return 'The name has half of a character (a lone surrogate) in it.'
  if (name.includes('\ufffd')) return 'The name is not in UTF-8.'
  if (invisible.test(name)) {
    return 'The name has an invisible character, such as a mark of writing direction, in it.'
  }
  return undefined
}

function faultOfStart(name: string): string | undefined {
  if (name.startsWith('/')) return 'The path is absolute: it begins with a slash.'
  if (name.startsWith('\\\\')) return 'The path is absolute: it names another computer.'
  if (/^[a-z]:/i.test(name)) return 'The path is absolute: it begins with a drive letter.'
  if (name.includes('\\')) return 'The path has a backslash in it; separate folders by "/".'
  return undefined
}

function faultOfSize(path: string, segments: readonly string[]): string | undefined {
  if (Buffer.byteLength(path) > maxPathBytes) {
    return `The path is longer than ${maxPathBytes.toLocaleString('en')} bytes.`
  }
  if (segments.length > maxLevels) return `The path has more than ${maxLevels} levels.`
  return undefined
}

function firstFault(segments: readonly string[]): string | undefined {
  for (const segment of segments) {
    const fault = faultOfSegment(segment)
    if (fault !== undefined) return fault
  }
  return undefined
}

function faultOfSegment(segment: string): string | undefined {
  if (segment === '') return 'The path has an empty part: two slashes in a row or one at the end.'
  if (segment === '..') return 'The path leaves its folder: it has ".." in it.'
  if (segment === '.') return 'The path has "." in it as a folder.'
  if (/[. ]$/.test(segment)) return 'A part of the path ends in a dot or a space.'
  if (Buffer.byteLength(segment) > maxSegmentBytes) {
    return `A part of the path is longer than ${maxSegmentBytes} bytes.`
  }
  if (deviceName.test(segment)) {
    return `"${segment}" is the name of a device on Windows; choose another.`
  }
  const compatible = segment.normalize('NFKC')
  if (/[/\\]/.test(compatible) || /^\.\.?$/.test(compatible)) {
    return 'The path has a character in it that some systems read as a dot or a slash.'
  }
  return undefined
}
