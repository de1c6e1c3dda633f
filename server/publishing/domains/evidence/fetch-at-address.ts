// A file of a host, fetched by plain HTTP from one of its own addresses, as an authority would: redirects on the
// same host are followed. Only public addresses are asked, and those that the configuration names.
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { PortByAddress } from '../../../platform/network/address-port.ts'
import { isPublicAddress } from '../../../platform/network/public-address.ts'
import type { Probe } from './evidence.ts'

const withinMs = 2500
const maxBytes = 4096
const maxRedirects = 5

export interface FetchedAnswer {
  kind: 'answer'
  status: number
  location: string | undefined
  /** The field of that name. */
  server: string | undefined
  /** Of the platforms that people come from. */
  platform: string | undefined
  /** The first 4,096 bytes, as Latin-1. */
  body: string
}

export type Fetched =
  | FetchedAnswer
  | (Probe['outcome'] & { kind: 'redirect loop' | 'no answer' | 'not asked' })

/** `ports`: where to ask other than on port 80. Takes 2.5 s at most; never throws. */
export async function fetchAtAddress(
  host: string,
  address: string,
  file: string,
  ports: PortByAddress,
): Promise<Fetched> {
  const port = ports.portOf(address) ?? (isPublicAddress(address) ? 80 : undefined)
  if (port === undefined) return { kind: 'not asked', reason: 'it is no public address' }
  const signal = AbortSignal.timeout(withinMs)
  const seen = new Set<string>()
  let path = file
  let server: string | undefined
  try {
    for (let hops = 0; hops <= maxRedirects; hops++) {
      seen.add(path)
      const answer = await get(host, address, port, path, signal)
      const { location } = answer
      server = answer.server
      const next =
        answer.status >= 300 && answer.status < 400 ? sameHost(location, host) : undefined
      if (next === undefined) return answer
      if (seen.has(next)) break
      path = next
    }
    const round = { kind: 'redirect loop' as const, location: `http://${host}${path}` }
    return server === undefined ? round : { ...round, server }
  } catch (error) {
    return { kind: 'no answer', reason: reasonOf(error, signal) }
  }
}

/** Where a redirect leads on the same host, by plain HTTP; undefined when it points elsewhere. */
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
): Promise<FetchedAnswer> {
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
          kind: 'answer',
          status,
          location,
          server: shortText([server].flat()[0]),
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
    if (text.length >= maxBytes) break
  }
  return text.slice(0, maxBytes)
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
  return shortText(Array.isArray(said) ? said[0] : said)
}

/** What somebody else's server says, to be shown. */
export function shortText(text: string | undefined): string | undefined {
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
