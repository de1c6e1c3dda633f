// Clients that request much and read nothing. What the process holds for them is what its gauge says, and bounded.
// When they close, nothing is done for a response that nobody can get: what is counted are requests that were handled,
// and reads.
// In npm test: test/faults/slow-clients.test.ts.
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type ClientHttp2Stream, constants } from 'node:http2'
import type { Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Handler } from '#kit/http/listener/intake.ts'
import { makeCertificate } from '../edge/certificates.ts'
import { askHttp2, closed, openHttp2, openTcp, openTls } from '../edge/clients.ts'
import { type Edge, type EdgeOptions, edgeForTest } from '../edge/started-edge.ts'
import { until } from '../eventually.ts'
import { openRaw, requestText } from '../raw-connection.ts'
import { countReads } from '../sites/counted-reads.ts'
import { servePublishedSites, servingSites, sites } from '../sites/published-site.ts'
import { get, openFrames, windowUpdate } from './http2-frames.ts'
import { metric } from './metric.ts'

const megabyte = 1024 * 1024
const pem = makeCertificate(['a.test'])
const text = (path: string): string => requestText('GET', path, { Host: 'a.test' })

const begin = (handler: Handler, options?: EdgeOptions) =>
  edgeForTest(handler, { 'a.test': pem }, options)
const openUnread = async (port: number, localAddress?: string) =>
  (await openTcp(port, localAddress)).pause()

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Of what is not garbage. */
async function externalBytes(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    await new Promise((done) => setImmediate(done))
    collectGarbage()
  }
  return process.memoryUsage().external
}

const openWindow = 2 ** 31 - 1
const streams = (path: string): Buffer =>
  Buffer.concat(Array.from({ length: 100 }, (_, i) => get(2 * i + 3, path, 'a.test')))

interface Transport {
  open(edge: Edge, localAddress: string): Promise<Socket>
  first(socket: Socket): void
  ask(socket: Socket, path: string): void
}
const http1 = {
  first: (socket: Socket) => void socket.write(text('/small.txt')),
  ask: (socket: Socket, path: string) => void socket.write(text(path).repeat(4)),
}
const openHttp2Frames =
  (windowBytes: number): Transport['open'] =>
  (edge, localAddress) =>
    openFrames(edge.port, 'a.test', pem.chain, windowBytes, localAddress)
const http2 = {
  first: (socket: Socket) => void socket.write(get(1, '/small.txt', 'a.test')),
}
const transports = {
  plain: { open: (edge, address) => openUnread(edge.plainPort, address), ...http1 },
  tls: {
    open: (edge, localAddress) => openTls(edge.port, 'a.test', pem.chain, { localAddress }),
    ...http1,
  },
  'HTTP/2 without a window': {
    open: openHttp2Frames(0),
    ...http2,
    ask: (socket, path) => void socket.resume().write(streams(path)),
  },
  'HTTP/2 with an open window': {
    open: openHttp2Frames(openWindow),
    ...http2,
    ask(socket, path) {
      socket.write(windowUpdate(0, openWindow - 65_535))
      socket.write(streams(path))
    },
  },
} satisfies Record<string, Transport>

describe('what is held for clients of eight addresses that do not read', () => {
  const count = 32
  /** The buffers of what was read last. */
  const lastRead = count * 64 * 1024

  // For all cases: of the last case's sites, some may be held while the next one measures.
  servingSites('sqlite', () =>
    sites.publish('docs', {
      'small.txt': 'small',
      'page.html': 'x'.repeat(50_000),
      '4.bin': Buffer.alloc(4 * megabyte, 'xyz'),
      '12.bin': Buffer.alloc(12 * megabyte, 'xyz'),
    }),
  )

  // KB of a connection, at least, and the part that external memory leaves out, because OpenSSL holds it.
  it.each<[keyof typeof transports, string, number, number]>([
    ['plain', '/12.bin', 1000, 0],
    ['tls', '/4.bin', 1000, 0.6],
    ['HTTP/2 without a window', '/page', 500, 0],
    ['HTTP/2 without a window', '/4.bin', 500, 0],
    ['HTTP/2 without a window', '/12.bin', 500, 0],
    ['HTTP/2 with an open window', '/4.bin', 500, 0.3],
  ])('%s, %s: is what the gauge says, and within the limits', async (name, path, least, other) => {
    const { ask, first, open }: Transport = transports[name]
    const unlimited = { readerChecks: 100_000, heldBytesOfClient: 1e9, heldBytes: 1e9 }
    const edge = await begin((...exchange) => sites.handler(...exchange), {
      plain: { readerCheckMs: 100, stalledTimeoutMs: 1e6, ...unlimited },
    })
    const session = await openHttp2(edge.port, 'a.test', pem.chain)
    // Both are in memory then, and 12.bin is not.
    for (const cached of ['/page', '/4.bin'])
      await askHttp2(session, { ':path': cached, ':authority': 'a.test' })
    const end = closed(session)
    session.destroy()
    // What it has received is held until then.
    await end
    await untilClosed(edge)
    const sockets: Socket[] = []
    for (let i = 0; i < count; i++) {
      const socket = await open(edge, `127.0.0.${2 + (i % 8)}`)
      socket.on('error', () => {})
      onTestFinished(() => void socket.destroy())
      first(socket)
      await once(socket.pause(), 'readable')
      sockets.push(socket)
    }
    // With TLS.
    const before = await externalBytes()
    for (const socket of sockets) ask(socket, path)
    const gauge = () => metric(edge, 'animal_store_held_response_bytes')
    await vi.waitFor(async () => {
      const held = await gauge()
      expect(held).toBeGreaterThan(count * least * 1000)
      const external = (await externalBytes()) - before
      expect(external).toBeLessThan(1.1 * held + lastRead)
      expect(external).toBeGreaterThan((0.9 - other) * held - lastRead)
    }, 100_000)
    const heldBytes = 12 * least * 1000
    Object.assign(edge.listener.intake.limits, { heldBytes, heldBytesOfClient: heldBytes / 6 })
    await vi.waitFor(async () => {
      expect(await gauge()).toBeLessThanOrEqual(heldBytes)
      expect((await externalBytes()) - before).toBeLessThan(1.1 * heldBytes + lastRead)
    }, 100_000)
    expect(edge.listener.connections.size).toBeGreaterThan(0)
    for (const socket of sockets) socket.destroy()
    await untilClosed(edge)
    expect(await gauge()).toBe(0)
  })
})

