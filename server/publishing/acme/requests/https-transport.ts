// HTTPS to an authority: connections that are kept, a time-out for each request as a whole, a limit for each
// answer, and roots to trust besides the usual ones. Redirects are not followed.
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Agent, request as requestHttps } from 'node:https'
import { createSecureContext, getCACertificates } from 'node:tls'
import type { NoResponseReason } from './acme-error.ts'

export interface HttpRequest {
  method: 'GET' | 'HEAD' | 'POST'
  url: string
  headers: Record<string, string>
  body?: string
  signal?: AbortSignal | undefined
}

export interface HttpResponse {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** Why there is no answer. */
export class TransportFault extends Error {
  readonly reason: NoResponseReason

  constructor(reason: NoResponseReason, detail: string) {
    super(detail)
    this.reason = reason
  }
}

export interface Transport {
  /** Rejects with a TransportFault, and with nothing else. */
  send(request: HttpRequest): Promise<HttpResponse>
  /** Ends the connections that are idle. */
  close(): void
}

export interface TransportOptions {
  /** Roots to trust besides the usual ones: PEM, any number of them. */
  trustedRoots?: string | undefined
  timeoutMs: number
  maxBytes: number
  maxConnections: number
}

/** Throws when `trustedRoots` cannot be read. */
export function createTransport(options: TransportOptions): Transport {
  const { maxConnections, trustedRoots } = options
  const roots = [...getCACertificates('default'), ...(trustedRoots ? [trustedRoots] : [])]
  const agent = new Agent({
    keepAlive: true,
    maxSockets: maxConnections,
    // Shared by all connections: to read a hundred and fifty roots takes longer than to connect.
    secureContext: createSecureContext({ ca: roots, minVersion: 'TLSv1.2' }),
  })
  return {
    async send(request) {
      try {
        return await sendOnce(request, agent, options)
      } catch (error) {
        // A kept connection that the authority closed in the same moment: nothing was answered on it.
        if (error instanceof StaleConnection) return await sendOnce(request, agent, options)
        throw error
      }
    },
    close: () => agent.destroy(),
  }
}

class StaleConnection extends TransportFault {}

function sendOnce(
  { body, headers, method, signal, url }: HttpRequest,
  agent: Agent,
  { maxBytes, timeoutMs }: TransportOptions,
): Promise<HttpResponse> {
  const { promise, reject, resolve } = Promise.withResolvers<HttpResponse>()
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const request = requestHttps(url, { method, headers: { ...headers, ...length }, agent })
  const fail = (derError: TransportFault): void => {
    reject(derError)
    request.destroy()
  }
  const timer = setTimeout(
    () => fail(new TransportFault('timeout', `no answer within ${timeoutMs / 1000} s`)),
    timeoutMs,
  )
  const cancel = (): void => fail(new TransportFault('cancelled', 'it was not waited for'))
  signal?.addEventListener('abort', cancel, { once: true })
  request.on('error', (error) => fail(faultOf(error, request)))
  request.on('response', (response) => {
    readBody(response, maxBytes).then(
      (bytes) =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: bytes }),
      fail,
    )
  })
  if (signal?.aborted) cancel()
  else request.end(body)
  return promise.finally(() => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', cancel)
  })
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = []
  let length = 0
  try {
    for await (const part of response) {
      length += part.length
      if (length > maxBytes) break
      parts.push(part)
    }
  } catch {
    throw new TransportFault('cut off', 'the connection ended before the answer did')
  }
  if (length > maxBytes) throw new TransportFault('too large', `more than ${maxBytes} bytes`)
  return Buffer.concat(parts)
}

function faultOf(error: Error, request: ClientRequest): TransportFault {
  const { code = '' } = error as NodeJS.ErrnoException
  if (/^HPE_/.test(code)) return new TransportFault('malformed', 'the answer is no HTTP')
  if (/CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|ALTNAME/.test(code)) {
    return new TransportFault('untrusted', code)
  }
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    if (request.reusedSocket) return new StaleConnection('cut off', code)
    return new TransportFault('cut off', code)
  }
  return new TransportFault('unreachable', code || error.message.slice(0, 100))
}
