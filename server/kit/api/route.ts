// A handler bound to its operation, and what it is called with.
import type { ServerResponse } from 'node:http'
import type { ApiRequest } from '../http/request/request-head.ts'
import type { Operation } from './operation.ts'

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
