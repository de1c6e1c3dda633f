// Reads a request body as JSON, strictly: RFC 8259 without options, and of I-JSON (RFC 7493) UTF-8
// without a byte-order mark, unique keys and no lone surrogates. Also no NUL and at most MAX_DEPTH
// levels. One pass, linear time, exact integers; noncharacters such as U+FFFE are let through.

import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  fault,
  isDigit,
  type JsonCursor,
  LOWER_F,
  LOWER_N,
  LOWER_T,
  MINUS,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipSpace,
} from './json-cursor.ts'
import * as diagnosis from './json-diagnosis.ts'
import { quote } from './json-path.ts'
import { readNumber, readString } from './json-scalars.ts'
import { decodeUtf8 } from './utf8-text.ts'

/** Arrays and objects inside one another; the outermost is level 1. */
export const MAX_DEPTH = 32

/** What parseStrictJson gives. Integers beyond 2^53 are bigint; objects have no prototype. */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject
export type JsonObject = { [key: string]: JsonValue }

/** The value of a body, or a JsonSyntaxError that says what to fix; nothing else is thrown. */
export function parseStrictJson(bytes: Uint8Array): JsonValue {
  const text = decodeUtf8(bytes)
  const cursor: JsonCursor = { text, at: 0, depth: 0, steps: [] }
  skipSpace(cursor)
  if (cursor.at === text.length) {
    throw fault(cursor, 0, 'the body is empty; send one JSON value, such as an object.')
  }
  const value = readValue(cursor)
  if (skipSpace(cursor) === text.length) return value
  throw fault(cursor, cursor.at, diagnosis.diagnoseTrailing(text, cursor.at))
}

function readValue(cursor: JsonCursor): JsonValue {
  const code = cursor.text.charCodeAt(skipSpace(cursor))
  switch (code) {
    case QUOTE:
      return readString(cursor)
    case OPEN_BRACE:
      return readObject(cursor)
    case OPEN_BRACKET:
      return readArray(cursor)
    case LOWER_T:
      return readWord(cursor, 'true', true)
    case LOWER_F:
      return readWord(cursor, 'false', false)
    case LOWER_N:
      return readWord(cursor, 'null', null)
    default:
      if (code === MINUS || isDigit(code)) return readNumber(cursor)
      throw fault(cursor, cursor.at, diagnosis.diagnoseValue(cursor.text, cursor.at))
  }
}

function readObject(cursor: JsonCursor): JsonObject {
  const { text, steps } = cursor
  const level = enter(cursor)
  // No prototype: __proto__ and constructor are keys like any other.
  const object: JsonObject = Object.create(null)
  if (text.charCodeAt(skipSpace(cursor)) === CLOSE_BRACE) return leave(cursor, object)
  for (;;) {
    const keyAt = cursor.at
    if (text.charCodeAt(keyAt) !== QUOTE) {
      throw fault(cursor, keyAt, diagnosis.diagnoseKey(text, keyAt))
    }
    const key = readString(cursor)
    steps[level] = key
    if (object[key] !== undefined) {
      const sentence = `the key ${quote(key)} appears twice in one object; keep one of them.`
      throw fault(cursor, keyAt, sentence)
    }
    if (text.charCodeAt(skipSpace(cursor)) !== COLON) {
      throw fault(cursor, cursor.at, diagnosis.diagnoseColon(text, cursor.at))
    }
    cursor.at++
    object[key] = readValue(cursor)
    steps[level] = null
    if (endsAfterMember(cursor, CLOSE_BRACE, 'object')) return leave(cursor, object)
  }
}

function readArray(cursor: JsonCursor): JsonValue[] {
  const { text, steps } = cursor
  const level = enter(cursor)
  const array: JsonValue[] = []
  if (text.charCodeAt(skipSpace(cursor)) === CLOSE_BRACKET) return leave(cursor, array)
  for (;;) {
    steps[level] = array.length
    array.push(readValue(cursor))
    steps[level] = null
    if (endsAfterMember(cursor, CLOSE_BRACKET, 'array')) return leave(cursor, array)
  }
}

/** Takes the opening bracket; the result is the container's index in `steps`. */
function enter(cursor: JsonCursor): number {
  if (cursor.depth === MAX_DEPTH) {
    const sentence = `values are nested deeper than ${MAX_DEPTH} levels; flatten them.`
    throw fault(cursor, cursor.at, sentence)
  }
  cursor.at++
  cursor.steps[cursor.depth] = null
  return cursor.depth++
}

/** Takes the closing bracket. */
function leave<Value>(cursor: JsonCursor, value: Value): Value {
  cursor.at++
  cursor.depth--
  return value
}

/** Stops at the closing bracket (true) or takes the comma and stops at the next member. */
function endsAfterMember(
  cursor: JsonCursor,
  closer: number,
  container: diagnosis.Container,
): boolean {
  const { text } = cursor
  const at = skipSpace(cursor)
  const code = text.charCodeAt(at)
  if (code === closer) return true
  if (code !== COMMA) {
    throw fault(cursor, at, diagnosis.diagnoseAfterMember(text, at, container))
  }
  cursor.at++
  if (text.charCodeAt(skipSpace(cursor)) !== closer) return false
  throw fault(cursor, at, `a comma stands before the end of the ${container}; remove the comma.`)
}

function readWord<Word>(cursor: JsonCursor, word: string, value: Word): Word {
  const { text, at } = cursor
  if (!text.startsWith(word, at)) throw fault(cursor, at, diagnosis.diagnoseValue(text, at))
  cursor.at += word.length
  return value
}
