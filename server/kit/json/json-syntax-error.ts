// The one error of the strict reader: what is wrong, where, and how to fix it.

import { appendIndex, appendKey } from './json-path.ts'

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
