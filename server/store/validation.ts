// The schemas of a route as Fastify's validators: all problems at once, in the words of the Error body.
import { AppError, type Problem } from '../platform/errors.ts'
import { JsonSyntaxError } from '../platform/json/json-syntax-error.ts'
import { parseStrictJson } from '../platform/json/strict-json.ts'
import { splitQuery } from '../platform/schema/query-pairs.ts'
import { compileQueryReader } from '../platform/schema/query-reader.ts'
import { compilePick, compileValidator } from '../platform/schema/validate.ts'
import { wireSchemas } from './openapi/document.ts'

type Check = (value: unknown) => { value: unknown } | { error: Error }

const named = new Map(
  wireSchemas.map((schema) => [(schema as { $id?: string }).$id as string, schema]),
)

/** Reads a body. Throws `malformed_json`, which says where and how to mend it. */
export function readBody(bytes: Uint8Array): unknown {
  try {
    return parseStrictJson(bytes)
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    const { message, path } = error
    throw new AppError('malformed_json', message, { details: [{ path, message }] })
  }
}

export function compileBody(schema: object): Check {
  const validate = compileValidator(schema, named)
  const pick = compilePick(schema, named)
  return (value) => {
    const problems = validate(value)
    return problems.length === 0
      ? { value: pick(value) }
      : { error: invalid('invalid_body', problems) }
  }
}

/** Reads the text of a query. Throws `invalid_parameter` with all problems. */
export function queryReader<Query>(schema: object): (text: string) => Query {
  const read = compileQueryReader<Query>(schema, named)
  return (text) => {
    const { value, problems } = read(splitQuery(text))
    if (problems.length > 0) throw invalid('invalid_parameter', problems)
    return value
  }
}

/** For a query that has been left as `{ text }`. */
export function compileQuery(schema: object): Check {
  const read = queryReader(schema)
  return (query) => {
    try {
      return { value: read((query as { text: string }).text) }
    } catch (error) {
      return { error: error as Error }
    }
  }
}

function invalid(code: 'invalid_body' | 'invalid_parameter', problems: Problem[]): AppError {
  return new AppError(code, problems.map(({ message }) => message).join(' '), { details: problems })
}
