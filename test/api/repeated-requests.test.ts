// Plain GETs are answered from their bytes where Node's parser has read the same header block before. The same
// connections, with requests of every kind in chunks of every kind, get the same bytes from a server that does so and from
// one that never does. REPEATED_CONNECTIONS=10000 npm test -- repeated-requests is the long form.

import diagnostics from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { certifiedPort } from '../certified-port.ts'
import { createTestDatabase, engines, type TestDatabase } from '../database.ts'
import { freePort } from '../lab/free-addresses.ts'
import { peopleAt } from '../publishing/publishing-in-test.ts'
import { type RunningStore, startStore } from '../running-store.ts'

const connections = Number(process.env.REPEATED_CONNECTIONS ?? 250)
const api = 'api.repeated.test'
const site = 'docs.sites.repeated.test'
const page = `<!doctype html><title>Docs</title><p>${'A page of the site. '.repeat(60)}</p>`

interface Chunk {
  bytes: Buffer
  /** Of the event loop before the next chunk; undefined to wait for this many responses. */
  turns: number | undefined
  responses: number
}

interface Script {
  first: number
  steps: {
    request: { method: string; target: string; head: number | null }
    chunking: string
    at: number
    turns: number | undefined
  }[]
  /** What comes after the last response. */
  end: string
}

const transports = [
  ...engines.map((engine) => [engine, 'TCP'] as const),
  ['sqlite', 'TLS'] as const,
]

