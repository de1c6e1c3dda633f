// A request with its response, as a port passes it to the intake.
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