describe.each([0.5, 1, 3, 8, 12])('a file of %s MB', (megabytes) => {
  async function serve() {
    const reads = countReads()
    const sites = await servePublishedSites('sqlite', { between: reads.between })
    onTestFinished(() => sites.release())
    await sites.publish('docs', { 'a.bin': Buffer.alloc(megabytes * megabyte, 'xyz') })
    let handled = 0
    const edge = await begin((request, response) => {
      handled++
      sites.handler(request, response)
    })
    const served = async (): Promise<number> => {
      const name = 'animal_store_requests_total'
      const shown = await sites.metrics.registry.getSingleMetricAsString(name)
      return Number(/status="200"} (\d+)/.exec(shown)?.[1] ?? 0)
    }
    return { edge, handled: () => handled, reads, served }
  }

  it('is not sent to ten connections that asked 500 times each and closed', async () => {
    const { edge, handled, reads } = await serve()
    const sockets: Socket[] = []
    for (let i = 0; i < 10; i++) {
      const socket = await openUnread(edge.plainPort)
      socket.write(text('/a.bin').repeat(500))
      // The response has begun.
      await once(socket, 'readable')
      sockets.push(socket)
    }
    const before = handled()
    const bytesBefore = sum(reads.contents)
    for (const socket of sockets) socket.destroy()
    await untilClosed(edge)
    // Small files may have been sent to some connections, so that further requests were handled.
    expect(before).toBeLessThan(10 * 20)
    expect(handled() - before).toBeLessThanOrEqual(10 * 5)
    expect(sum(reads.contents) - bytesBefore).toBeLessThanOrEqual(10 * megabyte)
    expect(await metric(edge, 'animal_store_waiting_requests')).toBe(0)
  })

  it('is not read for 100 streams of ten connections that closed', async () => {
    const { edge, reads } = await serve()
    const sessions = await Promise.all(
      Array.from({ length: 10 }, () => openHttp2(edge.port, 'a.test', pem.chain)),
    )
    for (const session of sessions) {
      const streams = Array.from({ length: 100 }, () =>
        session.request({ ':path': '/a.bin', ':authority': 'a.test' }),
      )
      for (const stream of streams) stream.on('error', () => {}).pause()
      await once(streams[0] as ClientHttp2Stream, 'response')
    }
    const bytesBefore = sum(reads.contents)
    const ends = sessions.map(closed)
    const copied = countCopiedBytes()
    for (const session of sessions) session.destroy()
    await Promise.all(ends)
    await untilClosed(edge)
    expect(sum(reads.contents) - bytesBefore).toBeLessThanOrEqual(10 * megabyte)
    // One piece of each response that was being sent; 1,000 were asked for.
    expect(copied()).toBeLessThanOrEqual(10 * 8 * megabyte)
    expect(await metric(edge, 'animal_store_waiting_requests')).toBe(0)
  })
})

