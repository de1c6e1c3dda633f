// An operation of the management API, declared once: what validates it, types its handler and the
// client, and makes the OpenAPI document. Rooms declare theirs in operations.ts and handle them in routes.ts.
import type { Static, TSchema } from 'typebox'
import type { Download } from '../api/download.ts'
import type { EventFeed } from '../api/event-stream.ts'
import type { ErrorCode, ManagementErrorCode } from '../errors.ts'
import type { ManagementTag } from './tags.ts'
import type { TokenScope } from './token-scopes.ts'

export interface Operation {
  /** Method and path below `/api`, such as `GET /projects/{slug}`. */
  route: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`
  operationId: string
  tag: ManagementTag
  summary: string
  description?: string
  /** Who may call it: anybody, whoever has signed in, or an operator. */
  access: 'open' | 'account' | 'operator'
  /** What an access token needs for it. Without it a token cannot call it, only a session. */
  scope?: TokenScope
  query?: TSchema
  /** A body of JSON. */
  body?: TSchema
  /** Of a body of JSON; 64 KiB without it. */
  bodyBytes?: number
  /** A body that its handler reads from the stream. */
  upload?: { mediaTypes: readonly string[]; maxBytes: number }
  /** Comes by the thousand: logged as reads are, at debug, unless it fails. */
  isFrequent?: true
  status: 200 | 201 | 204
  /** Of the answer's body; none for a 204. */
  answer?: TSchema
  /** The answer is a file, in one of these media types: the schema of each. */
  download?: Record<string, TSchema>
  /** Of the data of each event: the answer is a stream of them that goes on. */
  events?: TSchema
  /** What can go wrong beyond what can go wrong everywhere. */
  errors: readonly (ErrorCode | ManagementErrorCode)[]
}

/** The names in a route's braces. */
type ParamNames<Route extends string> = Route extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never

type Shape<Schema> = Schema extends TSchema ? Static<Schema> : undefined

export type ParamsOf<O extends Operation> = Record<ParamNames<O['route']>, string>
export type QueryOf<O extends Operation> = Shape<O['query']>
export type BodyOf<O extends Operation> = Shape<O['body']>
export type AnswerOf<O extends Operation> = O extends { events: TSchema }
  ? EventFeed<Static<O['events']>>
  : O extends { download: object }
    ? Download
    : Shape<O['answer']>

/** Declares an operation, keeping its exact type. */
export function operation<const O extends Operation>(declared: O): O {
  return declared
}
