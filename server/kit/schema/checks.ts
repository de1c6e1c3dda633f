// Validates bodies against their schemas: reports all problems at once, as the Error body has them. The schema is the only
// source of bounds, messages and what is kept; schemas outside the subset of schema-rules.ts are refused.

import type { TSchema } from 'typebox'
import { AppError, type Problem } from '../errors.ts'
import { JsonSyntaxError } from '../json/json-syntax-error.ts'
import { parseStrictJson } from '../json/strict-json.ts'
import { applyRule } from './rule.ts'
import { compileRule, maxProblems } from './schema-rules.ts'

/** Reads a body. Throws `malformed_json`, which says where the error is and how to fix it. */
export function readJson(bytes: Uint8Array): unknown {
  try {
    return parseStrictJson(bytes)
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    const { message, path } = error
    throw new AppError('malformed_json', message, { details: [{ path, message }] })
  }
}

/**
 * Checks a value and copies what the schema lists, at any depth. Defaults are not filled in. Throws `invalid_body` with all
 * problems. `Body` is the type that the schema describes; that they agree is the caller's promise.
 */
export function bodyReader<Body>(schema: object): (value: unknown) => Body {
  const validate = compileValidator(schema)
  const rule = compileRule(schema, '')
  return (value) => {
    const problems = validate(value)
    if (problems.length > 0) throw invalid('invalid_body', problems)
    return rule.pick(value) as Body
  }
}

/** A 400 whose message says all problems in turn. */
export function invalid(code: 'invalid_body' | 'invalid_parameter', problems: Problem[]): AppError {
  return new AppError(code, problems.map(({ message }) => message).join(' '), { details: problems })
}

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
