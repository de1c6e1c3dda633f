// The one error of the strict reader: what is wrong, where, and how to fix it. A place inside a JSON value has one notation:
// `name`, `items[3].name`, and the empty text for the whole value. Bytes are decoded without loss: what is not UTF-8 is
// refused, never replaced by U+FFFD.
import { isUtf8 } from 'node:buffer'

/** Keys and indices from the outside in; null where a container is known but not yet its member. */
type JsonSteps = readonly (string | number | null)[]

/** Where something stands in a body. */
export type JsonPlace = {
  /** Bytes before the place. */
  readonly offset: number
  /** From 1; a line ends with LF, CR or CRLF. */
  readonly line: number
  /** From 1, in code points. */
  readonly column: number
}

/** The body is not JSON according to RFC 8259 and RFC 7493. `message` is a sentence for people. */
export class JsonSyntaxError extends Error implements JsonPlace {
  readonly offset: number
  readonly line: number
  readonly column: number
  /** The member being read, such as `items[3].name`; '' outside of any. */
  readonly path: string

  constructor(place: JsonPlace, path: string, sentence: string) {
    super(`Line ${place.line}, column ${place.column}: ${sentence}`)
    this.name = 'JsonSyntaxError'
    this.offset = place.offset
    this.line = place.line
    this.column = place.column
    this.path = path
  }
}

/** The place `at` UTF-16 units into a text that was decoded from UTF-8 without loss. */
export function locate(text: string, at: number): JsonPlace {
  const before = text.slice(0, at)
  const lines = before.split(/\r\n|[\r\n]/)
  const last = lines.at(-1) ?? ''
  return { offset: Buffer.byteLength(before), line: lines.length, column: [...last].length + 1 }
}

export function formatSteps(steps: JsonSteps): string {
  let path = ''
  for (const step of steps) {
    if (typeof step === 'string') path = appendKey(path, step)
    else if (typeof step === 'number') path = appendIndex(path, step)
  }
  return path
}

const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/
const MAX_QUOTED_LENGTH = 40

/** The path of a key inside the object at `parent`; a key of unusual characters is quoted. */
export function appendKey(parent: string, key: string): string {
  if (!PLAIN_KEY.test(key) || key.length > MAX_QUOTED_LENGTH) return `${parent}[${quote(key)}]`
  return parent === '' ? key : `${parent}.${key}`
}

/** The path of an entry inside the array at `parent`; indices start at 0. */
export function appendIndex(parent: string, index: number): string {
  return `${parent}[${index}]`
}

/** Text from outside, fit for a message: in double quotes, escaped, at most 40 units long. */
export function quote(text: string): string {
  if (text.length <= MAX_QUOTED_LENGTH) return JSON.stringify(text)
  return JSON.stringify(`${text.slice(0, MAX_QUOTED_LENGTH - 1).toWellFormed()}…`)
}

const REPLACEMENT = '\uFFFD'
const REPLACEMENT_BYTES = Buffer.from(REPLACEMENT)

/** The text of a body, a byte-order mark included; a JsonSyntaxError when it is not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = buffer.toString('utf8')
  if (isUtf8(buffer)) return text
  const place = locateInvalid(buffer, text)
  const byte = buffer.toString('hex', place.offset, place.offset + 1).toUpperCase()
  throw new JsonSyntaxError(place, '', `byte 0x${byte} is not UTF-8; encode the body as UTF-8.`)
}

/** The first U+FFFD that decoding has put in, as opposed to one that was sent. */
function locateInvalid(buffer: Buffer, text: string): JsonPlace {
  let offset = 0
  let from = 0
  for (;;) {
    const at = text.indexOf(REPLACEMENT, from)
    offset += Buffer.byteLength(text.slice(from, at))
    const sent = buffer.subarray(offset, offset + REPLACEMENT_BYTES.length)
    if (!sent.equals(REPLACEMENT_BYTES)) return { ...locate(text, at), offset }
    offset += REPLACEMENT_BYTES.length
    from = at + 1
  }
}
