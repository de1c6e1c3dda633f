// What one address of a host shows to a request: a file as a certificate authority fetches it, with redirects
// on the same host followed; a nonce, whose signature only our nodes have the key for, so that it shows whether
// requests reach us; the certificate of an ordinary TLS handshake; and, at our own addresses, all that visitors will meet,
// whatever DNS says. Only public addresses and those in the configuration are contacted, for some seconds each, and what
// they answer is untrusted.

import { randomBytes } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { PeerCertificate } from 'node:tls'
import { type CertificateFacts, noIpv6, type Probe } from '#doctor/evidence.ts'
import type { Config } from '#kit/config/config.ts'
import type { Handler } from '#kit/http/listener/intake.ts'
import { sendOnce } from '#kit/http/response/send-response.ts'
import { isPublicAddress, type PortByAddress, portByAddress } from '#kit/network/addresses.ts'
import {
  type HttpResponse,
  type RequestError,
  type RequestOptions,
  type ResponseHead,
  sendRequest,
  shakeHands,
  urlOfAddress,
} from '#kit/network/http-client.ts'
import type { Secrets } from '#kit/secrets.ts'

const withinMs = 2500
const maxBytes = 4096
const maxRedirects = 10

interface FetchedAnswer {
  kind: 'answer'
  status: number
  location: string | undefined
  /** The header of that name. */
  server: string | undefined
  /** Headers that identify other hosting platforms. */
  platform: string | undefined
  /** The first 4,096 bytes, as Latin-1. */
  body: string
}

export type Fetched =
  | FetchedAnswer
  | (Probe['outcome'] & { kind: 'redirect loop' | 'no answer' | 'not asked' })

/** By which a host may be called by plain HTTP at an address; undefined for an address that must not be called. */
const httpPortOf = (address: string, ports: PortByAddress): number | undefined =>
  ports.portOf(address) ?? (isPublicAddress(address) ? 80 : undefined)

/** A request for a host at one of its addresses, with the start of the response. */
function requestHost(
  host: string,
  url: URL,
  options: Pick<RequestOptions, 'timeoutMs' | 'serverName'> & { maxBytes: number },
): Promise<HttpResponse> {
  const headers = { host, 'user-agent': 'Animal-Store-Check', accept: '*/*' }
  return sendRequest(url, { method: 'GET', headers, oversize: 'truncate', ...options })
}

export interface ProbePorts extends PortByAddress {
  /** For HTTPS at the addresses that have a port of their own; 443 by default. */
  httpsPort?: number | undefined
}

export function probePortsOf({ httpsPort, probeAllow }: Config): ProbePorts {
  return { ...portByAddress(probeAllow, 80), httpsPort }
}

/**
 * As an authority fetches its challenge (RFC 8555, section 8.3): redirects on the host are followed, also to HTTPS with any
 * certificate. `ports`: ports other than 80, by address. `hasIpv6`: of this machine. Takes at most 2.5 s; never throws.
 */
export async function fetchAtAddress(
  host: string,
  address: string,
  file: string,
  ports: ProbePorts,
  hasIpv6 = true,
): Promise<Fetched> {
  const port = httpPortOf(address, ports)
  if (port === undefined) return { kind: 'not asked', reason: 'it is not a public address' }
  const isNamed = ports.portOf(address) !== undefined
  const unasked = { kind: 'not asked', reason: noIpv6 } as const
  if (isIPv6(address) && !hasIpv6 && !isNamed) return unasked
  const securePort = isNamed ? (ports.httpsPort ?? 443) : 443
  const deadline = performance.now() + withinMs
  const seen = new Set<string>()
  let url = new URL(file, `http://${host}`)
  let answer: FetchedAnswer | undefined
  try {
    for (let hops = 0; hops <= maxRedirects; hops++) {
      seen.add(url.href)
      const at = url.protocol === 'https:' ? securePort : port
      answer = await get(host, address, at, url, deadline)
      const isRedirect = answer.status >= 300 && answer.status < 400
      const next = isRedirect ? onHost(answer.location, url) : undefined
      if (next === undefined) return answer
      url = next
      if (seen.has(url.href)) break
    }
    return { kind: 'redirect loop', location: url.href, server: answer?.server }
  } catch (error) {
    const { code } = error as RequestError
    const reason = reasonOf(error as RequestError)
    // The redirect itself came.
    if (answer) return { ...answer, location: `${answer.location}: ${reason}` }
    if (isIPv6(address) && (code === 'ENETUNREACH' || code === 'EHOSTUNREACH')) return unasked
    return { kind: 'no answer', reason }
  }
}

