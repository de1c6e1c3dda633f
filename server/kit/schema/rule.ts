// What one schema requires of a value, in two steps: whether it is of the kind that the noun names, and if so, what is
// wrong inside it. The first step alone gives the sentence "… must be …".

import type { Problem } from '../errors.ts'
import { describeOther, nameOf } from './problem-text.ts'

export type Literal = string | number | boolean | null

export interface Rule<Value = unknown> {
  readonly kind:
    | 'array'
    | 'boolean'
    | 'integer'
    | 'literals'
    | 'null'
    | 'object'
    | 'string'
    | 'union'
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

type RuleParts<Value> = Pick<Rule<Value>, 'kind' | 'noun' | 'accepts'> & Partial<Rule<Value>>

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
