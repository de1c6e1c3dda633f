// Answers of a site without a body: redirects, and what OPTIONS asks for.
import type { ServerResponse } from 'node:http'
import type { ApiRequest } from '../../platform/http/request/request-head.ts'
import { changing, everywhere, policies } from './answer-headers.ts'

const beside = [...everywhere, 'Content-Security-Policy', policies.readyMade]

/** Leads elsewhere, for now. `location` is made of what addressOf gives, never of what was asked. */
export function redirect(request: ApiRequest, response: ServerResponse, location: string): number {
  // Where things are may change with the next deploy, and without this a 308 may be kept for ever.
  const headers = ['Location', location, 'Cache-Control', changing, 'Content-Length', '0']
  return sendNothing(request, response, 308, headers)
}

/** `headers` are names and values in turn. Gives the status. */
export function sendNothing(
  { head }: ApiRequest,
  response: ServerResponse,
  status: number,
  headers: string[],
): number {
  response.writeHead(status, [...headers, ...beside, 'X-Request-Id', head.requestId])
  response.end()
  return status
}