describe.each(cases(transports))('repeated requests on %s over %s', (engine, transport) => {
  let place: TestDatabase
  let withBlocks: RunningStore
  let without: RunningStore
  let etag: string
  /** The path of an animal. */
  let pet: string
  /** Requests that Node has parsed, by port. */
  const parsed = new Map<number, number>()
  const count = (message: unknown): void => {
    const { socket } = message as { socket: Socket }
    const port = socket.localPort ?? 0
    parsed.set(port, (parsed.get(port) ?? 0) + 1)
  }

  beforeAll(async () => {
    place = await createTestDatabase(engine)
    const port = await freePort()
    const env = {
      HTTP_PORT: `${port}`,
      HTTPS_PORT: transport === 'TLS' ? '0' : 'off',
      BASE_URL: `${transport === 'TLS' ? 'https' : 'http'}://${api}/v1`,
      STAGING_BASE_URL: 'http://staging.repeated.test/v1',
      DASHBOARD_URL: `http://localhost:${port}`,
      PLATFORM_HOST: 'sites.repeated.test',
    }
    withBlocks = await startStore(engine, { place, env })
    const { operator } = await peopleAt(port, withBlocks.setUpToken ?? '')
    await operator.create('docs')
    await operator.deployFolder('docs', { 'index.html': page, 'a.css': 'a{}', 'b.bin': 'x' })
    for (const name of ['Rex', 'Zoë', '猫']) {
      const { json } = await withBlocks.ask('/pets', { body: { name, categoryId: 1 } })
      pet = `/v1/pets/${(json as { id: number }).id}`
    }
    etag = (await withBlocks.ask('/pets?limit=2')).headers.etag ?? ''
    without = await startStore(engine, {
      place,
      env: { ...env, HTTP_PORT: '0' },
      limits: { repeatedBlockBytes: 0 },
    })
    for (const { config } of [withBlocks.running, without.running]) {
      if (transport === 'TLS') await certifiedPort(config.httpsPort, [api, site])
    }
    diagnostics.subscribe('http.server.request.start', count)
  })
  afterAll(async () => {
    diagnostics.unsubscribe('http.server.request.start', count)
    await withBlocks.release()
    await without.release()
    await place.release()
  })

  it('get the same bytes as every request does', async () => {
    const { production } = withBlocks.keys
    const key = `Authorization: Bearer ${production}\r\n`
    const heads = [
      `Host: ${api}\r\n${key}`,
      `Host: ${api}\r\n${key}Accept-Encoding: gzip, br\r\nUser-Agent: a\r\n`,
      `Host: ${api}\r\n${key}If-None-Match: ${etag}\r\n`,
      `Host: ${api}\r\n${key}X-Request-Id: mine-1\r\n`,
      `Host: ${site}\r\n`,
      `Host: ${site}\r\nAccept-Encoding: br\r\n`,
      `Host: ${api}\r\n${key}Accept: text/html\r\n`,
      `Host: ${api}\r\n${key}Prefer: count=exact\r\n`,
      `Host: ${api}\r\n${key}Origin: http://a.example\r\n`,
      `Host: ${api}\r\n${key}Upgrade: h2c\r\n`,
      `Host: ${api}\r\nAuthorization: Bearer as_live_none\r\n`,
      `Host: ${api}\r\n`,
      `Host: ${site}\r\nRange: bytes=0-9\r\n`,
      `Host: unknown.test\r\n`,
      `Host: ${api}\r\nHost: ${site}\r\n`,
      `Host: ${site}\r\n${'X-Field: a\r\n'.repeat(110)}`,
      `Host: ${site}\r\nX-Long: ${'a'.repeat(5000)}\r\n`,
      `Host: ${site}\r\nContent-Length: 3\r\n`,
      `Host: ${site}\r\nTransfer-Encoding: chunked\r\n`,
      `Host: ${site}\r\nConnection: close\r\n`,
      `Host: ${site}\r\nExpect: 200-ok\r\n`,
      `Host: ${site}\r\nX-Folded: a\r\n b\r\n`,
      `Host : ${site}\r\n`,
      `host:${site}\r\nCONNECTION: Keep-Alive\r\n`,
      '',
    ]
    const targets = [
      ...[
        '/v1/pets?limit=2',
        '/v1/pets?limit=2',
        '/v1/pets?limit=1&status=sold',
        pet,
        '/v1/pets/2',
      ],
      ...['/v1/pets/404', '/v1/pets?limit=0', '/v1/pets?cursor=x', '/v1/openapi.json', '/', '/'],
      ...['/a.css', '/index.html', '/b.bin?x', '/missing', '/%zz', '/a#b', '/\u00e9', '//'],
      ...[`http://${site}/`, `/${'a'.repeat(9000)}`],
    ]
    const methods = [...Array(20).fill('GET'), 'HEAD', 'OPTIONS', 'POST']
    const bodies = { 'Content-Length': 'abc', 'Transfer-Encoding': '3\r\nabc\r\n0\r\n\r\n' }
    const malformed = [
      ...['PRI * HTTP/2.0', 'get / HTTP/1.1', 'GET  / HTTP/1.1', 'GET /a b HTTP/1.1'],
      ...['GET / HTTP/3.0', 'GET / HTTP/1.1\n', 'GET /\u0000 HTTP/1.1', 'CONNECT a:1 HTTP/1.1'],
      ...[' GET / HTTP/1.1', ''],
    ]

    // The first six may be repeated.
    const anyHead = fc.oneof({ weight: 3, arbitrary: fc.nat(5) }, fc.nat(heads.length - 1))
    const request = fc.record({
      method: fc.constantFrom(...methods),
      target: fc.constantFrom(...targets),
      // Most requests of a connection have the header block of the one before.
      head: fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, anyHead),
    })
    const chunking = fc.constantFrom(...Array(60).fill('whole'), 'cut', 'cut', 'joined', 'bytes')
    const step = fc.record({
      request,
      chunking,
      at: fc.nat(400),
      turns: fc.constantFrom(0, 3, ...Array(8).fill(undefined)),
    })
    const script = fc.record({
      first: anyHead,
      steps: fc.array(step, { minLength: 10, maxLength: 40, size: 'max' }),
      end: fc.constantFrom('half-closed', 'close', ...malformed),
    })

    function chunksOf({ first, steps }: Script): Chunk[] {
      let current = heads[first] as string
      let waiting = Buffer.alloc(0)
      let responses = 0
      const chunks: Chunk[] = []
      const add = (bytes: Buffer, turns: number | undefined): void => {
        if (bytes.length > 0) chunks.push({ bytes, turns, responses })
      }
      for (const { at, chunking, request, turns } of steps) {
        const { head, method, target } = request
        if (head !== null) current = heads[head] as string
        const line = `${method} ${target} HTTP/1.1\r\n`
        const body = Object.entries(bodies).find(([name]) => current.includes(name))?.[1] ?? ''
        waiting = Buffer.concat([waiting, Buffer.from(`${line}${current}\r\n${body}`, 'latin1')])
        responses++
        if (chunking === 'joined') continue
        const cut = chunking === 'whole' ? 0 : at % waiting.length
        if (chunking === 'cut') add(waiting.subarray(0, cut), 3)
        else for (const byte of waiting.subarray(0, cut)) add(Buffer.of(byte), 0)
        add(waiting.subarray(cut), turns)
        waiting = Buffer.alloc(0)
      }
      add(waiting, 0)
      return chunks
    }

    await fc.assert(
      fc.asyncProperty(script, async (given) => {
        const chunks = chunksOf(given)
        const [a, b] = await Promise.all(
          [withBlocks, without].map((store) => talk(store, chunks, given.end, transport)),
        )
        expect(a).toBe(b)
      }),
      { numRuns: connections, endOnFailure: true },
    )
    const [here, there] = [withBlocks, without].map(
      ({ running }) => parsed.get(portOf(running, transport)) ?? 0,
    ) as [number, number]
    // Many were answered from their bytes: how many depends on the scripts.
    expect(there - here).toBeGreaterThan(connections / (transport === 'TLS' ? 12 : 6))
  })

  it('are no bodies of other requests', async () => {
    const block = `Host: ${api}\r\nAuthorization: Bearer ${withBlocks.keys.production}\r\n`
    const repeated = `GET ${pet} HTTP/1.1\r\n${block}\r\n`
    const length = `Content-Length: ${repeated.length}\r\n`
    const parts = [repeated, repeated, `POST /v1/pets HTTP/1.1\r\n${block}${length}\r\n`, repeated]
    const chunks = parts.map((part, i) => {
      // The last of them is the body of the third, which is refused before it comes.
      return { bytes: Buffer.from(part), turns: i === 3 ? 20 : undefined, responses: i + 1 }
    })
    const [text, expected] = await Promise.all(
      [withBlocks, without].map((store) => talk(store, chunks, 'close', transport)),
    )
    expect(text).toBe(expected)
    expect(text?.match(/HTTP\/1.1 \d+/g)).toEqual(
      // The last one is for another host, for which a connection with TLS is not.
      ['200', '200', '415', transport === 'TLS' ? '421' : '200'].map(
        (status) => `HTTP/1.1 ${status}`,
      ),
    )
  })
})

