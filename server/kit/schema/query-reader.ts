// Reads query parameters by an object schema: text becomes integers, closed lists and comma-separated lists. A known
// parameter appears once, unless it is a list, is not empty, and is what its schema says. An unknown one is a problem: a
// misspelt filter would list everything. Ignored are names that begin with `utm_` or an underscore, which other programs
// add to links. A query string is split into pairs as URLSearchParams does, except that malformed encoding is an error.
import type { TSchema } from 'typebox'
import type { Problem } from '../errors.ts'
import { toExactNumber } from '../json/exact-number.ts'
import { invalid } from './checks.ts'
import { findNearMiss } from './near-miss.ts'
import {
  applyRule,
  assertKeywords,
  type Keywords,
  keywordsOf,
  phraseCount,
  type Rule,
  readCount,
  schemaError,
} from './rule.ts'
import { compileRule, maxProblems } from './schema-rules.ts'

const MALFORMED = 'must be percent-encoded UTF-8; write a percent sign itself as %25'

type Parameter = {
  readonly name: string
  readonly noun: string
  readonly isRequired: boolean
  readonly isList: boolean
  readonly default: unknown
  /** The value of the text, with a problem added when it is wrong. */
  read(text: string, problems: Problem[]): unknown
}

/** Canonical decimal: no plus sign, no leading zeros, no fraction, no spaces. */
const INTEGER = /^-?(?:0|[1-9]\d*)$/

/**
 * Reads the text of a query. Throws `invalid_parameter` with all problems.
 *
 * The properties of `schema` are the parameters: strings, integers, closed lists of strings, and arrays of the latter two,
 * written with commas, as repeated parameters or both; repeats in such a list count once. A default makes a required
 * parameter optional. Throws a TypeError for any other schema or a default that does not fit. `Value` is the type the
 * schema describes; that they agree is the caller's promise.
 */
export function queryReader<Value>(schema: TSchema): (query: string) => Value {
  const parameters = compileParameters(schema)
  const names = new Set(parameters.map(({ name }) => name))
  return (query) => {
    const problems: Problem[] = []
    const value: Record<string, unknown> = {}
    const texts = new Map<string, QueryPair[1][]>()
    const unknown = new Set<string>()
    let isMalformed = false
    for (const [name, text] of splitQuery(query)) {
      const others = texts.get(name)
      if (others) others.push(text)
      else if (names.has(name)) texts.set(name, [text])
      else if (text === undefined) isMalformed = true
      else unknown.add(name)
    }
    if (isMalformed) problems.push({ path: '', message: `The query ${MALFORMED}.` })
    for (const name of unknown) {
      if (problems.length > maxProblems) break
      if (!/^(utm)?_/.test(name)) problems.push(describeUnknown(name, names))
    }
    for (const parameter of parameters) {
      const { isRequired, name } = parameter
      const values = texts.get(name)
      let parsed = parameter.default
      if (values) parsed = readParameter(parameter, values, problems)
      else if (isRequired && parsed === undefined)
        problems.push({ path: name, message: `${name} is required.` })
      if (parsed !== undefined) value[name] = parsed
    }
    if (problems.length > 0) throw invalid('invalid_parameter', problems)
    return value as Value
  }
}

function describeUnknown(name: string, names: ReadonlySet<string>): Problem {
  const shown = name.length > 50 ? `${name.slice(0, 50).toWellFormed()}…` : name
  const near = findNearMiss(name, names)
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  const all = names.size === 0 ? 'There are none here.' : `Parameters: ${[...names].join(', ')}.`
  return { path: shown, message: `${shown} is not a known parameter${hint || '.'} ${all}` }
}

function readParameter(parameter: Parameter, texts: QueryPair[1][], problems: Problem[]): unknown {
  const { name, noun, isList, isRequired } = parameter
  const text = texts.includes(undefined) ? undefined : texts.join(',')
  let sentence: string
  if (texts.length > 1 && !isList) sentence = `must appear once; it appears ${texts.length} times`
  else if (text === undefined) sentence = MALFORMED
  else if (text === '') {
    const orNothing = isRequired && parameter.default === undefined ? '' : 'leave it out or '
    sentence = `must not be empty; ${orNothing}give ${noun}`
  } else return parameter.read(text, problems)
  problems.push({ path: name, message: `${name} ${sentence}.` })
  return undefined
}

