// The OpenAPI document for the fuzzer: its operations with all references resolved.

export interface Schema {
  $ref?: string
  type?: string
  format?: string
  enum?: unknown[]
  const?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  minItems?: number
  maxItems?: number
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  anyOf?: Schema[]
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  schema: Schema
}

export interface Header {
  required?: boolean
  schema: Schema
}

interface DocumentedResponse {
  headers: Record<string, Header>
  /** Undefined if the response has no body. */
  schema?: Schema
}

export interface Operation {
  id: string
  method: string
  /** A template such as `/pets/{petId}`. */
  path: string
  parameters: Parameter[]
  /** The schemas of the request body by media type; empty if there is no body. */
  bodies: Map<string, Schema>
  responses: Map<number, DocumentedResponse>
}

export interface ApiDocument {
  json: object
  operations: Operation[]
  /** Follows the schema's reference, if it is one. */
  resolve(schema: Schema): Schema
}

type Json = Record<string, unknown>

/** `json` is the response of /openapi.json. */
export function readApiDocument(json: object): ApiDocument {
  const follow = <T>(value: unknown): T => {
    const { $ref } = value as { $ref?: string }
    if ($ref === undefined) return value as T
    const path = $ref.slice(2).split('/')
    return follow(path.reduce((at: unknown, key) => (at as Json)[key], json))
  }
  const readResponses = (found: object): Operation['responses'] =>
    new Map(
      Object.entries(found).map(([status, response]) => {
        const { headers = {}, content } = follow<{ headers?: Json; content?: Json }>(response)
        const entries = Object.entries(headers).map(([name, header]) => [
          name.toLowerCase(),
          follow<Header>(header),
        ])
        const schema = (content?.['application/json'] as { schema?: Schema } | undefined)?.schema
        return [Number(status), { headers: Object.fromEntries(entries), ...(schema && { schema }) }]
      }),
    )
  const operations = Object.entries(
    (json as { paths: Record<string, Record<string, Json>> }).paths,
  ).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, found]): Operation => {
      const content = (found.requestBody as Json | undefined)?.content ?? {}
      const bodies = Object.entries(content as Record<string, { schema: Schema }>)
      return {
        id: found.operationId as string,
        method: method.toUpperCase(),
        path,
        parameters: ((found.parameters ?? []) as unknown[]).map((one) => follow<Parameter>(one)),
        bodies: new Map(bodies.map(([type, { schema }]) => [type, schema])),
        responses: readResponses(found.responses as object),
      }
    }),
  )
  return {
    json,
    operations,
    resolve: (schema) => follow<Schema>(schema),
  }
}
