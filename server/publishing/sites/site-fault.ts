// What a site says when it cannot answer: a small page for people, the Error shape for programs that
// prefer JSON. No page holds anything of the request, so that there is nothing to escape.
import type { ServerResponse } from 'node:http'
import Negotiator from 'negotiator'
import { AppError } from '../../platform/errors.ts'
import type { ApiRequest } from '../../platform/http/request/request-head.ts'
import { sendError } from '../../platform/http/response/send-response.ts'
import { everywhere } from './answer-headers.ts'
import { faultPage, faultPagePolicy } from './fault-page.ts'

interface Fault {
  status: number
  page: string
  /** Undefined where the closed list of codes has none: then there is the page alone. */
  error: ((headers: Record<string, string>) => AppError) | undefined
}

const faults = {
  unknownSite: fault(
    404,
    'There is no site here',
    'Nothing is published at this address. It may have been mistyped, or the site was removed.',
    (message, headers) => new AppError('route_not_found', message, { headers }),
  ),
  nothingPublished: fault(
    404,
    'Nothing published yet',
    'This address is taken, but nothing has been published here so far. Come back later.',
    (message, headers) => new AppError('route_not_found', message, { headers }),
  ),
  notFound: fault(
    404,
    'Page not found',
    'This site has no page at this address. The page may have moved, or never been here.',
    (message, headers) => new AppError('route_not_found', message, { headers }),
    { hasFrontPage: true },
  ),
  malformed: fault(
    400,
    'Malformed address',
    'This address is not properly encoded. Check the percent signs in it.',
    (message, headers) => new AppError('invalid_request', message, { headers }),
    { hasFrontPage: true },
  ),
  method: fault(
    405,
    'Not possible here',
    'Pages can be read here, and nothing else.',
    (message, headers) => new AppError('method_not_allowed', message, { headers }),
  ),
  precondition: fault(
    412,
    'Changed meanwhile',
    'What is published here is not what was expected.',
    (message, headers) => new AppError('precondition_failed', message, { headers }),
  ),
  range: fault(
    416,
    'No such part',
    'The file is shorter than the part that was asked for.',
    undefined,
  ),
  suspended: fault(
    503,
    'Not served at the moment',
    'This site is not served at this address at the moment. Come back later.',
    (message, headers) => new AppError('unavailable', message, { headers }),
  ),
  unavailable: fault(
    503,
    'Back in a moment',
    'This site cannot be shown right now. Try again in a moment.',
    (message, headers) => new AppError('unavailable', message, { headers }),
  ),
  internal: fault(
    500,
    'Something went wrong',
    'The fault is on our side, not on yours. It has been recorded.',
    (message, headers) => new AppError('internal_error', message, { headers }),
  ),
} as const satisfies Record<string, Fault>

export type FaultName = keyof typeof faults

const beside = ['Content-Security-Policy', faultPagePolicy, ...everywhere]
const ofPages = ['Content-Type', 'text/html; charset=utf-8', 'Cache-Control', 'no-store']

function fault(
  status: number,
  title: string,
  text: string,
  error: ((message: string, headers: Record<string, string>) => AppError) | undefined,
  { hasFrontPage = false } = {},
): Fault {
  return {
    status,
    page: faultPage(status, title, text, hasFrontPage),
    error: error && ((headers) => error(`${title}. ${text}`, headers)),
  }
}

/** Sends it, with further headers that belong to it. Gives the status. */
export function sendFault(
  request: ApiRequest,
  response: ServerResponse,
  name: FaultName,
  headers: Record<string, string> = {},
): number {
  const { error, page, status }: Fault = faults[name]
  if (error && prefersJson(request.head.accept)) {
    // All but the first, which every answer with an Error has anyway.
    request.extraHeaders = beside.filter((_, i) => i !== 2 && i !== 3)
    sendError(request, response, error({ ...headers, Vary: 'Accept' }))
    return status
  }
  response.writeHead(status, [
    ...ofPages,
    'Content-Length',
    `${page.length}`,
    ...(error ? ['Vary', 'Accept'] : []),
    ...Object.entries(headers).flat(),
    ...beside,
    'X-Request-Id',
    request.head.requestId,
  ])
  response.end(request.method === 'HEAD' ? undefined : page)
  return status
}

/** A browser never does; a program that says nothing gets what a browser gets. */
export function prefersJson(accept: string | undefined): boolean {
  if (accept === undefined || accept === '*/*') return false
  const [first] = new Negotiator({ headers: { accept } }).mediaTypes([
    'text/html',
    'application/json',
  ])
  return first === 'application/json'
}
