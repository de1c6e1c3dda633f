// Does a request for a host really arrive here? A nonce is fetched from the host's own address, and whoever
// has our key answers with its signature: any node of ours, and nobody else.
import { randomBytes } from 'node:crypto'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { PortByAddress } from '../../platform/http/address-port.ts'
import { sendOnce } from '../../platform/http/answer.ts'
import type { Handler } from '../../platform/http/listener.ts'
import { isPublicAddress } from '../../platform/http/public-address.ts'
import type { Secrets } from '../../platform/secrets.ts'
import type { Probe } from './evidence.ts'

/** What follows is a nonce. Answered on every host, known or not. */
export const probePath = '/.well-known/animal-store/'

const purpose = 'domain probe'
const nonceForm = /^[A-Za-z0-9_-]{22}$/
const withinMs = 2500
const mostBytes = 4096
const mostRedirects = 5

/** Answers probes, ours or other nodes'. */
export function answerProbe(secrets: Secrets): Handler {
  return (request, response) => {
    const nonce = (request.url as string).slice(probePath.length)
    const body = nonceForm.test(nonce) ? secrets.sign(nonce, purpose) : undefined
    const headers = ['Cache-Control', 'no-store', 'Content-Type', 'text/plain; charset=utf-8']
    if (body === undefined) return sendOnce(request, response, 404, headers.slice(0, 2), undefined)
    response.writeHead(200, [
      ...headers,
      'Content-Length',
      `${body.length}`,
      'X-Content-Type-Options',
      'nosniff',
      'X-Request-Id',
      request.head.requestId,
    ])
    response.end(request.method === 'HEAD' ? undefined : body)
  }
}

/**
 * Fetches a nonce from `host` at one of its addresses. Only public addresses are asked, on port 80, and those
 * that `ports` names. Takes 2.5 s at most; never throws.
 */
export async function probe(
  host: string,
  address: string,
  secrets: Secrets,
  ports: PortByAddress,
): Promise<Probe> {
  const port = ports.portOf(address) ?? (isPublicAddress(address) ? 80 : undefined)
  if (port === undefined) {
    return { address, outcome: { kind: 'not asked', reason: 'it is no public address' } }
  }
  const nonce = randomBytes(16).toString('base64url')
  const signal = AbortSignal.timeout(withinMs)
  const seen = new Set<string>()
  let path = probePath + nonce
  let server: string | undefined
  try {
    for (let hops = 0; hops <= mostRedirects; hops++) {
      seen.add(path)
      const answer = await get(host, address, port, path, signal)
      const { location } = answer
      server = answer.server
      const next =
        answer.status >= 300 && answer.status < 400 ? sameHost(location, host) : undefined
      if (next === undefined) return { address, outcome: judge(answer, nonce, secrets) }
      if (seen.has(next)) break
      path = next
    }
    const round = { kind: 'redirect loop' as const, location: `http://${host}${path}` }
    return { address, outcome: server === undefined ? round : { ...round, server } }
  } catch (error) {
    return { address, outcome: { kind: 'no answer', reason: reasonOf(error, signal) } }
  }
}

interface Answer {
  status: number
  location: string | undefined
  server: string | undefined
  platform: string | undefined
  body: string
}

function judge(answer: Answer, nonce: string, secrets: Secrets): Probe['outcome'] {
  const { body, location, platform, server, status } = answer
  if (status === 200 && secrets.isSigned(nonce, purpose, body.trim())) {
    return { kind: 'ours', ...(server === undefined ? {} : { server }) }
  }
  const other = { kind: 'other' as const, status, server, platform }
  const to = short(location)
  return to === undefined ? other : { ...other, location: to }
}

/** Where a redirect leads on the same host, by plain HTTP; undefined when it leads elsewhere. */
function sameHost(location: string | undefined, host: string): string | undefined {
  const url = location === undefined ? null : URL.parse(location, `http://${host}/`)
  if (!url || url.hostname !== host || url.protocol !== 'http:') return undefined
  return url.pathname + url.search
}

function get(
  host: string,
  address: string,
  port: number,
  path: string,
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      host: address,
      family: isIP(address),
      port,
      path,
      agent: false,
      signal,
      maxHeaderSize: 16_384,
      headers: { host, 'user-agent': 'Animal-Store-Check', accept: '*/*' },
    })
    request.on('error', reject)
    request.on('response', (response) => {
      readBody(response).then((body) => {
        const { headers, statusCode: status = 0 } = response
        const { location, server } = headers
        resolve({
          status,
          location,
          server: short([server].flat()[0]),
          platform: platformOf(headers),
          body,
        })
        request.destroy()
      }, reject)
    })
    request.end()
  })
}

async function readBody(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response.setEncoding('latin1')) {
    text += chunk
    if (text.length >= mostBytes) break
  }
  return text.slice(0, mostBytes)
}

// Fields by which the platforms that people come from show themselves.
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

function platformOf(headers: IncomingMessage['headers']): string | undefined {
  const known = platformFields.find(([field]) => headers[field] !== undefined)
  if (known) return known[1]
  const said = headers['x-platform']
  return short(Array.isArray(said) ? said[0] : said)
}

function short(text: string | undefined): string | undefined {
  return text?.replaceAll(/[^\x20-\x7e]/g, '').slice(0, 100)
}

function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return `nothing within ${withinMs / 1000} s`
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ECONNREFUSED') return 'the connection was refused'
  if (code === 'ECONNRESET') return 'the connection was cut'
  if (code === 'ENETUNREACH' || code === 'EHOSTUNREACH') return 'there is no way to it from here'
  return String(code ?? 'the answer was no HTTP')
}