describe('pipelined requests', () => {
  it('beyond a few are not handled before their turn, and no more are read', async () => {
    const handled: ServerResponse[] = []
    const edge = await begin((_, response) => void handled.push(response))
    const socket = await openUnread(edge.plainPort)
    socket.write(text('/').repeat(100_000))
    for (let i = 0; i < 50; i++) await exchange(edge)
    expect(handled).toHaveLength(1 + 4)
    const waiting = await metric(edge, 'animal_store_waiting_requests')
    // What one read of the socket brought: 64 KiB.
    expect(waiting).toBeGreaterThan(100)
    expect(waiting).toBeLessThan(2 * 2_048)
    const end = closed(socket)
    socket.resetAndDestroy()
    await end
    // Nothing is read from the connection: that it is closed shows when something is written.
    handled[0]?.end('late')
    await untilClosed(edge)
    expect(handled.length).toBeLessThanOrEqual(1 + 4 + 1)
    expect(await metric(edge, 'animal_store_waiting_requests')).toBe(0)
  })

  it('that wait cost no error each when their connection closes', async () => {
    const edge = await begin(() => {})
    const socket = await openUnread(edge.plainPort)
    socket.write(text('/').repeat(60))
    for (let i = 0; i < 50; i++) await exchange(edge)
    expect(await metric(edge, 'animal_store_waiting_requests')).toBe(55)
    const aborted = countAborted()
    socket.destroy()
    await untilClosed(edge)
    expect(aborted()).toBeGreaterThan(0)
    expect(aborted()).toBeLessThanOrEqual(1 + 4)
  })

  it('are answered in order, however many', async () => {
    const edge = await begin(({ url }, response) => {
      response.writeHead(200, ['Content-Length', `${url?.length}`])
      setImmediate(() => response.end(url))
    })
    const connection = await openRaw(edge.plainPort)
    onTestFinished(() => connection.close())
    const paths = Array.from({ length: 5_000 }, (_, i) => `/${i}`)
    connection.write(paths.map(text).join(''))
    const answered: (string | undefined)[] = []
    for (const _ of paths) answered.push((await connection.response())?.text)
    expect(answered).toEqual(paths)
    expect(await metric(edge, 'animal_store_waiting_requests')).toBe(0)
  })

  it('of one client network are bounded on all its connections', async () => {
    const edge = await begin(() => {}, { plain: { waitingOfClient: 300 } })
    const sockets: Socket[] = []
    for (let i = 0; i < 5; i++) {
      const socket = await openUnread(edge.plainPort)
      sockets.push(socket)
      socket.resume().write(text('/').repeat(100))
    }
    await Promise.all(sockets.slice(3, 5).map((socket) => socket.closed || once(socket, 'close')))
    expect(await metric(edge, 'animal_store_waiting_requests')).toBe(3 * 95)
    expect(sockets.slice(0, 3).map(({ closed }) => closed)).toEqual([false, false, false])
  })
})

it('HTTP/2 streams of one client network are bounded, and those beyond are refused', async () => {
  const edge = await begin(() => {}, { plain: { waitingOfClient: 150 } })
  const sessions = [
    await openHttp2(edge.port, 'a.test', pem.chain),
    await openHttp2(edge.port, 'a.test', pem.chain),
  ]
  onTestFinished(() => {
    for (const session of sessions) session.destroy()
  })
  const streams: ClientHttp2Stream[] = []
  for (const session of sessions) {
    for (let i = 0; i < 100; i++) {
      const stream = session.request({ ':path': '/', ':authority': 'a.test' })
      stream.on('error', () => {})
      streams.push(stream)
    }
    await new Promise<void>((resolve) => session.ping(() => resolve()))
  }
  const beyond = streams.slice(150)
  await Promise.all(beyond.map((stream) => stream.closed || closed(stream)))
  // The client may repeat them.
  const refused = constants.NGHTTP2_REFUSED_STREAM
  expect(new Set(beyond.map(({ rstCode }) => rstCode))).toEqual(new Set([refused]))
  expect(streams.filter((stream) => stream.closed)).toHaveLength(50)
  expect(await metric(edge, 'animal_store_waiting_requests')).toBe(150)
})

/** Counts the stack traces that are made from now on for requests whose connection closed. */
function countAborted(): () => number {
  let count = 0
  const before = Error.prepareStackTrace
  Error.prepareStackTrace = (error, calls) => {
    if (error.message === 'aborted') count++
    return before ? before(error, calls) : `${error}`
  }
  onTestFinished(() => {
    Error.prepareStackTrace = before
  })
  return () => count
}

/** Counts the bytes of large buffers that are copied from now on. */
function countCopiedBytes(): () => number {
  let bytes = 0
  const { from } = Buffer
  const spy = vi.spyOn(Buffer, 'from').mockImplementation(((...given: [Uint8Array]) => {
    const made = from(...given)
    if (given[0] instanceof Uint8Array && made.length > 64 * 1024) bytes += made.length
    return made
  }) as typeof Buffer.from)
  onTestFinished(() => spy.mockRestore())
  return () => bytes
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}

/** Resolves after a request and its response on another connection. */
async function exchange(edge: Edge): Promise<void> {
  const session = await openHttp2(edge.port, 'a.test', pem.chain)
  const end = closed(session)
  session.destroy()
  await end
}

async function untilClosed(edge: Edge): Promise<void> {
  await until(() => edge.listener.connections.size === 0)
  // What was begun for them has ended.
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
}
