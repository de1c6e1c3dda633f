// One request at a time to a server under test: to see that it is ready, to check its bytes, and
// to walk its pages. Never part of what is measured.

import { Agent, request } from 'node:http'
import { createServer } from 'node:net'

export interface Answer {
  status: number
  /** As on the wire: name, value, name, value. */
  rawHeaders: string[]
  header(name: string): string | undefined
  body: string
}

export interface Address {
  port: number
  headers: Record<string, string>
}

interface Asked {
  method?: string
  body?: string
  /** The media type of the body. */
  type?: string
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 })

export function ask(
  address: Address,
  path: string,
  { method = 'GET', body, type = 'application/json' }: Asked = {},
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const json = body === undefined ? {} : { 'Content-Type': type }
  const outgoing = request(
    {
      agent,
      host: '127.0.0.1',
      port: address.port,
      method,
      path,
      headers: { ...address.headers, ...json },
      timeout: 30_000,
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
  outgoing.on('timeout', () => outgoing.destroy(new Error(`${method} ${path} took over 30 s`)))
  outgoing.on('error', reject)
  outgoing.end(body)
  return promise
}

/** Path and query of the page that `Link: <…>; rel="next"` names; undefined on the last page. */
export function nextPage(link: string | undefined): string | undefined {
  const match = /<([^>]+)>\s*;[^,]*\brel="?next"?/.exec(link ?? '')
  if (match?.[1] === undefined) return undefined
  const { pathname, search } = new URL(match[1], 'http://localhost')
  return pathname + search
}

export async function findFreePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}
