// Many connections at once: silent ones, unknown names, junk. Others are served, and the connections of one sender
// are limited. Also two processes that share only their ticket keys.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { Handler } from '#kit/http/listener/intake.ts'
import { createTicketKeys } from '#kit/http/tls/secure-contexts.ts'
import { get, openFrames } from '../floods/http2-frames.ts'
import { metric } from '../floods/metric.ts'
import { requestText } from '../raw-connection.ts'
import { makeCertificate } from './certificates.ts'
import { ask, handshakeFault, openTcp, openTls, readAll, sessionOf } from './clients.ts'
import { type Edge, type EdgeOptions, edgeForTest } from './started-edge.ts'

const pem = makeCertificate(['a.test'])
const hello: Handler = (_, response) => void response.end('hello')

const begin = (options: EdgeOptions = {}, handler = hello) =>
  edgeForTest(handler, { 'a.test': pem }, options)

it('silent connections of one sender are closed for its next ones', async () => {
  const edge = await begin({ limits: { handshakesOfOne: 20 } })
  const silent: Socket[] = []
  for (let i = 0; i < 50; i++) silent.push(await openTcp(edge.port))
  expect((await ask(edge.port, 'a.test', pem.chain)).text).toBe('hello')
  await Promise.all(silent.slice(0, 31).map((socket) => socket.closed || once(socket, 'close')))
  expect(silent.filter((socket) => !socket.closed)).toHaveLength(19)
})

it('300 unknown names, 300 handshakes and junk at once', async () => {
  const edge = await begin()
  const junk = async (): Promise<string> => {
    const socket = await openTcp(edge.port)
    socket.write(randomBytes(100))
    return await readAll(socket)
  }
  const unknown = Array.from({ length: 300 }, (_, i) => handshakeFault(edge.port, `x${i}.test`))
  const known = Array.from({ length: 300 }, () => ask(edge.port, 'a.test', pem.chain))
  const junkConnections = Array.from({ length: 100 }, junk)
  for (const { text } of await Promise.all(known)) expect(text).toBe('hello')
  expect(new Set(await Promise.all(unknown))).toEqual(new Set(['ERR_SSL_TLSV1_UNRECOGNIZED_NAME']))
  await Promise.all(junkConnections)
  expect(edge.directory.loaded).toBe(1)
})

it.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'a ticket of one process is valid at another: %s',
  async (v) => {
    const secret = randomBytes(32)
    let now = Date.UTC(2027, 0, 1)
    const keysOf = () => createTicketKeys(secret, () => now)
    const [one, two] = [
      await begin({ ticketKeys: keysOf() }),
      await begin({ ticketKeys: keysOf() }),
    ]
    const [tls, stranger] = [{ minVersion: v, maxVersion: v }, await begin()]
    const session = await sessionOf(one.port, 'a.test', pem.chain, tls)
    const isReused = async ({ port }: Edge): Promise<boolean> => {
      const socket = await openTls(port, 'a.test', pem.chain, { ...tls, session })
      onTestFinished(() => void socket.destroy())
      return socket.isSessionReused()
    }
    expect([await isReused(two), await isReused(stranger)]).toEqual([true, false])
    now += 24 * 60 * 60_000
    expect(await isReused(two)).toBe(false)
  },
)

const kilobyte = 1000
const waitingHead = requestText('GET', '/late', { Host: 'a.test', 'X-Long': 'x'.repeat(15_000) })

it.each<[string, (edge: Edge) => Promise<Socket>, string | Buffer]>([
  [
    'responses that were made ahead of their turn',
    ({ plainPort }) => openTcp(plainPort),
    ['/late', '/page', '/page', '/page', '/page']
      .map((path) => requestText('GET', path, { Host: 'a.test' }))
      .join(''),
  ],
  [
    'heads of pipelined requests',
    ({ plainPort }) => openTcp(plainPort),
    waitingHead.repeat(1 + 4 + 20),
  ],
  [
    'heads of HTTP/2 streams',
    ({ port }) => openFrames(port, 'a.test', pem.chain, 0),
    Buffer.concat(
      Array.from({ length: 50 }, (_, i) => get(2 * i + 1, `/late?${'x'.repeat(5000)}`, 'a.test')),
    ),
  ],
])('%s are counted, and bounded for each client network', async (_, open, requests) => {
  // Only what is tested closes anything, on a busy machine, too.
  const endless = { readerChecks: 1e6, headersTimeoutMs: 1e6, stalledTimeoutMs: 1e6 }
  const unlimited = { heldBytesOfClient: 1e9, heldBytes: 1e9, readerCheckMs: 10, ...endless }
  const edge = await begin({ plain: unlimited }, ({ url }, response) => {
    if (url === '/page') response.end(Buffer.alloc(60 * kilobyte))
  })
  for (let i = 0; i < 4; i++) {
    const socket = await open(edge)
    socket.on('error', () => {}).resume()
    onTestFinished(() => void socket.destroy())
    socket.write(requests)
  }
  const held = () => metric(edge, 'animal_store_held_response_bytes')
  await vi.waitFor(async () => expect(await held()).toBeGreaterThan(4 * 230 * kilobyte), 10_000)
  const heldBytesOfClient = 700 * kilobyte
  Object.assign(edge.listener.intake.limits, { heldBytesOfClient })
  await vi.waitFor(async () => expect(await held()).toBeLessThanOrEqual(heldBytesOfClient), 10_000)
  expect(edge.listener.connections.size).toBeGreaterThan(0)
})
