// An operation of an HTTP API, declared once: the declaration validates requests, types handlers and clients,
// and makes the OpenAPI document. It stands with its handler, and is bound to it as a route.

import type { ServerResponse } from 'node:http'
import type { Static, TSchema } from 'typebox'
import type { ErrorCode, ManagementErrorCode } from '../errors.ts'
import type { ApiRequest } from '../http/request/request-head.ts'

export type ApiErrorCode = ErrorCode | ManagementErrorCode

export interface Example {
  summary: string
  value: unknown
}

export type Address = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`

export interface Operation {
  /** Method and path below the API's prefix, such as `GET /projects/{slug}`. */
  route: Address
  operationId: string
  tag: string
  summary: string
  description?: string
  /** Who may call it, where an API has several kinds of callers. */
  access?: string
  /** What a key or token must be allowed to do. */
  scope?: string
  /** Of the management API: a deploy token can call it, too. */
  isForDeployTokens?: true
  /** For the document: handlers get the path parameters as text. */
  params?: TSchema
  query?: TSchema | undefined
  /** A JSON body; a PATCH may also send it as a merge patch (RFC 7396). */
  body?: TSchema | undefined
  /** Limit of a JSON body in bytes; 64 KiB by default. */
  maxBodyBytes?: number
  /** A body that the handler gets as bytes, by media type. */
  rawBody?: {
    maxBytes: number
    mediaTypes: Record<string, { schema: TSchema; examples: Record<string, Example> }>
  }
  /** A body that the handler reads from the stream. */
  upload?: { mediaTypes: readonly string[]; maxBytes: number } | undefined
  /** Called thousands of times in a row: successful calls are logged at debug, as reads are. */
  isFrequent?: true
  status: 200 | 201 | 204
  /** The response body; none for a 204. */
  returns?: TSchema | undefined
  /** The response is a file in one of these media types, each with its schema. */
  download?: Record<string, TSchema> | undefined
  /** The response is a stream of events; the schema of their data. */
  events?: TSchema | undefined
  /** Errors beyond those that any operation can have. */
  errors: readonly ApiErrorCode[]
  /** What the document adds to all of this. */
  document?: OperationDocument
}

/** Parts of the document that nothing is validated by. Header names are keys of the API's header catalogs. */
export interface OperationDocument {
  deprecated?: true
  /** The date of removal, as YYYY-MM-DD. */
  'x-deprecated-sunset'?: string
  /** Stable without it. */
  'x-stability'?: 'beta' | 'experimental'
  requestHeaders?: readonly string[]
  bodyExamples?: Record<string, Example>
  /** Of the success response; the summary by default. */
  answerDescription?: string
  answerHeaders?: readonly string[]
  answerExamples?: Record<string, Example>
  /** The success response has validators: a 304 is possible. */
  isConditional?: true
  /** When each error status is returned. */
  conditions?: Partial<Record<number, string>>
  /** Headers of every response to a request that reached the operation. */
  headers?: readonly string[]
}

/** The names in a route's braces. */
type ParamNames<Route extends string> = Route extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never

export type ParamsOf<O extends { route: string }> = Record<ParamNames<O['route']>, string>
export type QueryOf<O> = O extends { query: infer Query extends TSchema }
  ? Static<Query>
  : undefined
export type BodyOf<O> = O extends { body: infer Body extends TSchema } ? Static<Body> : undefined
export type ResponseOf<O> = O extends { returns: infer R extends TSchema } ? Static<R> : undefined

export function methodOf({ route }: Operation): string {
  return route.slice(0, route.indexOf(' '))
}

export function pathOf({ route }: Operation): string {
  return route.slice(route.indexOf(' ') + 1)
}

/** The media types that an operation's body may have; none where it takes no body. */
export function bodyMediaTypesOf(operation: Operation): readonly string[] {
  const { body, rawBody, upload } = operation
  if (upload) return upload.mediaTypes
  if (rawBody) return Object.keys(rawBody.mediaTypes)
  if (!body) return []
  return methodOf(operation) === 'PATCH'
    ? ['application/merge-patch+json', 'application/json']
    : ['application/json']
}

/** The media types of the success response. */
export function answerMediaTypesOf({ download, events }: Operation): string[] {
  if (download) return Object.keys(download)
  return [events ? 'text/event-stream' : 'application/json']
}

export interface ApiCall<Caller> {
  caller: Caller
  params: Record<string, string>
  query: unknown
  /** The JSON body, checked against its schema. */
  body: unknown
  /** The body as it was sent; undefined for an upload, which the handler reads. */
  bytes: Buffer | undefined
  request: ApiRequest
  /** Names and values in turn that the response carries in addition. */
  headers: string[]
  /** The address of the client, behind trusted proxies. */
  address: string
}

export interface ApiRoute<Caller> {
  operation: Operation
  /** Gives the response's body, download or events; undefined for a 204. */
  handle(call: ApiCall<Caller>): Promise<unknown>
  /** Sends what `handle` gave, instead of the usual JSON with `no-store`. */
  send?(request: ApiRequest, response: ServerResponse, outcome: unknown): void
  /** Names and values in turn that an error carries, as the operation's other responses do. */
  errorHeaders?(params: Record<string, string>): string[]
}