/** A decoded name and value; no value where the percent-encoding of either is malformed. */
export type QueryPair = readonly [name: string, value: string | undefined]

/** The pairs of a query string (what follows the question mark), as URLSearchParams has them; empty parts give none. */
export function splitQuery(query: string): QueryPair[] {
  const isPlain = !/[%+]/.test(query)
  const pairs: QueryPair[] = []
  for (const part of query.split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const rawName = equals === -1 ? part : part.slice(0, equals)
    const rawValue = equals === -1 ? '' : part.slice(equals + 1)
    const name = isPlain ? rawName : decode(rawName)
    const value = isPlain ? rawValue : decode(rawValue)
    pairs.push(name === undefined ? [rawName, undefined] : [name, value])
  }
  return pairs
}

/** Undefined for a percent sign without two hexadecimal digits, or bytes that are not UTF-8. */
function decode(text: string): string | undefined {
  const spaced = text.replaceAll('+', ' ')
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    return undefined
  }
}

function compileParameters(schema: TSchema): readonly Parameter[] {
  const keywords = keywordsOf(schema, '')
  assertKeywords(keywords, ['type', 'properties', 'required'], '')
  if (keywords.type !== 'object') throw schemaError('', 'a query needs an object schema')
  const required: unknown = keywords.required ?? []
  return Object.entries(keywordsOf(keywords.properties, '')).map(([name, property]) => {
    const isRequired = Array.isArray(required) && required.includes(name)
    return compileParameter(name, keywordsOf(property, name), isRequired)
  })
}

function compileParameter(name: string, property: Keywords, isRequired: boolean): Parameter {
  const isList = property.type === 'array'
  const { style = 'form', explode = false, ...list } = property
  if (isList && (style !== 'form' || explode !== false)) {
    throw schemaError(name, 'a list is written with commas: style form, explode false')
  }
  const rule = compileRule(isList ? list : property, name)
  const fallback = property.default
  const problems: Problem[] = []
  if (fallback !== undefined) applyRule(rule, fallback, name, problems)
  if (problems[0] !== undefined) throw schemaError(name, `the default: ${problems[0].message}`)
  const reading = isList ? compileList(name, list) : compileText(name, rule)
  return { name, isRequired, isList, default: fallback, ...reading }
}

type TextReading = Pick<Parameter, 'noun' | 'read'>

function compileText(name: string, rule: Rule): TextReading {
  const { noun } = rule
  if (rule.kind === 'string') {
    return {
      noun,
      read(text, problems) {
        applyRule(rule, text, name, problems)
        return text
      },
    }
  }
  const read = compileItem(name, rule)
  return {
    noun,
    read(text, problems) {
      const value = read(text)
      if (value === undefined) problems.push({ path: name, message: `${name} must be ${noun}.` })
      return value
    },
  }
}

function compileList(name: string, keywords: Keywords): TextReading {
  const item = compileRule(keywordsOf(keywords.items, name), name)
  const minimum = readCount(keywords, 'minItems', name)
  const maximum = readCount(keywords, 'maxItems', name)
  const read = compileItem(name, item)
  const count = phraseCount(minimum, maximum, 'entry', 'entries')
  const noun = `a list of ${count} separated by commas, each ${item.noun}`
  return {
    noun,
    read(text, problems) {
      const values = [...new Set(text.split(',').map(read))]
      const isFitting =
        values.length >= (minimum ?? 0) && values.length <= (maximum ?? Number.POSITIVE_INFINITY)
      if (isFitting && !values.includes(undefined)) return values
      problems.push({ path: name, message: `${name} must be ${noun}.` })
      return undefined
    },
  }
}

/** Reads one integer or one word of a closed list; undefined when the text is not it. */
function compileItem(
  name: string,
  rule: Rule,
): (text: string) => string | number | bigint | undefined {
  const isWords = rule.literals?.every((literal) => typeof literal === 'string')
  if (isWords) return (text) => (rule.accepts(text) ? text : undefined)
  if (rule.kind !== 'integer') throw schemaError(name, `a query parameter cannot be ${rule.noun}`)
  return (text) => {
    if (!INTEGER.test(text)) return undefined
    const number = Number(text)
    // The sum is never a negative zero.
    const value = Number.isSafeInteger(number) ? number + 0 : toExactNumber(text)
    return rule.accepts(value) ? value : undefined
  }
}
