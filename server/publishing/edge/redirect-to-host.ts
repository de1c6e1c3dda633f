// Leads from one host of a project to another, with path and query kept.
import type { ServerResponse } from 'node:http'
import type { ApiRequest } from '../../platform/http/request/request-head.ts'
import type { RedirectStatus } from '../domains/database/domain-row.ts'
import { changing } from '../sites/answer-headers.ts'
import { sendNothing } from '../sites/send-nothing.ts'

/** `origin` has no slash at the end. Gives the status. */
export function redirectToHost(
  request: ApiRequest,
  response: ServerResponse,
  origin: string,
  status: RedirectStatus,
): number {
  // Kept for ever otherwise, also past the day on which the owner chooses another one.
  const kept = ['Cache-Control', changing, 'Content-Length', '0']
  return sendNothing(request, response, status, [
    'Location',
    origin + targetOf(request.url as string),
    ...kept,
  ])
}

/** The target as it may stand in a field: what is no visible ASCII is percent-encoded, byte by byte. */
export function targetOf(url: string): string {
  return url.replace(/[^\x21-\x7e]/g, (char) => {
    const code = char.charCodeAt(0)
    return code > 0xff ? '%3F' : `%${code.toString(16).toUpperCase().padStart(2, '0')}`
  })
}
