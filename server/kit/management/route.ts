// A handler of an operation of the management API, with the types that its declaration gives.
import type { BodyOf, ParamsOf, QueryOf } from '../api/operation.ts'
import type { ApiCall, ApiRoute } from '../api/route.ts'
import type { Caller } from './caller.ts'
import type { Operation, OutcomeOf } from './operation.ts'

export interface Call<O extends Operation = Operation>
  extends Omit<ApiCall<Caller | undefined>, 'body' | 'caller' | 'params' | 'query'> {
  /** Undefined only where the operation is open. */
  caller: O['access'] extends 'open' ? Caller | undefined : Caller
  params: ParamsOf<O>
  query: QueryOf<O>
  body: BodyOf<O>
}

export interface Route extends ApiRoute<Caller | undefined> {
  operation: Operation
}

/** Binds a handler to its operation. It gives the response's body; undefined for a 204. */
export function route<O extends Operation>(
  operation: O,
  handle: (call: Call<O>) => Promise<OutcomeOf<O>>,
): Route {
  return { operation, handle: handle as Route['handle'] }
}
