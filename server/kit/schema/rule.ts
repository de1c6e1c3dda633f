// What one schema requires of a value, in two steps: whether it is of the kind that the noun names, and if so, what is
// wrong inside it. The first step alone gives the sentence "… must be …". Every number in the messages comes from the schema
// or from the value. An unknown keyword stops the program at its start, so that a limit written in a schema is never left
// unchecked.
import type { Problem } from '../errors.ts'

export type Literal = string | number | boolean | null

export interface Rule<Value = unknown> {
  /** Of a text or a number that a query can have. */
  readonly kind?: 'integer' | 'string'
  /** What a value must be, to follow "must be": `an integer from 1 to 100`. */
  readonly noun: string
  /** All values of a closed list. */
  readonly literals?: readonly Literal[]
  accepts(value: unknown): value is Value
  /** What to add about a value that is not accepted: `, not a string`, or ''. */
  describe(value: unknown): string
  /** Adds the problems of an accepted value and of its members. */
  inspect(value: Value, path: string, problems: Problem[]): void
  /** An accepted value without the properties the schema does not know. */
  pick(value: Value): unknown
}

type RuleParts<Value> = Pick<Rule<Value>, 'noun' | 'accepts'> & Partial<Rule<Value>>

/** A rule that looks no further than `accepts` and keeps the value, but for what the parts say. */
export function createRule<Value>(parts: RuleParts<Value>): Rule<Value> {
  return { describe: describeOther, inspect: () => {}, pick: (value) => value, ...parts }
}

/** Adds everything that is wrong with a value. */
export function applyRule(rule: Rule, value: unknown, path: string, problems: Problem[]): void {
  if (rule.accepts(value)) rule.inspect(value, path, problems)
  else {
    const message = `${nameOf(path)} must be ${rule.noun}${rule.describe(value)}.`
    problems.push({ path, message })
  }
}

const maxShownLength = 40

/** How a message names the value at a path. */
export function nameOf(path: string): string {
  return path === '' ? 'The body' : path
}

/** `, not 1.5` or `, not a string`; '' where the value itself would say nothing. */
export function describeOther(value: unknown): string {
  if (typeof value === 'number' && !Number.isFinite(value)) return ''
  return `, not ${nounOf(value)}`
}

/** As describeOther, with a number shown itself where it is short. */
export function describeOtherNumber(value: unknown): string {
  if (typeof value !== 'bigint' && !Number.isFinite(value)) return describeOther(value)
  const shown = String(value)
  return shown.length <= maxShownLength ? `, not ${shown}` : ''
}

/** `1 to 255 characters`, `at least 1 entry`, `exactly 2 entries`, `any number of entries`. */
export function phraseCount(
  minimum: number | undefined,
  maximum: number | undefined,
  one: string,
  many: string,
): string {
  if (minimum === undefined || minimum === 0) {
    return maximum === undefined ? `any number of ${many}` : `at most ${plural(maximum, one, many)}`
  }
  if (maximum === undefined) return `at least ${plural(minimum, one, many)}`
  const unit = plural(maximum, one, many)
  return minimum === maximum ? `exactly ${unit}` : `${minimum} to ${unit}`
}

/** `an integer from 1 to 100`, `an integer of at least 1`, `an integer`. */
export function phraseInteger(
  minimum: number | bigint | undefined,
  maximum: number | bigint | undefined,
): string {
  if (minimum !== undefined && maximum !== undefined)
    return `an integer from ${minimum} to ${maximum}`
  if (minimum !== undefined) return `an integer of at least ${minimum}`
  return maximum === undefined ? 'an integer' : `an integer of at most ${maximum}`
}

function nounOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  switch (typeof value) {
    case 'bigint':
    case 'number':
      return 'a number'
    case 'boolean':
      return 'a boolean'
    case 'string':
      return 'a string'
    default:
      return 'an object'
  }
}

function plural(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}

/** The keywords of one schema. */
export type Keywords = Readonly<Record<string, unknown>>

const ANNOTATIONS: ReadonlySet<string> = new Set([
  '$id',
  'default',
  'deprecated',
  'description',
  'examples',
  'readOnly',
  'title',
])

/** The keywords of a schema; `where` names it in the error for what is no schema. */
export function keywordsOf(schema: unknown, where: string): Keywords {
  if (typeof schema === 'object' && schema !== null && !Array.isArray(schema)) {
    return schema as Keywords
  }
  throw schemaError(where, 'a schema is missing')
}

/** Throws for any keyword that is neither listed nor an annotation. */
export function assertKeywords(keywords: Keywords, known: readonly string[], where: string): void {
  for (const keyword of Object.keys(keywords)) {
    if (known.includes(keyword) || ANNOTATIONS.has(keyword) || keyword.startsWith('x-')) continue
    throw schemaError(where, `the keyword "${keyword}" is not supported here`)
  }
}

/** A count such as maxLength, or undefined where the schema sets none. */
export function readCount(keywords: Keywords, keyword: string, where: string): number | undefined {
  const count = keywords[keyword]
  if (count === undefined) return undefined
  if (Number.isSafeInteger(count) && Number(count) >= 0) return Number(count)
  throw schemaError(where, `${keyword} must be a whole number of at least 0`)
}

export function schemaError(where: string, sentence: string): TypeError {
  return new TypeError(`Schema ${where === '' ? '(whole)' : where}: ${sentence}.`)
}
