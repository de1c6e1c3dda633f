// The OpenAPI 3.1 document of an API, made from the operations that it serves and from what the API declares once for all of
// them: what validates requests is what is documented. Schemas with an $id are published once, as components. It is sent as
// ready bytes, in JSON and YAML, generated when it is first read.
import { STATUS_CODES } from 'node:http'
import { dump } from 'js-yaml'
import { type TSchema, Type } from 'typebox'
import { type ReadyResponse, readyResponse } from '../http/response/ready-response.ts'
import { words } from '../schema/described-schema.ts'
import {
  type ApiErrorCode,
  bodyMediaTypesOf,
  type Example,
  methodOf,
  type Operation,
  pathOf,
} from './operation.ts'

/** The document, as plain JSON. */
export function openApiDocument(operations: readonly Operation[], api: ApiDescription): object {
  const schemas: Record<string, unknown> = {}
  const publish: Publish = (schema) => publishInto(schemas, schema)
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of operations) {
    const path = pathOf(operation)
    paths[path] ??= {}
    paths[path][methodOf(operation).toLowerCase()] = describeOperation(operation, api, publish)
  }
  const { errors, headers, requestHeaders, security } = api
  publish(errorSchema(Object.keys(errors.codes)))
  const examples = exampleCodes(operations, errors)
  return {
    openapi: '3.1.0',
    info: {
      title: api.title,
      version: '1.0.0',
      summary: api.summary,
      description: api.description,
      contact: { name: api.contactName, url: api.servers[0]?.url },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: api.servers,
    tags: Object.entries(api.tags).map(([name, description]) => ({ name, description })),
    security,
    paths,
    components: {
      securitySchemes: api.securitySchemes,
      schemas,
      parameters: requestHeaders && parametersByName(requestHeaders),
      headers: headers?.all,
      responses: sharedResponses(api),
      examples,
    },
  }
}

function describeOperation(operation: Operation, api: ApiDescription, publish: Publish): object {
  const { document = {} } = operation
  const { description = `${operation.summary}.`, operationId, summary, tag } = operation
  const { deprecated, 'x-deprecated-sunset': sunset, 'x-stability': stability } = document
  const content = requestContent(operation, publish)
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    deprecated,
    'x-deprecated-sunset': sunset,
    'x-stability': stability,
    ...api.securityOf(operation),
    parameters: [
      ...pathParameters(operation, api, publish),
      ...parametersOf('query', operation.query, publish),
      ...(document.requestHeaders ?? []).map((name) => ({
        $ref: `#/components/parameters/${name}`,
      })),
    ],
    requestBody: content && { required: true, content },
    responses: responsesOf(operation, api, publish),
  }
}

function requestContent(operation: Operation, publish: Publish): object | undefined {
  const { body, document, rawBody } = operation
  const types = bodyMediaTypesOf(operation)
  if (types.length === 0) return undefined
  const describe = (type: string): object => {
    const raw = rawBody?.mediaTypes[type]
    if (raw) return { ...raw, schema: publish(raw.schema) }
    if (!body) return { schema: { type: 'string', format: 'binary' } }
    const examples = document?.bodyExamples
    return { schema: publish(body), examples }
  }
  return Object.fromEntries(types.map((type) => [type, describe(type)]))
}

function pathParameters(operation: Operation, api: ApiDescription, publish: Publish): object[] {
  const typed = parametersOf('path', operation.params, publish)
  const typedNames = new Set(typed.map(({ name }) => name))
  const names = [...pathOf(operation).matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const plain = names
    .filter((name) => !typedNames.has(name))
    .map((name) => ({
      name,
      in: 'path',
      required: true,
      description: api.pathParameters[name] ?? 'As in the list.',
      schema: { type: 'string' },
    }))
  return [...plain, ...typed]
}

interface Parameter {
  description?: string
  default?: unknown
  /** Of lists: how their entries are separated. */
  style?: string
  explode?: boolean
}

/** A default makes a required parameter optional, as it does when the query is read. */
function parametersOf(
  place: 'path' | 'query',
  schema: TSchema | undefined,
  publish: Publish,
): { name: string }[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, Parameter>
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => {
    const { description, explode, style, ...rest } = property
    return {
      name,
      in: place,
      required: required.includes(name) && rest.default === undefined,
      description,
      style,
      explode,
      schema: publish(rest),
    }
  })
}