const last = `GET / HTTP/1.1\r\nHost: ${site}\r\nX-Request-Id: the-last-one\r\n`

/** Everything that a connection gets, without dates and generated ids. */
async function talk(
  { running }: RunningStore,
  chunks: Chunk[],
  end: string,
  transport: string,
): Promise<string> {
  const to = { port: portOf(running, transport), host: '127.0.0.1', noDelay: true }
  const isSecure = transport === 'TLS'
  const socket = isSecure
    ? connectTls({ ...to, servername: firstHost(chunks), rejectUnauthorized: false })
    : connect(to)
  let text = ''
  socket.setEncoding('latin1').on('data', (part) => {
    text += part
  })
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  await once(socket, isSecure ? 'secureConnect' : 'connect')
  for (const { bytes, responses, turns } of chunks) {
    if (!socket.writable) break
    socket.write(bytes)
    for (let i = 0; i < (turns ?? 0); i++) await turn()
    if (turns === undefined) {
      const isAnswered = () => text.split('HTTP/1.1 ').length > responses
      await Promise.race([closed, seen(socket, isAnswered)])
    }
  }
  if (socket.writable) socket.write(`${last}${end === 'close' ? 'Connection: close\r\n' : ''}\r\n`)
  await Promise.race([closed, seen(socket, () => text.includes('the-last-one'))])
  if (end === 'half-closed') socket.end()
  else if (end !== 'close' && socket.writable) socket.end(`${end}\r\nHost: ${site}\r\n\r\n`)
  await closed
  return text
    .replace(/^Date: .*\r\n/gm, '')
    .replace(/^X-Request-Id: [0-9a-f]{12}-\w+\r\n/gm, '')
    .replace(/"requestId":"[0-9a-f]{12}-\w+"/g, '')
}

async function seen(socket: Socket, isSeen: () => boolean): Promise<void> {
  while (!isSeen()) await new Promise<void>((resolve) => socket.once('data', () => resolve()))
}

/** Over TLS, a connection is for one of the hosts. */
function firstHost(chunks: Chunk[]): string {
  const text = chunks.map(({ bytes }) => bytes.toString('latin1')).join('')
  return /^Host: (\S+)/m.exec(text)?.[1] === api ? api : site
}

function portOf({ config }: RunningStore['running'], transport: string): number {
  return (transport === 'TLS' ? config.httpsPort : config.httpPort) ?? 0
}
