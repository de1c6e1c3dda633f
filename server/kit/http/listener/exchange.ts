// One request with its response, as it goes from a port to its handler.
import type { ServerResponse } from 'node:http'
import type { ApiRequest } from '../request/request-head.ts'

export interface Exchange {
  request: ApiRequest
  response: ServerResponse
  /** Ends it with a 408: its body did not arrive in time. */
  endLate(): void
  /** Discards the rest of an unread body after the response. */
  dropBody(): void
}
