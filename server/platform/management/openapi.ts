// The OpenAPI 3.1 document of the management API, made from the operations that are really there.
import { errorCodes, managementErrorCodes } from '../errors.ts'
import type { Operation } from './operation.ts'
import { managementTags } from './tags.ts'

const codes = { ...errorCodes, ...managementErrorCodes }
type Code = keyof typeof codes

const everywhere: Code[] = ['invalid_request', 'not_acceptable', 'internal_error', 'unavailable']
const forAccounts: Code[] = [
  'not_signed_in',
  'invalid_token',
  'insufficient_scope',
  'cross_site_request',
]
const forJson: Code[] = ['malformed_json', 'invalid_body']
const forBodies: Code[] = [
  'body_too_large',
  'unsupported_media_type',
  'unsupported_content_encoding',
]

const pathParameters: Record<string, string> = {
  environment: 'production or staging.',
  slug: 'The slug of the project, or one that it had.',
  number: 'The number of the deploy.',
  hash: 'SHA-256 of the content, in lower-case hexadecimal.',
}

const description = `What the dashboard and the command line do: accounts, projects, deploys, the store and its keys.

Send the cookie of a session, or a personal access token as \`Authorization: Bearer <TOKEN>\`. Requests
from pages of other sites are refused. Every error has the Error body.`

/** The document, as plain JSON. `server` is the address of the API. */
export function managementDocument(operations: Operation[], server: string): object {
  const schemas: Record<string, unknown> = { Error: errorSchema() }
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of operations) {
    const [method = '', path = ''] = operation.route.split(' ')
    paths[path] ??= {}
    paths[path][method.toLowerCase()] = describe(operation, path, schemas)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Animal Store management',
      version: '1.0.0',
      description,
      contact: { name: 'Whoever runs this service', url: server },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: server }],
    tags: Object.entries(managementTags)
      .map(([name, description]) => ({ name, description }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    paths,
    components: {
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'animal-store',
          description: 'Set by signing in. Over HTTPS its name begins with __Host-.',
        },
        accessToken: { type: 'http', scheme: 'bearer', description: 'A personal access token.' },
      },
      schemas,
    },
  }
}

function describe(operation: Operation, path: string, schemas: Record<string, unknown>): object {
  const { access, answer, body, download, events, query, scope, status, upload } = operation
  const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    description: pathParameters[name as string] ?? 'As the list shows it.',
    schema: { type: 'string' },
  }))
  const content = upload
    ? Object.fromEntries(
        upload.mediaTypes.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]),
      )
    : { 'application/json': { schema: publish(body, schemas) } }
  return {
    operationId: operation.operationId,
    tags: [operation.tag],
    summary: operation.summary,
    description: operation.description ?? `${operation.summary}.`,
    security: access === 'open' ? [] : [{ session: [] }, ...(scope ? [{ accessToken: [] }] : [])],
    ...(scope ? { 'x-token-scope': scope } : {}),
    ...(access === 'operator' ? { 'x-operator-only': true } : {}),
    parameters: [...params, ...queryParameters(query, schemas)],
    ...(body || upload ? { requestBody: { required: true, content } } : {}),
    responses: {
      [status]: {
        description: status === 204 ? 'Done' : operation.summary,
        ...(answer
          ? { content: { 'application/json': { schema: publish(answer, schemas) } } }
          : {}),
        ...(download ? { content: filesOf(download, schemas) } : {}),
        // Of the data of each event (OpenAPI 3.1 has no words for a sequence).
        ...(events
          ? { content: { 'text/event-stream': { schema: publish(events, schemas) } } }
          : {}),
      },
      ...refusals(operation),
    },
  }
}

/** A file in any of the media types. */
function filesOf(download: Record<string, unknown>, schemas: Record<string, unknown>): object {
  return Object.fromEntries(
    Object.entries(download).map(([type, schema]) => [type, { schema: publish(schema, schemas) }]),
  )
}

function refusals(operation: Operation): Record<string, object> {
  const all = new Set<Code>([
    ...everywhere,
    ...(operation.access === 'open' ? (['cross_site_request'] as const) : forAccounts),
    ...(operation.access === 'operator' ? (['operator_only'] as const) : []),
    ...(operation.body ? forJson : []),
    ...(operation.body || operation.upload ? forBodies : []),
    ...(operation.query ? (['invalid_parameter'] as const) : []),
    ...operation.errors,
  ])
  const byStatus = Map.groupBy([...all], (code) => codes[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, its]) => [
      status,
      {
        description: its.map((code) => `\`${code}\`: ${codes[code].meaning}`).join('\n'),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  )
}

interface Parameter {
  description?: string
  default?: unknown
  /** Of lists: how their entries are told apart. */
  style?: string
  explode?: boolean
}

function queryParameters(query: unknown, schemas: Record<string, unknown>): object[] {
  const { properties = {}, required = [] } = (query ?? {}) as {
    properties?: Record<string, Parameter>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { explode, style, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name) && schema.default === undefined,
    description: schema.description,
    ...(style === undefined ? {} : { style, explode }),
    schema: publish(schema, schemas),
  }))
}

/** A schema that has a name goes into `schemas`, once, and is referred to. */
function publish(schema: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map((item) => publish(item, schemas))
  if (typeof schema !== 'object' || schema === null) return schema
  const { $id, ...rest } = schema as { $id?: string }
  const entries = Object.entries(rest).filter(([key]) => key !== 'x-pattern-message')
  const published = Object.fromEntries(
    entries.map(([key, value]) => [key, publish(value, schemas)]),
  )
  if ($id === undefined) return published
  schemas[$id] ??= published
  return { $ref: `#/components/schemas/${$id}` }
}

function errorSchema(): object {
  return {
    type: 'object',
    description: 'Every error has this body.',
    required: ['code', 'message', 'status'],
    properties: {
      code: { type: 'string', description: 'Machine-readable error code.' },
      message: { type: 'string', description: 'Human-readable description.' },
      status: { type: 'integer', minimum: 400, maximum: 599 },
      details: {
        type: 'array',
        description: 'Where it is known: all problems at once.',
        items: {
          type: 'object',
          required: ['path', 'message'],
          properties: { path: { type: 'string' }, message: { type: 'string' } },
        },
      },
    },
  }
}
