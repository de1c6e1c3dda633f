// Rules for values without members: strings, integers, booleans, null and closed lists of literals.

import { INT64_MAX, INT64_MIN } from '../json/exact-number.ts'
import { describeOtherNumber, nameOf, phraseCount, phraseInteger } from './problem-text.ts'
import { createRule, type Literal, type Rule } from './rule.ts'
import { assertKeywords, type Keywords, readCount, schemaError } from './schema-keywords.ts'

/**
 * minLength, maxLength (code points) and pattern. A string of the wrong length is not held against
 * the pattern: a pattern may need quadratic time, and the length is what bounds it. No string contains U+0000, which
 * PostgreSQL refuses in texts.
 */
export function compileString(keywords: Keywords, where: string): Rule<string> {
  assertKeywords(keywords, ['type', 'minLength', 'maxLength', 'pattern', 'format'], where)
  // Nothing here checks a format, so it may only describe what the service itself writes.
  if (keywords.format !== undefined && keywords.readOnly !== true) {
    throw schemaError(where, 'a format is only an annotation, so the schema must be readOnly')
  }
  const minimum = readCount(keywords, 'minLength', where)
  const maximum = readCount(keywords, 'maxLength', where)
  const length = `must have ${phraseCount(minimum, maximum, 'character', 'characters')}`
  const pattern = readPattern(keywords, where)
  const mismatch = keywords['x-pattern-message'] ?? `must match ${pattern?.source}`
  return createRule({
    kind: 'string',
    noun: 'a string',
    accepts: (value) => typeof value === 'string',
    inspect(text, path, problems) {
      const count = countCodePoints(text)
      if (count < (minimum ?? 0) || count > (maximum ?? Number.POSITIVE_INFINITY)) {
        problems.push({ path, message: `${nameOf(path)} ${length}; it has ${count}.` })
      } else if (pattern !== undefined && !pattern.test(text)) {
        problems.push({ path, message: `${nameOf(path)} ${mismatch}.` })
      } else if (text.includes('\0')) {
        problems.push({ path, message: `${nameOf(path)} must not contain U+0000.` })
      }
    },
  })
}

/** minimum, maximum and format int64, exact for numbers and bigints alike. */
export function compileInteger(keywords: Keywords, where: string): Rule<number | bigint> {
  assertKeywords(keywords, ['type', 'minimum', 'maximum', 'format'], where)
  const { format } = keywords
  if (format !== undefined && format !== 'int64') {
    throw schemaError(where, `the integer format "${String(format)}" is not supported`)
  }
  const isInt64 = format === 'int64'
  const minimum = readBound(keywords, 'minimum', where) ?? (isInt64 ? INT64_MIN : undefined)
  const maximum = readBound(keywords, 'maximum', where) ?? (isInt64 ? INT64_MAX : undefined)
  return createRule({
    kind: 'integer',
    noun: phraseInteger(minimum, maximum),
    describe: describeOtherNumber,
    accepts(value): value is number | bigint {
      // An unsafe number is no integer here: its digits are in doubt. Exact ones come as bigint.
      if (typeof value !== 'bigint' && !isSafeInteger(value)) return false
      return (
        !(minimum !== undefined && value < minimum) && !(maximum !== undefined && value > maximum)
      )
    },
  })
}

export function compileBoolean(keywords: Keywords, where: string): Rule<boolean> {
  assertKeywords(keywords, ['type'], where)
  return createRule({
    kind: 'boolean',
    noun: 'true or false',
    accepts: (value) => typeof value === 'boolean',
  })
}

export function compileNull(keywords: Keywords, where: string): Rule<null> {
  assertKeywords(keywords, ['type'], where)
  return createRule({ kind: 'null', noun: 'null', accepts: (value) => value === null })
}

/** A closed list: enum, const, or anyOf of such. */
export function compileLiterals(literals: readonly Literal[]): Rule<Literal> {
  const allowed: ReadonlySet<unknown> = new Set(literals)
  return createRule({
    kind: 'literals',
    literals,
    noun: literals.length === 1 ? String(literals[0]) : `one of: ${literals.join(', ')}`,
    // The list says it all.
    describe: () => '',
    accepts: (value): value is Literal => allowed.has(value),
  })
}

function readPattern(keywords: Keywords, where: string): RegExp | undefined {
  const { pattern } = keywords
  if (pattern === undefined) return undefined
  if (typeof pattern !== 'string') throw schemaError(where, 'pattern must be a string')
  return new RegExp(pattern, 'u')
}

function readBound(
  keywords: Keywords,
  keyword: 'minimum' | 'maximum',
  where: string,
): number | bigint | undefined {
  const bound = keywords[keyword]
  if (bound === undefined || typeof bound === 'bigint') return bound
  // 9223372036854775807 in source code is really 2^63; format int64 has the exact bounds.
  if (Number.isSafeInteger(bound)) return Number(bound)
  throw schemaError(where, `${keyword} must be a safe integer or a bigint`)
}

function isSafeInteger(value: unknown): value is number {
  return Number.isSafeInteger(value)
}

function countCodePoints(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at++) {
    if ((text.codePointAt(at) ?? 0) > 0xffff) at++
    count++
  }
  return count
}
