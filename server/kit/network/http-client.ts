// The HTTP client of the server: one request to one destination, with limits on time and size. No redirect is followed. A
// host that users choose is resolved here, all its addresses are checked, and the connection is made to a checked address,
// so that a later change in DNS (DNS rebinding) has no effect.
import { Resolver } from 'node:dns/promises'
import {
  type Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
} from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { isIP, isIPv6, type LookupFunction } from 'node:net'

import {
  connect as connectTls,
  createSecureContext,
  getCACertificates,
  type PeerCertificate,
  type TLSSocket,
} from 'node:tls'
import type { Judgement } from './addresses.ts'

/** Gives the addresses of a host name; none when it has none. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<string[]>

export interface Destinations {
  judge: (address: string) => Judgement
  resolve: Resolve
}

/** The addresses to call, or why none must be called. */
type Checked = { addresses: string[] } | { refused: string }

export interface RequestOptions {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  headers: Record<string, string>
  body?: string | Uint8Array | undefined
  /** For the request as a whole: names, connection and response. */
  timeoutMs: number
  maxBytes: number
  /** What happens to a response of more than `maxBytes`. */
  oversize: 'fail' | 'truncate'
  /** Resolves and checks the host of the URL; without it, the URL is trusted. */
  destinations?: Destinations
  /** Of the URL's protocol. Keeps connections open, may have its own trusted roots. By default, a new connection. */
  agent?: Agent
  /**
   * The server name that is sent in the TLS handshake (SNI), where the URL has an address. Nothing is verified: the
   * response has the certificate, which the caller compares with the expected one.
   */
  serverName?: string
  signal?: AbortSignal | undefined
}

export interface ResponseHead {
  status: number
  headers: IncomingHttpHeaders
}

export interface HttpResponse extends ResponseHead {
  body: Buffer
  /** The server's certificate, of a request with a `serverName`. */
  certificate?: PeerCertificate
}

/**
 * `unreachable`: no connection, or its destination is not allowed. `untrusted`: its certificate is not trusted.
 * `timeout`: no complete response in time. `cut off`: the connection ended before the response did. `too large`,
 * `malformed`: not a response within the limits, or not HTTP. `cancelled`: the caller's signal.
 */
export type RequestFailure =
  | 'unreachable'
  | 'untrusted'
  | 'timeout'
  | 'cut off'
  | 'too large'
  | 'malformed'
  | 'cancelled'

/** There is no complete response. The message is safe to show: it has no headers, no body and no query. */
export class RequestError extends Error {
  readonly reason: RequestFailure
  /** Of the system, Node or OpenSSL. */
  readonly code: string | undefined
  /** The server closed a kept connection; there may have been no response on it. */
  readonly isStale: boolean
  /** What came before the failure. */
  head: ResponseHead | undefined

  constructor(reason: RequestFailure, message: string, code?: string, isStale = false) {
    super(message)
    this.reason = reason
    this.code = code
    this.isStale = isStale
  }
}

/** An agent that trusts these roots (PEM) beside the system's. */
export function trustingAgent(roots: string): HttpsAgent {
  const ca = [...getCACertificates('default'), roots]
  return new HttpsAgent({ secureContext: createSecureContext({ ca, minVersion: 'TLSv1.2' }) })
}

