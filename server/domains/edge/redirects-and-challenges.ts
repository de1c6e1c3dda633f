// What is answered at every host before its site: HTTP-01 challenges (RFC 8555, section 8.3), on both ports; redirects
// between hosts of a project, and from HTTP to HTTPS, with path and query kept. HTTPS hosts send
// Strict-Transport-Security (RFC 6797).

import type { ServerResponse } from 'node:http'
import { httpChallengePath } from '#acme/resources/orders.ts'
import { AppError } from '#kit/errors.ts'
import type { Handler } from '#kit/http/listener/intake.ts'
import type { ApiRequest } from '#kit/http/request/request-head.ts'
import type { PlainRequest } from '#kit/http/response/ready-response.ts'
import { sendError, sendOnce } from '#kit/http/response/send-response.ts'
import { isSecureAtProxy } from '#kit/network/addresses.ts'
import { revalidatedCaching, sendNothing } from '#publishing/sites/response-headers.ts'
import type { RedirectStatus } from '../database/domain-row.ts'
import type { FoundHost, HostFinder } from './find-host.ts'

/** `origin` has no trailing slash. Returns the status. */
export function redirectToHost(
  request: ApiRequest,
  response: ServerResponse,
  origin: string,
  status: RedirectStatus,
): number {
  return sendNothing(request, response, status, headersTo(origin + targetOf(request.url as string)))
}

/** Clients must revalidate a redirect: the owner may change its target, or the host lose its certificate. */
function headersTo(location: string): string[] {
  return ['Location', location, 'Cache-Control', revalidatedCaching, 'Content-Length', '0']
}

/** The target as a header value: bytes other than visible ASCII are percent-encoded. */
function targetOf(url: string): string {
  return url.replace(/[^\x21-\x7e]/g, (char) => {
    const code = char.charCodeAt(0)
    return code > 0xff ? '%3F' : `%${code.toString(16).toUpperCase().padStart(2, '0')}`
  })
}

/** Only where browsers trust the certificate, and not for a proxy that terminates TLS. */
export const isRedirectedToHttps = (request: PlainRequest, host: FoundHost | undefined): boolean =>
  isTrusted(host) && !request.isSecure && !isSecureAtProxy(request)

export const isTrusted = (host: FoundHost | undefined): boolean =>
  host?.certificate?.isTrusted === true

/** To the same host, path and query on `httpsPort`, the port that clients use. */
export function redirectToHttps(httpsPort: number): Handler {
  const port = httpsPort === 443 ? '' : `:${httpsPort}`
  return (request, response) => {
    const { head, method, url } = request
    // Every client follows 301, but may change POST to GET; 308 keeps method and body.
    const status = method === 'GET' || method === 'HEAD' ? 301 : 308
    const location = `https://${head.host}${port}${targetOf(url as string)}`
    sendOnce(request, response, status, headersTo(location), undefined)
  }
}

/**
 * Sent on every response over TLS and on no other (section 7.2). Only for hosts that keep their certificate: browsers
 * refuse plain HTTP for this long.
 */
export const strictTransport = ['Strict-Transport-Security', `max-age=${30 * 24 * 60 * 60}`]

/**
 * Serves the program's own hosts over HTTPS only, once they have a publicly trusted certificate. `publicHttpsPort`: the port
 * by which clients reach HTTPS, if any.
 */
export function secureOwnHost(
  hosts: HostFinder,
  publicHttpsPort: number | undefined,
): (handler: Handler) => Handler {
  if (publicHttpsPort === undefined) return (handler) => handler
  const toHttps = redirectToHttps(publicHttpsPort)

  function findNow({ head }: PlainRequest): ReturnType<HostFinder['find']> {
    try {
      return hosts.find(head.host ?? '')
    } catch {
      return undefined
    }
  }

  return (handler) => {
    const secured: Handler = (request, response) => {
      const handleFound = (host: FoundHost | undefined): unknown => {
        if (isTrusted(host) && request.isSecure) request.fixedHeaders = strictTransport
        const isRedirected = isRedirectedToHttps(request, host)
        return isRedirected ? toHttps(request, response) : handler(request, response)
      }
      const site = findNow(request)
      // A database failure must not stop the program's own pages.
      return site instanceof Promise
        ? site.catch(() => undefined).then(handleFound)
        : handleFound(site)
    }
    const { answerPlain } = handler
    if (!answerPlain) return secured
    secured.answerPlain = (request, send) => {
      const site = findNow(request)
      if (site instanceof Promise || !isTrusted(site) || !request.isSecure) return false
      request.fixedHeaders = strictTransport
      return answerPlain(request, send)
    }
    return secured
  }
}

/** 128 bits in base64url are 22 characters; no authority uses longer tokens than this. */
const tokenForm = /^[A-Za-z0-9_-]{16,128}$/

/** `find` returns the key authorization of a token, from the database, because any node may be asked. */
export function answerChallenge(
  find: (host: string, token: string) => Promise<string | undefined>,
): Handler {
  async function answer(request: ApiRequest, response: ServerResponse): Promise<void> {
    const { head, method, url = '' } = request
    if (method !== 'GET' && method !== 'HEAD') {
      const message = 'Challenges accept GET and HEAD only.'
      throw new AppError('method_not_allowed', message, { headers: { Allow: 'GET, HEAD' } })
    }
    const [token = ''] = url.slice(httpChallengePath.length).split('?', 1)
    const challenge = tokenForm.test(token) ? await find(head.host ?? '', token) : undefined
    if (challenge === undefined) {
      const message = 'No challenge with this token is in progress for this host.'
      throw new AppError('route_not_found', message)
    }
    const headers = ['Cache-Control', 'no-store']
    sendOnce(request, response, 200, headers, challenge, 'application/octet-stream')
  }

  return (request, response) => {
    request.environment = 'edge'
    request.operation = 'challenge'
    return answer(request, response).catch((error) => {
      if (!(error instanceof AppError)) throw error
      sendError(request, response, error)
    })
  }
}
