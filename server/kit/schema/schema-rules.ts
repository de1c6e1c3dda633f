// Compiles a schema into a rule. Supported are object, array, string, integer, boolean, null, enum, const, and anyOf of
// literals or of one schema and null. Anything else throws at the program's start, so that no limit of a schema is left
// unchecked.
import type { TSchema } from 'typebox'
import { INT64_MAX, INT64_MIN } from '../json/exact-number.ts'
import { appendIndex, appendKey } from '../json/json-syntax-error.ts'
import { findNearMiss } from './near-miss.ts'
import {
  applyRule,
  assertKeywords,
  createRule,
  describeOtherNumber,
  type Keywords,
  keywordsOf,
  type Literal,
  nameOf,
  phraseCount,
  phraseInteger,
  type Rule,
  readCount,
  schemaError,
} from './rule.ts'

/** Once there are more problems than these, looking for others is given up. */
export const maxProblems = 100

type JsonRecord = Readonly<Record<string, unknown>>

/** The rule of a schema; `where` is its path inside the outermost one, for errors at the start. */
export function compileRule(schema: TSchema, where: string): Rule {
  const keywords = keywordsOf(schema, where)
  if ('anyOf' in keywords) return compileUnion(keywords, where)
  if ('enum' in keywords || 'const' in keywords) {
    return compileLiterals(readLiterals(keywords, where))
  }
  switch (keywords.type) {
    case 'object':
      return compileObject(keywords, where)
    case 'array':
      return compileArray(keywords, where)
    case 'string':
      return compileString(keywords, where)
    case 'integer':
      return compileInteger(keywords, where)
    case 'boolean':
      return compileBoolean(keywords, where)
    case 'null':
      return compileNull(keywords, where)
    default:
      throw schemaError(where, `the type ${JSON.stringify(keywords.type)} is not supported`)
  }
}

/**
 * Properties and required. Unknown properties are a problem with `additionalProperties: false`; otherwise only if they
 * look like a misspelt property that is absent, and they are not picked.
 */
function compileObject(keywords: Keywords, where: string): Rule<JsonRecord> {
  assertKeywords(keywords, ['type', 'properties', 'required', 'additionalProperties'], where)
  if (keywords.additionalProperties !== undefined && keywords.additionalProperties !== false) {
    throw schemaError(where, 'additionalProperties must be false')
  }
  const isClosed = keywords.additionalProperties === false
  const rules = compileProperties(keywords, where)
  const names = new Set(rules.map(([key]) => key))
  const required = readRequired(keywords, rules, where)
  return createRule({
    noun: 'an object',
    accepts: isRecord,
    inspect(record, path, problems) {
      for (const [key, rule] of rules) {
        const inner = appendKey(path, key)
        const member = readOwn(record, key)
        if (member !== undefined) applyRule(rule, member, inner, problems)
        else if (required.has(key)) problems.push({ path: inner, message: `${inner} is required.` })
      }
      const unknown = Object.keys(record).filter((key) => !names.has(key))
      if (unknown.length === 0) return
      const absent = [...names].filter((name) => readOwn(record, name) === undefined)
      for (const key of unknown) {
        if (problems.length > maxProblems) return
        const near = findNearMiss(key, absent)
        if (!isClosed && near === undefined) continue
        const inner = appendKey(path, key)
        const hint = near === undefined ? '.' : `; did you mean ${near}?`
        const message = `${inner} is not a known field${hint} The fields are: ${[...names].join(', ')}.`
        problems.push({ path: inner, message })
      }
    },
    pick(record) {
      const picked: Record<string, unknown> = {}
      for (const [key, rule] of rules) {
        const member = readOwn(record, key)
        if (member !== undefined) picked[key] = rule.pick(member)
      }
      return picked
    },
  })
}

function compileArray(keywords: Keywords, where: string): Rule<unknown[]> {
  assertKeywords(keywords, ['type', 'items', 'minItems', 'maxItems', 'uniqueItems'], where)
  const items = compileRule(keywordsOf(keywords.items, `${where}[]`), `${where}[]`)
  const minimum = readCount(keywords, 'minItems', where)
  const maximum = readCount(keywords, 'maxItems', where)
  const size = `must have ${phraseCount(minimum, maximum, 'entry', 'entries')}`
  const isUnique = keywords.uniqueItems === true
  return createRule({
    noun: 'an array',
    accepts: (value) => Array.isArray(value),
    inspect(array, path, problems) {
      const isTooLong = array.length > (maximum ?? Number.POSITIVE_INFINITY)
      if (isTooLong || array.length < (minimum ?? 0)) {
        problems.push({ path, message: `${nameOf(path)} ${size}; it has ${array.length}.` })
      }
      if (isTooLong) return
      const firsts = new Map<string, string>()
      for (const [index, item] of array.entries()) {
        if (problems.length > maxProblems) return
        const inner = appendIndex(path, index)
        applyRule(items, item, inner, problems)
        if (!isUnique) continue
        const identity = identityOf(item)
        const first = firsts.get(identity)
        if (first === undefined) firsts.set(identity, inner)
        else problems.push({ path: inner, message: `${inner} repeats ${first}; keep one of them.` })
      }
    },
    pick: (array) => array.map((item) => items.pick(item)),
  })
}

