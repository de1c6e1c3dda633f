// Validates bodies and queries against their schemas: reports all problems at once, as the Error body has them.
import { AppError, type Problem } from '../errors.ts'
import { JsonSyntaxError } from '../json/json-syntax-error.ts'
import { parseStrictJson } from '../json/strict-json.ts'
import { splitQuery } from './query-pairs.ts'
import { compileQueryReader } from './query-reader.ts'
import { compilePick, compileValidator } from './validate.ts'

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

/** Checks a value and keeps what the schema lists. Throws `invalid_body` with all problems. */
export function bodyReader<Body>(schema: object): (value: unknown) => Body {
  const validate = compileValidator(schema)
  const pick = compilePick<Body>(schema)
  return (value) => {
    const problems = validate(value)
    if (problems.length > 0) throw invalid('invalid_body', problems)
    return pick(value)
  }
}

/** Reads the text of a query. Throws `invalid_parameter` with all problems. */
export function queryReader<Query>(schema: object): (text: string) => Query {
  const read = compileQueryReader<Query>(schema)
  return (text) => {
    const { value, problems } = read(splitQuery(text))
    if (problems.length > 0) throw invalid('invalid_parameter', problems)
    return value
  }
}

/** A 400 whose message says all problems in turn. */
export function invalid(code: 'invalid_body' | 'invalid_parameter', problems: Problem[]): AppError {
  return new AppError(code, problems.map(({ message }) => message).join(' '), { details: problems })
}