/** The target of a redirect on the same host, at port 80 or 443; undefined for any other target. */
function onHost(location: string | undefined, base: URL): URL | undefined {
  const url = location === undefined ? null : URL.parse(location, base)
  if (!url || url.hostname !== base.hostname || url.port !== '') return undefined
  return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined
}

async function get(
  host: string,
  address: string,
  port: number,
  { pathname, protocol, search }: URL,
  deadline: number,
): Promise<FetchedAnswer> {
  const isSecure = protocol === 'https:'
  const at = urlOfAddress(address, port, pathname + search, isSecure ? 'https' : 'http')
  const { body, headers, status } = await requestHost(host, at, {
    timeoutMs: Math.max(1, deadline - performance.now()),
    maxBytes,
    ...(isSecure && { serverName: host }),
  })
  return {
    kind: 'answer',
    status,
    location: headers.location,
    server: shortText([headers.server].flat()[0]),
    platform: platformOf(headers),
    body: body.toString('latin1'),
  }
}

// Headers that identify other hosting platforms.
const platformFields: [field: string, name: string][] = [
  ['x-github-request-id', 'GitHub Pages'],
  ['x-vercel-id', 'Vercel'],
  ['x-nf-request-id', 'Netlify'],
  ['x-served-by-gitbook', 'GitBook'],
  ['x-rtd-project', 'Read the Docs'],
  ['fly-request-id', 'Fly.io'],
  ['x-amz-cf-id', 'Amazon CloudFront'],
  ['x-shopid', 'Shopify'],
]

function platformOf(headers: ResponseHead['headers']): string | undefined {
  const platformField = platformFields.find(([field]) => headers[field] !== undefined)
  if (platformField) return platformField[1]
  const said = headers['x-platform']
  return shortText(Array.isArray(said) ? said[0] : said)
}

/** Untrusted text of another server, made safe to show. */
function shortText(text: string | undefined, max = 100): string | undefined {
  return text?.replaceAll(/[^\x20-\x7e]/g, '').slice(0, max)
}

function reasonOf({ code, reason }: RequestError): string {
  if (reason === 'timeout') return `no response within ${withinMs / 1000} s`
  if (code === 'ECONNREFUSED') return 'the connection was refused'
  if (code === 'ECONNRESET') return 'the connection was closed'
  if (code === 'ENETUNREACH' || code === 'EHOSTUNREACH') return 'there is no route to it from here'
  return String(code ?? 'the response was not HTTP')
}

/** What follows is a nonce. Answered on every host, known or not. */
export const probePath = '/.well-known/animal-store/'

const purpose = 'domain probe'
const nonceForm = /^[A-Za-z0-9_-]{22}$/

/** Answers probes of this and other nodes. */
export function answerProbe(secrets: Secrets): Handler {
  return (request, response) => {
    const nonce = (request.url as string).slice(probePath.length)
    const body = nonceForm.test(nonce) ? secrets.sign(nonce, purpose) : undefined
    const status = body === undefined ? 404 : 200
    const type = 'text/plain; charset=utf-8'
    sendOnce(request, response, status, ['Cache-Control', 'no-store'], body, type)
  }
}

/**
 * Fetches a nonce from `host` at one of its addresses. Only public addresses are asked, on ports 80 and 443,
 * and those that `ports` names. Takes 2.5 s at most; never throws.
 */
export async function probe(
  host: string,
  address: string,
  secrets: Secrets,
  ports: ProbePorts,
  hasIpv6 = true,
): Promise<Probe> {
  const nonce = randomBytes(16).toString('base64url')
  const fetched = await fetchAtAddress(host, address, probePath + nonce, ports, hasIpv6)
  if (fetched.kind === 'answer') return { address, outcome: judge(fetched, nonce, secrets) }
  return { address, outcome: fetched }
}