/** Leaves out keywords that only the validators know. */
function publishInto(schemas: Record<string, unknown>, schema: unknown): unknown {
  const publish: Publish = (inner) => publishInto(schemas, inner)
  if (Array.isArray(schema)) return schema.map(publish)
  if (typeof schema !== 'object' || schema === null) return schema
  const {
    $id,
    'x-refers-to': named,
    ...rest
  } = schema as {
    $id?: string
    'x-refers-to'?: { $id: string }
    description?: string
  }
  if (named) {
    const { description } = rest
    return { ...(publish(named) as object), ...(description === undefined ? {} : { description }) }
  }
  if ($id !== undefined && $id in schemas) return { $ref: `#/components/schemas/${$id}` }
  const entries = Object.entries(rest).filter(([key]) => key !== 'x-pattern-message')
  const published = Object.fromEntries(entries.map(([key, value]) => [key, publish(value)]))
  if ($id === undefined) return published
  schemas[$id] = published
  return { $ref: `#/components/schemas/${$id}` }
}

function exampleCodes(
  operations: readonly Operation[],
  { common, exampleOf, implied, ofChanges }: ErrorCatalog,
): Record<string, object> | undefined {
  if (!exampleOf) return undefined
  const codes = new Set([
    ...common,
    ...ofChanges,
    ...operations.flatMap((operation) => [...(implied?.(operation) ?? []), ...operation.errors]),
  ])
  return Object.fromEntries([...codes].map((code) => [code, exampleOf(code)]))
}

function errorSchema(codes: string[]): TSchema {
  return Type.Object(
    {
      code: words(codes, 'Machine-readable error code.'),
      message: Type.String({ description: 'Human-readable description.' }),
      status: Type.Integer({ minimum: 400, maximum: 599, description: 'The HTTP status code.' }),
      details: Type.Optional(
        Type.Array(
          Type.Object({
            path: Type.String({ description: 'The field or parameter; empty for the whole.' }),
            message: Type.String({ description: 'What is wrong, and what is required.' }),
          }),
          { description: 'On a 400: all problems at once.' },
        ),
      ),
    },
    { $id: 'Error', description: 'Every error has this body.' },
  )
}

const parametersByName = (headers: Record<string, object>): object =>
  Object.fromEntries(
    Object.entries(headers).map(([name, header]) => [name, { name, in: 'header', ...header }]),
  )

/**
 * The `responses` of an operation: every status, error code and header that occurs. Errors that all operations have in the
 * same way are shared components.
 */
function responsesOf(
  operation: Operation,
  api: ApiDescription,
  publish: Publish,
): Record<string, object> {
  const { document = {}, status } = operation
  const { errors, headers } = api
  const { codes, ofChanges } = errors
  const common = [...errors.common, ...(methodOf(operation) === 'GET' ? [] : ofChanges)]
  const own = [...(errors.implied?.(operation) ?? []), ...operation.errors]
  const responses: Record<string, object> = {
    [status]: {
      description: document.answerDescription ?? (status === 204 ? 'Done' : operation.summary),
      ...headersOf(api, headers?.ofSuccess(operation)),
      ...successContent(operation, publish),
    },
  }
  if (document.isConditional) {
    responses[304] = {
      description: 'Not modified: the client has this response, as its If-None-Match says',
      ...headersOf(api, headers?.ofNotModified(operation)),
    }
  }
  const all = new Set([...common, ...own])
  const byStatus = Map.groupBy(all, (code) => codes[code]?.status as number)
  for (const [errorStatus, its] of byStatus) {
    const isShared =
      !document.headers &&
      its.every((code) => isSharedCode(api, code)) &&
      !own.some((c) => its.includes(c))
    responses[errorStatus] = isShared
      ? { $ref: `#/components/responses/${responseName(errorStatus)}` }
      : errorResponse(api, operation, errorStatus, its)
  }
  return responses
}

/** The responses that `responsesOf` refers to, by name. */
function sharedResponses(api: ApiDescription): Record<string, object> {
  const { codes, common, ofChanges } = api.errors
  const shared = [...common, ...ofChanges].filter((code) => isSharedCode(api, code))
  const byStatus = Map.groupBy(shared, (code) => codes[code]?.status as number)
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, its]) => [responseName(status), errorResponse(api, undefined, status, its)]),
  )
}

/** A 400 is described for each operation: what was wrong depends on what it takes. */
function isSharedCode({ errors }: ApiDescription, code: ApiErrorCode): boolean {
  const isCommon = errors.common.includes(code) || errors.ofChanges.includes(code)
  return isCommon && errors.codes[code]?.status !== 400
}

function responseName(status: number): string {
  return (STATUS_CODES[status] ?? '').replaceAll(/[^A-Za-z]/g, '')
}

const usualConditions: ErrorCatalog['conditions'] = {
  408: 'The request did not arrive in time',
  414: 'The address is too long',
  431: 'The header fields are too large',
  500: 'A fault of the service',
  503: 'The service cannot answer now; nothing was changed',
  504: 'The database did not confirm the change in time',
}

