// Where the strict reader stands in its text, and what every part of it needs: the characters of
// JSON, white space, and the error for a place. Parts leave `at` behind what they have read.

import { formatSteps, JsonSyntaxError, locate } from './json-syntax-error.ts'

export type JsonCursor = {
  readonly text: string
  /** Index of the next UTF-16 unit to read. */
  at: number
  depth: number
  /** One step for each open container, from the outside in; longer than depth after a close. */
  readonly steps: (string | number | null)[]
}

const TAB = 0x09
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
export const SPACE = 0x20
export const QUOTE = 0x22
export const COMMA = 0x2c
export const MINUS = 0x2d
export const POINT = 0x2e
export const ZERO = 0x30
const NINE = 0x39
export const COLON = 0x3a
export const OPEN_BRACKET = 0x5b
export const BACKSLASH = 0x5c
export const CLOSE_BRACKET = 0x5d
export const LOWER_E = 0x65
export const LOWER_F = 0x66
export const LOWER_N = 0x6e
export const LOWER_T = 0x74
export const LOWER_U = 0x75
export const OPEN_BRACE = 0x7b
export const CLOSE_BRACE = 0x7d

/** Moves to the next unit that is not white space, and gives its index. */
export function skipSpace(cursor: JsonCursor): number {
  const { text } = cursor
  let { at } = cursor
  let code = text.charCodeAt(at)
  while (code === SPACE || code === LINE_FEED || code === CARRIAGE_RETURN || code === TAB) {
    code = text.charCodeAt(++at)
  }
  cursor.at = at
  return at
}

export function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE
}

/** The error for the place `at`, inside whatever containers are open now. */
export function fault(cursor: JsonCursor, at: number, sentence: string): JsonSyntaxError {
  const path = formatSteps(cursor.steps.slice(0, cursor.depth))
  return new JsonSyntaxError(locate(cursor.text, at), path, sentence)
}
