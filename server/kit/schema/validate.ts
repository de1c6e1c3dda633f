// Checks a value against a schema and reports all problems at once. The schema is the only source
// of bounds, messages and what is kept; schemas outside the subset of schema-rules.ts are refused.

import type { TSchema } from 'typebox'
import type { Problem } from '../errors.ts'
import { applyRule } from './rule.ts'
import { compileRule, maxProblems } from './schema-rules.ts'

/**
 * Lists everything that is wrong with a value, in the order of the schema; [] when nothing is.
 * After maxProblems the list ends with a note that there are more. Never throws.
 */
type Validator = (value: unknown) => Problem[]

/** Throws a TypeError for an unsupported schema. */
export function compileValidator(schema: TSchema): Validator {
  const rule = compileRule(schema, '')
  return (value) => {
    const problems: Problem[] = []
    applyRule(rule, value, '', problems)
    if (problems.length <= maxProblems) return problems
    const message = `There are more problems; these are the first ${maxProblems}.`
    return [...problems.slice(0, maxProblems), { path: '', message }]
  }
}

/**
 * Copies a value that the validator of the same schema found nothing wrong with, leaving out every
 * property the schema does not list, at any depth. Defaults are not filled in. `Value` is the type
 * the schema describes; that they agree is the caller's promise.
 */
export function compilePick<Value = unknown>(schema: TSchema): (value: unknown) => Value {
  const rule = compileRule(schema, '')
  return (value) => rule.pick(value) as Value
}