/** The response of one status: when it is returned, and the codes that tell its cases apart. */
function errorResponse(
  api: ApiDescription,
  operation: Operation | undefined,
  status: number,
  its: ApiErrorCode[],
): object {
  const { codes, conditions, exampleOf } = api.errors
  const condition =
    operation?.document?.conditions?.[status] ??
    { ...usualConditions, ...conditions }[status] ??
    STATUS_CODES[status]
  const cases = its.map((code) => `- \`${code}\`: ${codes[code]?.meaning}`)
  const examples = exampleOf && {
    examples: Object.fromEntries(
      its.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
    ),
  }
  return {
    description: `${condition}\n\n${cases.join('\n')}`,
    ...headersOf(api, api.headers?.ofError(operation, status, its)),
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/Error' }, ...examples },
    },
  }
}

function successContent(
  { document, download, events, returns }: Operation,
  publish: Publish,
): { content?: object } {
  if (download) {
    const files = Object.entries(download).map(([type, schema]) => [
      type,
      { schema: publish(schema) },
    ])
    return { content: Object.fromEntries(files) }
  }
  // OpenAPI 3.1 cannot describe a sequence of events: the schema is that of the data of each.
  if (events) return { content: { 'text/event-stream': { schema: publish(events) } } }
  if (!returns) return {}
  const examples = document?.answerExamples
  return { content: { 'application/json': { schema: publish(returns), examples } } }
}

function headersOf(
  { headers }: ApiDescription,
  entries: readonly string[] | undefined,
): { headers?: object } {
  if (!headers || !entries) return {}
  const map = entries.map((entry) => [
    headers.nameOf(entry),
    { $ref: `#/components/headers/${entry}` },
  ])
  return { headers: Object.fromEntries(map) }
}

/** What a document says beyond its operations. */
export interface ApiDescription {
  title: string
  summary?: string
  description: string
  contactName: string
  servers: { url: string; description?: string }[]
  /** Descriptions of the operations' groups, in the order of the document. */
  tags: Record<string, string>
  securitySchemes: Record<string, object>
  /** How an operation is authorized, and what else the document says of that. */
  securityOf(operation: Operation): { security: object[] }
  /** The usual one, for all operations. */
  security?: object[]
  /** Descriptions of path parameters that have no schema. */
  pathParameters: Record<string, string>
  errors: ErrorCatalog
  headers?: HeaderCatalog
  /** Request headers that operations name. */
  requestHeaders?: Record<string, object>
}

/** Errors, their meanings, and which of them an operation can have. */
export interface ErrorCatalog {
  codes: Record<string, { status: number; meaning: string }>
  /** Of every operation. */
  common: readonly ApiErrorCode[]
  /** Of every operation but a GET. */
  ofChanges: readonly ApiErrorCode[]
  /** Of one operation, besides the common and its own. */
  implied?(operation: Operation): readonly ApiErrorCode[]
  /** When each status is returned, in one sentence; besides what is the same for every API. */
  conditions: Partial<Record<number, string>>
  /** An example of a code, as the service words it. */
  exampleOf?(code: ApiErrorCode): Example
}

/** Response headers and which responses carry them. */
export interface HeaderCatalog {
  all: Record<string, object>
  /** The header's name in a response; several catalog entries may describe one header. */
  nameOf(entry: string): string
  ofSuccess(operation: Operation): readonly string[]
  ofNotModified(operation: Operation): readonly string[]
  /** `operation` is undefined for a response that all operations share. */
  ofError(
    operation: Operation | undefined,
    status: number,
    codes: readonly ApiErrorCode[],
  ): readonly string[]
}

/** Publishes a schema: what has a name goes to the components and is referred to. */
export type Publish = (schema: unknown) => unknown

export interface Document {
  mediaType: string
  ready: () => ReadyResponse
}

/** The OpenAPI document in both forms, made when it is first read. */
export function createDocuments(document: () => object): ReadonlyMap<string, Document> {
  const once = (mediaType: string, write: (document: object) => string): Document => {
    let ready: ReadyResponse | undefined
    return {
      mediaType,
      ready: () => {
        ready ??= readyResponse(write(document()), mediaType, [])
        return ready
      },
    }
  }
  return new Map([
    ['/openapi.json', once('application/json', (document) => JSON.stringify(document))],
    ['/openapi.yaml', once('application/yaml', writeYaml)],
  ])
}

/** An OpenAPI document as it is committed. */
export function writeYaml(document: object): string {
  return dump(document, { noRefs: true, lineWidth: -1, quoteStyle: 'double' })
}
