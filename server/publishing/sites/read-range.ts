// Parses the Range header of a request (RFC 9110, section 14.2). Only a single range of bytes is supported.

interface AskedRange {
  range: string
  ifRange: string | undefined
}

/** The Range and If-Range headers of a request; repeated headers are joined to one list. */
export function askedRange(rawHeaders: readonly string[]): AskedRange | undefined {
  let range: string | undefined
  let ifRange: string | undefined
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length !== 5 && name.length !== 8) continue
    const lower = name.toLowerCase()
    const value = rawHeaders[i + 1] as string
    if (lower === 'range') range = range === undefined ? value : `${range}, ${value}`
    else if (lower === 'if-range') ifRange = ifRange === undefined ? value : `${ifRange}, ${value}`
  }
  return range === undefined ? undefined : { range, ifRange }
}

/** Both ends are included, as in Content-Range. */
export interface ByteRange {
  first: number
  last: number
}

/**
 * The range that a Range header requests of `size` bytes. `unsatisfiable` is a 416. Undefined means to send the whole
 * file: a header that is malformed, in another unit or has several ranges may be ignored.
 */
export function readRange(field: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, list] = /^[ \t]*bytes=(.*)$/i.exec(field) ?? []
  // Elements of a list may be empty (section 5.6.1).
  const parts = list?.split(',').map((part) => part.trim()) ?? []
  const [part, ...others] = parts.filter((one) => one !== '')
  if (part === undefined || others.length > 0) return undefined
  const [, from = '', to = ''] = /^([0-9]*)-([0-9]*)$/.exec(part) ?? []
  if (from === '') return to === '' ? undefined : lastBytes(Number(to), size)
  const first = Number(from)
  const last = to === '' ? Number.POSITIVE_INFINITY : Number(to)
  if (last < first) return undefined
  if (first >= size) return 'unsatisfiable'
  return { first, last: Math.min(last, size - 1) }
}

function lastBytes(count: number, size: number): ByteRange | 'unsatisfiable' | undefined {
  if (count === 0) return 'unsatisfiable'
  // The last bytes of an empty file are empty, which Content-Range cannot express.
  if (size === 0) return undefined
  return { first: Math.max(0, size - count), last: size - 1 }
}
