// A handler of an operation, with the types that its declaration gives.

import type { ApiRequest } from '../http/request/request-head.ts'
import type { Caller } from './caller.ts'
import type { AnswerOf, BodyOf, Operation, ParamsOf, QueryOf } from './operation.ts'

export interface Call<O extends Operation = Operation> {
  /** Undefined only where the operation is open. */
  caller: O['access'] extends 'open' ? Caller | undefined : Caller
  params: ParamsOf<O>
  query: QueryOf<O>
  body: BodyOf<O>
  request: ApiRequest
  /** Names and values in turn that the answer carries besides. */
  headers: string[]
  /** The address of the client, behind trusted proxies. */
  address: string
}

export interface Route {
  operation: Operation
  handle(call: Call): Promise<unknown>
}

/** Binds a handler to its operation. What it gives is the answer's body; undefined for a 204. */
export function route<O extends Operation>(
  operation: O,
  handle: (call: Call<O>) => Promise<AnswerOf<O>>,
): Route {
  return { operation, handle: handle as (call: Call) => Promise<unknown> }
}
