// What the service needs of a request's head, read in one pass over the raw headers: Node's own object keeps only one of
// several equal headers, and building it costs more than the pass. The target of the request is checked with it: its length,
// its form, its host (RFC 9112, section 3.2). Then what single fields say: the host, a bearer token, cookies, the type of the
// body.
import { type IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import { AppError } from '../../errors.ts'
import { quote } from '../../json/json-syntax-error.ts'
import { maxFields } from '../limits.ts'
import { headersAccessor } from '../node-internals.ts'

const none: string[] = []

/** Of Accept and Accept-Encoding; longer ones are ignored, which RFC 9110, section 12.5 allows. */
const maxNegotiatedLength = 1024

/** What was taken for a request from a rate limit. */
export interface Allowance {
  /** The key as it was: one that has changed takes again, under its own limit. */
  taker: object
  /** Rejects if there was nothing left. */
  spent: Promise<{ headers: string[] }>
}

/** A request with its parsed head, its start time, and what handlers report about it. */
export class ApiRequest extends IncomingMessage {
  head: RequestHead = emptyHead
  startedAt = 0
  /** What metrics and logs call it. */
  operation = 'none'
  environment = 'none'
  /** Names and values in turn for every response to this request (CORS, RateLimit). */
  extraHeaders: string[] = none
  /** The same for every response, including files of sites (Strict-Transport-Security). */
  fixedHeaders: string[] = none
  /** It came over TLS. */
  isSecure = false
  /** How long its body may take, from the head on; the listener's own limit without it. */
  bodyWithinMs: number | undefined = undefined
  /** Why an earlier handler failed. A later one that needs the same reports this instead. */
  failure: unknown = undefined
  /** Set by a handler that has taken this request from its rate limit: a later one must not do it again. */
  allowance: Allowance | undefined = undefined
  /** The version of the API keys that its sender was authenticated under, as long as that is to be confirmed. */
  keysVersion: bigint | undefined = undefined
  /** Pipelined, and not handled so far (listener/intake.ts). */
  isWaiting = false

  /**
   * Node destroys all requests of a connection that closes. For those that nobody handles, which may be thousands, an
   * error with its stack trace would take longer than reading them.
   */
  override destroy(error?: Error): this {
    return this.isWaiting ? this : super.destroy(error)
  }
}

/** Node reads `headers.expect` of each request: its object of all fields is not built for one that is refused. */
Object.defineProperty(ApiRequest.prototype, 'headers', {
  ...headersAccessor,
  get(this: ApiRequest) {
    return hasTooManyFields(this.rawHeaders) ? {} : headersAccessor?.get?.call(this)
  },
})

type Text = string | undefined

const emptyHead = {
  /** Host without the port, lower case; undefined when there is none, or it is no host (hostName). */
  host: undefined as Text,
  hosts: 0,
  authorization: undefined as Text,
  authorizations: 0,
  /** Undefined, too, if it is longer than `maxNegotiatedLength`; so is acceptEncoding. */
  accept: undefined as Text,
  acceptEncoding: undefined as Text,
  ifMatch: undefined as Text,
  ifNoneMatch: undefined as Text,
  idempotencyKeys: none,
  prefer: undefined as Text,
  origin: undefined as Text,
  userAgent: undefined as Text,
  referer: undefined as Text,
  /** By a page of the same origin, as the browser says (Sec-Fetch-Site, Fetch Metadata). */
  isSameOrigin: false,
  /** A browser loads it in advance, without showing it (Sec-Purpose, Fetch Standard). */
  isPrefetch: false,
  /** Whether a body follows: Content-Length or Transfer-Encoding is there. */
  hasBody: false,
  transferCoding: undefined as Text,
  /** The client's X-Request-Id if it is valid, else a generated one. */
  requestId: '',
}
export type RequestHead = typeof emptyHead

export function readHead(request: Pick<IncomingMessage, 'rawHeaders'>): RequestHead {
  const head = { ...emptyHead }
  const raw = request.rawHeaders
  for (let i = 0; i < raw.length; i += 2) {
    const value = raw[i + 1] as string
    switch (raw[i]?.toLowerCase()) {
      case 'host':
        head.hosts++
        // Most requests are for the host of the one before.
        if (value !== lastAuthority) {
          lastHost = hostName(value)
          lastAuthority = value
        }
        head.host = lastHost
        break
      case 'accept':
        head.accept = join(head.accept, value)
        break
      case 'prefer':
        head.prefer = join(head.prefer, value)
        break
      case 'origin':
        head.origin = value
        break
      case 'referer':
        head.referer = value
        break
      case 'if-match':
        head.ifMatch = join(head.ifMatch, value)
        break
      case 'user-agent':
        head.userAgent = value
        break
      case 'sec-purpose':
        head.isPrefetch = value.startsWith('prefetch')
        break
      case 'x-request-id':
        if (/^[\w.:-]{1,128}$/.test(value)) head.requestId = value
        break
      case 'authorization':
        head.authorizations++
        head.authorization = value
        break
      case 'if-none-match':
        head.ifNoneMatch = join(head.ifNoneMatch, value)
        break
      case 'content-length':
        head.hasBody = true
        break
      case 'sec-fetch-site':
        head.isSameOrigin = value === 'same-origin'
        break
      case 'transfer-encoding':
        head.hasBody = true
        head.transferCoding = join(head.transferCoding, value)
        break
      case 'accept-encoding':
        head.acceptEncoding = join(head.acceptEncoding, value)
        break
      case 'idempotency-key':
        if (head.idempotencyKeys === none) head.idempotencyKeys = [value]
        else head.idempotencyKeys.push(value)
        break
    }
  }
  // Browsers send a few hundred characters; matching them with what we have takes time for each.
  const { accept = '', acceptEncoding = '' } = head
  if (accept.length > maxNegotiatedLength) head.accept = undefined
  if (acceptEncoding.length > maxNegotiatedLength) head.acceptEncoding = undefined
  if (head.requestId === '') head.requestId = nextRequestId()
  return head
}

/** As for what Node's parser refuses. */
const closing = { headers: { Connection: 'close' } }

/** Checks the target, and corrects the request's url and the head's host to it. Throws an AppError. */
export function readTarget(request: ApiRequest, maxUrlBytes: number): void {
  const { head } = request
  let url = request.url as string
  if (url.length > maxUrlBytes) {
    throw new AppError(
      'uri_too_long',
      `The address is longer than ${maxUrlBytes} bytes. Shorten the query.`,
    )
  }
  if (hasTooManyFields(request.rawHeaders)) {
    const message = `The request has more than ${maxFields} header fields. Send fewer.`
    throw new AppError('headers_too_large', message, closing)
  }
  const isAbsolute = !url.startsWith('/') && !(url === '*' && request.method === 'OPTIONS')
  if (isAbsolute) {
    // Absolute form (RFC 9112, section 3.2.2): its authority wins over the Host field.
    const target = /^https?:\/\/([^/?#]+)(.*)$/i.exec(url)
    if (!target) throw new AppError('invalid_request', 'The request target is not a path.')
    head.host = hostName(target[1] as string)
    url = target[2]?.startsWith('/') ? target[2] : `/${target[2]}`
    request.url = url
  }
  if (head.hosts > 1 || (head.hosts === 0 && request.httpVersion !== '1.0')) {
    throw new AppError('invalid_request', 'Send exactly one Host field (RFC 9112, section 3.2).')
  }
  if (head.host === undefined && (isAbsolute || head.hosts === 1)) {
    const message = `The host is neither a name of at most ${maxHostLength} characters nor an IP address.`
    throw new AppError('invalid_request', message, closing)
  }
  if (head.transferCoding !== undefined && !/^chunked$/i.test(head.transferCoding)) {
    throw new AppError('invalid_request', 'Transfer-Encoding may be chunked, and nothing else.')
  }
}

/** Whether there are more than `maxFields` fields. HTTP/2 may split Cookie into many, which count as one. */
export function hasTooManyFields(raw: readonly string[]): boolean {
  if (raw.length <= 2 * maxFields) return false
  let count = 0
  let hasCookie = false
  for (let i = 0; i < raw.length; i += 2) {
    const isCookie = raw[i]?.toLowerCase() === 'cookie'
    if (!isCookie || !hasCookie) count++
    hasCookie ||= isCookie
  }
  return count > maxFields
}

let lastAuthority = ''
let lastHost: string | undefined = ''

/** Several fields of one name are one list (RFC 9110, section 5.3). */
function join(before: string | undefined, value: string): string {
  return before === undefined ? value : `${before}, ${value}`
}

// Unique without system randomness for each request.
const prefix = crypto.randomUUID().slice(0, 13).replace('-', '')
let count = 0

/** Generates a request id. */
export function nextRequestId(): string {
  return `${prefix}-${(++count).toString(36)}`
}

/** Of a domain name (RFC 1035, section 2.3.4), in characters without the dot at its end. */
export const maxHostLength = 253
/** A host with the dot at its end, a colon and a port. */
const maxAuthorityLength = maxHostLength + 7

const nameForm = /^[a-z0-9._-]*$/
const portForm = /^(?::\d{0,5})?$/

/**
 * The host of a Host field or an authority (RFC 9112, section 3.2): lower case, without port and trailing dot. Empty
 * if the field is empty. Undefined if it is neither a name of at most 253 characters nor an IP literal.
 */
export function hostName(authority: string): string | undefined {
  if (authority.length > maxAuthorityLength) return undefined
  const isLiteral = authority.startsWith('[')
  const end = isLiteral ? authority.indexOf(']') + 1 : authority.indexOf(':')
  const host = end > 0 ? authority.slice(0, end) : authority
  if (end > 0 && end < authority.length && !portForm.test(authority.slice(end))) return undefined
  const lower = host.toLowerCase()
  if (isLiteral) return end > 0 && isIPv6(lower.slice(1, -1)) ? lower : undefined
  if (!nameForm.test(lower)) return undefined
  const name = lower.endsWith('.') ? lower.slice(0, -1) : lower
  return name.length <= maxHostLength ? name : undefined
}

/** Undefined for another scheme, and for what is no token. */
export function readBearer(authorization: string): string | undefined {
  return /^bearer +([\w.~+/-]+=*) *$/i.exec(authorization)?.[1]
}

/** The values of the cookies with this name in a Cookie header: other sites below the same domain can set it, too. */
export function cookiesNamed(field: string | undefined, name: string): string[] {
  const pairs = (field ?? '').split(';').map((pair) => pair.trim())
  return pairs
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
}

/** The media type of the body, without its parameters; empty where there is none. */
export function mediaTypeOf(headers: IncomingHttpHeaders): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

/** The encoding that the body's type names, if it is any but UTF-8 (RFC 8259, section 8.1), in JSON's quotation marks. */
export function otherCharsetOf(headers: IncomingHttpHeaders): string | undefined {
  const named = (headers['content-type'] ?? '').matchAll(/;\s*charset\s*=\s*"?([^";\s]*)/gi)
  const other = [...named].find(([, charset = '']) => !/^(utf-8|us-ascii)$/i.test(charset))
  return other && quote(other[1] ?? '')
}
