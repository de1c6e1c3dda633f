// Sends single requests to a server under test: to wait until it is ready, to check its responses and to
// follow its pages. These requests are never measured.

import { Agent, request } from 'node:http'

export interface HttpResponse {
  status: number
  /** In the order and spelling of the wire: name, value, name, value. */
  rawHeaders: string[]
  header(name: string): string | undefined
  body: string
}

export interface ServerAddress {
  port: number
  /** Sent with every request. */
  headers: Record<string, string>
}

interface RequestOptions {
  method?: string
  body?: string
  /** The media type of the body. */
  type?: string
}

const timeoutMs = 30_000
const agent = new Agent({ keepAlive: true, maxSockets: 16 })

export function sendRequest(
  address: ServerAddress,
  path: string,
  { method = 'GET', body, type = 'application/json' }: RequestOptions = {},
): Promise<HttpResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>()
  const contentType = body === undefined ? {} : { 'Content-Type': type }
  const outgoing = request(
    {
      agent,
      host: '127.0.0.1',
      port: address.port,
      method,
      path,
      headers: { ...address.headers, ...contentType },
      timeout: timeoutMs,
    },
    (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on('end', () =>
        resolve({
          status: incoming.statusCode ?? 0,
          rawHeaders: incoming.rawHeaders,
          header: (name) => incoming.headers[name.toLowerCase()]?.toString(),
          body: Buffer.concat(chunks).toString(),
        }),
      )
    },
  )
  outgoing.on('timeout', () =>
    outgoing.destroy(new Error(`${method} ${path} timed out after ${timeoutMs / 1000} s`)),
  )
  outgoing.on('error', reject)
  outgoing.end(body)
  return promise
}

/** The names of the response's headers in alphabetical order, spelled as on the wire. */
export function headerNames({ rawHeaders }: HttpResponse): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 0).toSorted()
}

/** Path and query of the `rel="next"` link in a `Link` header; undefined on the last page. */
export function findNextPage(link: string | undefined): string | undefined {
  const match = /<([^>]+)>\s*;[^,]*\brel="?next"?/.exec(link ?? '')
  if (match?.[1] === undefined) return undefined
  const { pathname, search } = new URL(match[1], 'http://localhost')
  return pathname + search
}