const maxUrl = 2048
const maxHeaderBytes = 16_384
/** From the Fetch standard's bad ports: those that a public service on a high port could mean. */
const badPorts = new Set([
  2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

/**
 * Asks these name servers, or the system's if there are none; the hosts file does not count. localhost is this machine
 * (RFC 6761).
 */
export function resolveBy(servers: readonly { address: string; port: number }[]): Resolve {
  const configured = servers.map(({ address, port }) =>
    isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`,
  )
  return async (host, signal) => {
    if (/^(.+\.)?localhost\.?$/.test(host)) return ['127.0.0.1', '::1']
    const resolver = new Resolver({ timeout: 2500, tries: 2 })
    if (configured.length > 0) resolver.setServers(configured)
    const cancel = (): void => resolver.cancel()
    signal.addEventListener('abort', cancel)
    try {
      const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
      return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }
}

/** What can be said of an address before any name is resolved. Undefined when all is well. */
export function findUrlProblem(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url || text.length > maxUrl) return `is no URL of at most ${maxUrl} characters`
  if (!/^https?:$/.test(url.protocol)) return 'has to begin with https:// (or http://)'
  if (url.username || url.password) return 'must not hold a user name or a password'
  if (url.hash) return 'must not have a fragment'
  return undefined
}

/** Resolves and judges: all addresses of the host have to pass. Plain HTTP and odd ports need 'allowed'. */
export async function checkDestination(
  url: URL,
  { judge, resolve }: Destinations,
  signal: AbortSignal,
): Promise<Checked> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const addresses = isIP(host) ? [host] : await resolve(host, signal)
  if (addresses.length === 0) return { refused: `${host} has no address` }
  const judgements = addresses.map(judge)
  if (judgements.includes('refused')) return { refused: `${host} is not a public address` }
  if (judgements.every((judgement) => judgement === 'allowed')) return { addresses }
  if (url.protocol !== 'https:') return { refused: 'plain http is for allowed addresses only' }
  const port = Number(url.port || 443)
  if ((port < 1024 && port !== 443) || badPorts.has(port))
    return { refused: `port ${port} is not for HTTPS` }
  return { addresses }
}

/** For a request to one address, whatever its Host header says. */
export function urlOfAddress(
  address: string,
  port: number,
  path: string,
  scheme: 'http' | 'https' = 'http',
): URL {
  return new URL(`${scheme}://${isIPv6(address) ? `[${address}]` : address}:${port}${path}`)
}

/** Sends one request. Rejects with a RequestError, and with nothing else. */
export function sendRequest(url: URL, options: RequestOptions): Promise<HttpResponse> {
  const { destinations, signal, timeoutMs } = options
  const { promise, reject, resolve } = Promise.withResolvers<HttpResponse>()
  const stop = new AbortController()
  let request: ClientRequest | undefined
  let head: ResponseHead | undefined
  const fail = (error: RequestError): void => {
    error.head = head
    reject(error)
    stop.abort()
    request?.destroy()
  }
  const start = async (): Promise<void> => {
    const lookup = destinations && (await lookUpChecked(url, destinations, stop.signal))
    if (stop.signal.aborted) return
    const sent = createRequest(url, options, lookup)
    request = sent
    sent.on('error', (error) => fail(errorOf(error, sent.reusedSocket)))
    sent.on('response', (response) => {
      head = { status: response.statusCode ?? 0, headers: response.headers }
      const received: Omit<HttpResponse, 'body'> = { ...head, ...certificateOf(response, options) }
      readBody(response, options).then((body) => {
        resolve({ ...received, body })
        if (!options.agent) sent.destroy()
      }, fail)
    })
    sent.end(options.body)
  }
  const late = (): void =>
    fail(new RequestError('timeout', `no answer within ${timeoutMs / 1000} s`))
  const cancel = (): void => fail(new RequestError('cancelled', 'it was not waited for'))
  const timer = setTimeout(late, timeoutMs)
  signal?.addEventListener('abort', cancel, { once: true })
  if (signal?.aborted) cancel()
  else start().catch((error: unknown) => fail(errorOf(error, false)))
  return promise.finally(() => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', cancel)
  })
}

/**
 * A TLS handshake for a host at an address: the certificate that is presented there, which nothing verifies, or the code of
 * what went wrong. Never rejects.
 */
export function shakeHands(
  host: string,
  address: string,
  port: number,
  withinMs: number,
): Promise<{ certificate: PeerCertificate } | { code: string }> {
  const { promise, resolve } = Promise.withResolvers<
    { certificate: PeerCertificate } | { code: string }
  >()
  const options = { host: address, port, servername: host, rejectUnauthorized: false }
  const socket = connectTls(options, () => {
    try {
      resolve({ certificate: socket.getPeerCertificate() })
    } catch {
      resolve({ code: 'malformed' })
    }
  })
  const timer = setTimeout(() => resolve({ code: 'timeout' }), withinMs)
  socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => resolve({ code }))
  socket.on('close', () => resolve({ code: 'closed' }))
  return promise.finally(() => {
    clearTimeout(timer)
    socket.destroy()
  })
}

/** Gives the checked addresses only, whatever DNS says later. Throws a RequestError when one is not allowed. */
async function lookUpChecked(
  url: URL,
  destinations: Destinations,
  signal: AbortSignal,
): Promise<LookupFunction> {
  const checked = await checkDestination(url, destinations, signal)
  if ('refused' in checked) throw new RequestError('unreachable', `refused: ${checked.refused}`)
  const addresses = checked.addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, options, callback) => {
    const [{ address, family }] = addresses as [(typeof addresses)[number]]
    if (options.all) callback(null, addresses)
    else callback(null, address, family)
  }
}

function createRequest(
  url: URL,
  { agent, body, headers, method, serverName }: RequestOptions,
  lookup: LookupFunction | undefined,
): ClientRequest {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  return (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
    method,
    headers: { ...headers, ...length },
    agent: agent ?? false,
    ...(lookup && { lookup }),
    ...(serverName !== undefined && { servername: serverName, rejectUnauthorized: false }),
    maxHeaderSize: maxHeaderBytes,
  })
}

function certificateOf({ socket }: IncomingMessage, { serverName }: RequestOptions) {
  return serverName === undefined ? {} : { certificate: (socket as TLSSocket).getPeerCertificate() }
}

async function readBody(
  response: IncomingMessage,
  { maxBytes, oversize }: RequestOptions,
): Promise<Buffer> {
  const parts: Buffer[] = []
  let length = 0
  try {
    for await (const part of response) {
      parts.push(part)
      length += part.length
      if (oversize === 'truncate' ? length >= maxBytes : length > maxBytes) break
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new RequestError('cut off', 'the connection ended before the answer did', code)
  }
  if (oversize === 'fail' && length > maxBytes) {
    throw new RequestError('too large', `more than ${maxBytes} bytes`)
  }
  return Buffer.concat(parts).subarray(0, maxBytes)
}

function errorOf(error: unknown, isReused: boolean): RequestError {
  if (error instanceof RequestError) return error
  const { code, message } = error as NodeJS.ErrnoException
  if (code === undefined) return new RequestError('unreachable', message.slice(0, 100))
  if (/^HPE_/.test(code)) return new RequestError('malformed', 'the answer is no HTTP', code)
  if (/CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|ALTNAME/.test(code)) {
    return new RequestError('untrusted', code, code)
  }
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    return new RequestError('cut off', code, code, isReused)
  }
  return new RequestError('unreachable', code, code)
}
