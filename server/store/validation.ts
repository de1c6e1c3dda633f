// The schemas of a route as Fastify's validators. They may name the schemas of the OpenAPI document.
import { bodyReader, queryReader as readerOf } from '../platform/schema/checks.ts'
import { wireSchemas } from './openapi/document.ts'

type Check = (value: unknown) => { value: unknown } | { error: Error }

const named = new Map(
  wireSchemas.map((schema) => [(schema as { $id?: string }).$id as string, schema]),
)

export function compileBody(schema: object): Check {
  return asCheck(bodyReader(schema, named))
}

/** Reads the text of a query. Throws `invalid_parameter` with all problems. */
export function queryReader<Query>(schema: object): (text: string) => Query {
  return readerOf<Query>(schema, named)
}

/** For a query that has been left as `{ text }`. */
export function compileQuery(schema: object): Check {
  const read = queryReader(schema)
  return asCheck((query) => read((query as { text: string }).text))
}

function asCheck(read: (value: unknown) => unknown): Check {
  return (value) => {
    try {
      return { value: read(value) }
    } catch (error) {
      return { error: error as Error }
    }
  }
}