function judge(answer: FetchedAnswer, nonce: string, secrets: Secrets): Probe['outcome'] {
  const { body, location, platform, server, status } = answer
  if (status === 200 && secrets.isSigned(nonce, purpose, body.trim())) {
    return { kind: 'platform', server }
  }
  return { kind: 'other', status, server, platform, location: shortText(location, 400) }
}

/**
 * `port`: the HTTPS port of visitors; `named`: addresses allowed besides public ones. Addresses that present no
 * certificate are left out. Takes at most 2.5 s; never throws.
 */
export async function fetchPresentedCertificates(
  host: string,
  addresses: string[],
  port: number,
  named: PortByAddress,
): Promise<CertificateFacts['seen']> {
  const allowed = addresses.filter((address) => httpPortOf(address, named) !== undefined)
  const probes = await Promise.all(
    allowed.map(async (address) => {
      // Browsers decide about trust; this only identifies the certificate.
      const shown = await shakeHands(host, address, port, withinMs)
      const facts = 'certificate' in shown && factsOf(shown.certificate)
      return facts ? [{ address, ...facts }] : []
    }),
  )
  return probes.flat()
}

/** Certificates of other servers are untrusted input. */
function factsOf({ fingerprint256, issuer }: PeerCertificate) {
  // Undefined for a certificate that could not be read.
  return (
    fingerprint256 && {
      fingerprint: fingerprint256.replaceAll(':', '').toLowerCase(),
      issuer: shortText([issuer.O, issuer.CN].flat().find(Boolean)) || 'an issuer without a name',
    }
  )
}

const lookWithinMs = 3000

export type SeenAtAddress = Awaited<ReturnType<typeof requestAtAddress>>

export interface AddressContext {
  secrets: Secrets
  /** Addresses that may be called besides public ones, with their HTTP port. */
  ports: ProbePorts
  /** Where HTTPS is reached: of visitors, then, at addresses in `ports`, of this machine. Empty without HTTPS. */
  httpsPorts: readonly number[]
}

/**
 * `secure` and `plain` are the responses to `GET /` over HTTPS and plain HTTP, undefined without one. `probe`: whether
 * requests by plain HTTP reach one of our nodes. Takes at most 6 s; never throws.
 */
export async function requestAtAddress(host: string, address: string, context: AddressContext) {
  const { ports, secrets } = context
  const httpPort = httpPortOf(address, ports)
  const [secure, plain, { outcome }] = await Promise.all([
    requestAtPorts(host, address, httpsPortsOf(address, context), 'https'),
    requestAtPorts(host, address, httpPort === undefined ? [] : [httpPort], 'http'),
    probe(host, address, secrets, ports),
  ])
  return {
    address,
    secure: secure && {
      ...seenResponse(secure),
      fingerprint: secure.certificate?.fingerprint256?.replaceAll(':', '').toLowerCase() ?? '',
    },
    plain: plain && seenResponse(plain),
    probe: outcome.kind,
  }
}

const seenResponse = ({ headers, status }: HttpResponse) => {
  return { status, location: shortText(headers.location) }
}

/** Where an address may be called over HTTPS: nowhere, unless it is public or the configuration names it. */
export function httpsPortsOf(
  address: string,
  { httpsPorts, ports }: AddressContext,
): readonly number[] {
  if (httpPortOf(address, ports) === undefined) return []
  return isPublicAddress(address) ? httpsPorts.slice(0, 1) : httpsPorts
}

/** At the first port that responds, whatever certificate it has. Undefined without a response; never throws. */
export async function requestAtPorts(
  host: string,
  address: string,
  ports: readonly number[],
  protocol: 'http' | 'https',
): Promise<HttpResponse | undefined> {
  for (const port of ports) {
    try {
      return await requestHost(host, urlOfAddress(address, port, '/', protocol), {
        timeoutMs: lookWithinMs,
        maxBytes: 1024,
        ...(protocol === 'https' && { serverName: host }),
      })
    } catch {}
  }
  return undefined
}