/** anyOf: all literals make one closed list; otherwise one schema and null. */
function compileUnion(keywords: Keywords, where: string): Rule {
  assertKeywords(keywords, ['anyOf'], where)
  const { anyOf } = keywords
  if (!Array.isArray(anyOf) || anyOf.length === 0) throw schemaError(where, 'anyOf is empty')
  const branches = anyOf.map((branch) => keywordsOf(branch, where))
  if (branches.every((branch) => 'const' in branch || 'enum' in branch)) {
    return compileLiterals(branches.flatMap((branch) => readLiterals(branch, where)))
  }
  const nulls = branches.filter((branch) => branch.type === 'null')
  const [other, ...more] = branches.filter((branch) => branch.type !== 'null')
  if (other === undefined || more.length > 0 || nulls.length !== 1) {
    throw schemaError(where, 'anyOf must hold literals alone, or one schema and null')
  }
  for (const branch of nulls) compileRule(branch, where)
  const rule = compileRule(other, where)
  return createRule<unknown>({
    noun: `null or ${rule.noun}`,
    describe: rule.describe,
    accepts: (value): value is unknown => value === null || rule.accepts(value),
    inspect(value, path, problems) {
      if (value !== null) rule.inspect(value, path, problems)
    },
    pick: (value) => (value === null ? null : rule.pick(value)),
  })
}

function compileProperties(
  keywords: Keywords,
  where: string,
): readonly (readonly [key: string, rule: Rule])[] {
  const properties = Object.entries(keywordsOf(keywords.properties, where))
  return properties.map(([key, schema]) => {
    const inner = appendKey(where, key)
    return [key, compileRule(keywordsOf(schema, inner), inner)]
  })
}

function readRequired(
  keywords: Keywords,
  rules: readonly (readonly [key: string, rule: Rule])[],
  where: string,
): ReadonlySet<unknown> {
  const required = keywords.required ?? []
  if (!Array.isArray(required)) throw schemaError(where, 'required must be an array')
  for (const key of required) {
    if (rules.some(([known]) => known === key)) continue
    throw schemaError(where, `"${String(key)}" is required and is no property`)
  }
  return new Set(required)
}

function readLiterals(keywords: Keywords, where: string): readonly Literal[] {
  assertKeywords(keywords, ['type', 'enum', 'const'], where)
  const literals = 'enum' in keywords ? keywords.enum : [keywords.const]
  if (!Array.isArray(literals) || literals.length === 0 || !literals.every(isLiteral)) {
    throw schemaError(where, 'enum and const must give strings, numbers, booleans or null')
  }
  const { type } = keywords
  if (type === undefined || literals.every((literal) => typeOf(literal) === type)) return literals
  throw schemaError(where, `not all literals are of the type ${JSON.stringify(type)}`)
}

function isLiteral(value: unknown): value is Literal {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

function typeOf(literal: Literal): string {
  if (literal === null) return 'null'
  return Number.isSafeInteger(literal) ? 'integer' : typeof literal
}

function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Own members only: a property named constructor must not find the one of every object. */
function readOwn(record: JsonRecord, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

/** Equal text for equal values, whatever the order of their keys. */
export function identityOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(identityOf).join()}]`
  if (!isRecord(value)) return typeof value === 'string' ? JSON.stringify(value) : String(value)
  const keys = Object.keys(value).sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${identityOf(value[key])}`).join()}}`
}

/**
 * minLength, maxLength (code points) and pattern. A string of the wrong length is not held against
 * the pattern: a pattern may need quadratic time, and the length is what bounds it. No string contains U+0000, which
 * PostgreSQL refuses in texts.
 */
function compileString(keywords: Keywords, where: string): Rule<string> {
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
function compileInteger(keywords: Keywords, where: string): Rule<number | bigint> {
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
      if (typeof value !== 'bigint' && !Number.isSafeInteger(value)) return false
      const integer = value as number | bigint
      return (
        !(minimum !== undefined && integer < minimum) &&
        !(maximum !== undefined && integer > maximum)
      )
    },
  })
}

function compileBoolean(keywords: Keywords, where: string): Rule<boolean> {
  assertKeywords(keywords, ['type'], where)
  return createRule({
    noun: 'true or false',
    accepts: (value) => typeof value === 'boolean',
  })
}

function compileNull(keywords: Keywords, where: string): Rule<null> {
  assertKeywords(keywords, ['type'], where)
  return createRule({ noun: 'null', accepts: (value) => value === null })
}

/** A closed list: enum, const, or anyOf of such. */
function compileLiterals(literals: readonly Literal[]): Rule<Literal> {
  const allowed: ReadonlySet<unknown> = new Set(literals)
  return createRule({
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

function countCodePoints(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at++) {
    if ((text.codePointAt(at) ?? 0) > 0xffff) at++
    count++
  }
  return count
}
