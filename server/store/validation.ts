// The schemas of a route as Fastify's validators: all problems at once, in the words of the Error body.
import { AppError, type Problem } from '../platform/errors.ts'
import { splitQuery } from '../platform/http/query-pairs.ts'
import { compileQueryReader } from '../platform/http/query-reader.ts'
import { compileValidator } from '../platform/http/validate.ts'
import { wireSchemas } from './openapi/document.ts'

type Check = (value: unknown) => { value: unknown } | { error: Error }

const named = new Map(
  wireSchemas.map((schema) => [(schema as { $id?: string }).$id as string, schema]),
)

export function compileBody(schema: object): Check {
  const validate = compileValidator(schema, named)
  return (value) => {
    const problems = validate(value)
    return problems.length === 0 ? { value } : { error: invalid('invalid_body', problems) }
  }
}

/** For a query that has been left as `{ text }`. */
export function compileQuery(schema: object): Check {
  const read = compileQueryReader(schema, named)
  return (query) => {
    const { value, problems } = read(splitQuery((query as { text: string }).text))
    return problems.length === 0 ? { value } : { error: invalid('invalid_parameter', problems) }
  }
}

function invalid(code: 'invalid_body' | 'invalid_parameter', problems: Problem[]): AppError {
  return new AppError(code, problems.map(({ message }) => message).join(' '), { details: problems })
}
