// Clients that do not take their responses, or byte by byte. What is held for them is bounded, and they are closed.
// In npm test: test/faults/slow-clients.test.ts.
import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Limits } from '#kit/http/limits.ts'
import type { Handler } from '#kit/http/listener/intake.ts'
import { makeCertificate } from '../edge/certificates.ts'
import { askHttp2, closed, openHttp2 } from '../edge/clients.ts'
import { type Edge, edgeForTest, openAt } from '../edge/started-edge.ts'
import { until } from '../eventually.ts'
import { get, openFrames, reset, windowUpdate } from './http2-frames.ts'
import { metric } from './metric.ts'

const pem = makeCertificate(['a.test'])
const page = 'x'.repeat(60 * 1024)
const kibibyte = 1024
const megabyte = 1024 * kibibyte
const large = Buffer.alloc(24 * megabyte, 'y')

const handler: Handler = ({ url }, response) => {
  const body = url === '/large' ? large : page
  response.writeHead(200, ['Content-Length', `${body.length}`])
  response.end(body, 'latin1')
}

async function begin(limits: Partial<Limits>): Promise<Edge> {
  // Only what is tested closes anything.
  const maxHeld = { heldBytesOfClient: 100 * megabyte, heldBytes: 100 * megabyte }
  const plain = { stalledTimeoutMs: 100_000, readerCheckMs: 100_000, ...maxHeld, ...limits }
  return await edgeForTest(handler, { 'a.test': pem }, { plain })
}

/** Opens a connection with `streams` requests whose responses have no window. */
async function openZeroWindow(edge: Edge, streams: number): Promise<TLSSocket> {
  const socket = await openFrames(edge.port, 'a.test', pem.chain, 0)
  onTestFinished(() => void socket.destroy())
  for (let i = 0; i < streams; i++) socket.write(get(2 * i + 1, '/', 'a.test'))
  return socket
}

const untilMetric = (edge: Edge, name: string, isMet: (value: number) => boolean) =>
  until(async () => isMet(await metric(edge, name)))

const held = 'animal_store_held_response_bytes'
const waiting = 'animal_store_waiting_requests'

describe('HTTP/2 with a window of zero', () => {
  it('holds a bounded part of what 100 streams of a connection ask for', async () => {
    const edge = await begin({})
    const sockets: Socket[] = []
    for (let i = 0; i < 10; i++) sockets.push((await openZeroWindow(edge, 100)).resume())
    await untilMetric(edge, waiting, (count) => count === 1000)
    const bytes = await metric(edge, held)
    // All of it would be 60 MB. The page is the same for all streams.
    expect(bytes).toBeGreaterThan(10 * 256 * kibibyte)
    expect(bytes).toBeLessThanOrEqual(10 * (256 + 64 + 64 + 100 * 4) * kibibyte)
    // Others are served.
    const session = await openHttp2(edge.port, 'a.test', pem.chain)
    const answer = await askHttp2(session, { ':path': '/', ':authority': 'a.test' })
    expect(answer.text.length).toBe(page.length)
    for (const socket of sockets) {
      for (let i = 0; i < 100; i++) socket.write(reset(2 * i + 1))
    }
    await untilMetric(edge, held, (rest) => rest === 0)
  })

  it.each(['heldBytesOfClient', 'heldBytes'])(
    'those that wait longest are closed until %s are held',
    async (limit) => {
      const edge = await begin({ readerCheckMs: 1, [limit]: 3000 * kibibyte })
      const sockets: Socket[] = []
      for (let i = 0; i < 10; i++) sockets.push((await openZeroWindow(edge, 100)).resume())
      await untilMetric(edge, waiting, (count) => count > 0 && count <= 500)
      await untilMetric(edge, held, (bytes) => bytes <= 3000 * kibibyte)
      expect(sockets.at(-1)?.closed).toBe(false)
    },
  )

  it('is closed, even if the window opens byte by byte', async () => {
    const edge = await begin({ readerCheckMs: 5, readerChecks: 40 })
    const socket = await openZeroWindow(edge, 3)
    const end = closed(socket)
    let updates = 0
    socket.on('data', () => {
      if (updates++ < 20) socket.write(windowUpdate(1, 1))
    })
    await end
    expect(updates).toBeGreaterThan(20)
  })

  it('is closed, even if it sends pings', async () => {
    const edge = await begin({ readerCheckMs: 5, readerChecks: 40 })
    const socket = await openZeroWindow(edge, 3)
    const end = closed(socket)
    const ping = Buffer.from(`000008060000000000${'00'.repeat(8)}`, 'hex')
    for (let i = 0; i < 150; i++) socket.write(ping)
    socket.resume()
    await end
  })
})

describe('HTTP/1.1', () => {
  const request = 'GET /large HTTP/1.1\r\nHost: a.test\r\n\r\n'
  it.each(['TCP', 'TLS'] as const)('a client that does not read is closed: %s', async (port) => {
    const edge = await begin({ readerCheckMs: 5, readerChecks: 20 })
    const socket = await openAt(edge, port, pem.chain)
    socket.write(request)
    await once(socket, 'readable')
    await until(() => edge.listener.connections.size === 0)
  })

  it.each(['TCP', 'TLS'] as const)('a client that reads is not: %s', async (port) => {
    const edge = await begin({ readerCheckMs: 1, readerChecks: 10 })
    const socket = await openAt(edge, port, pem.chain)
    socket.write(request)
    let bytes = 0
    for await (const chunk of socket) {
      bytes += (chunk as Buffer).length
      if (bytes > large.length) break
    }
    expect(bytes).toBeGreaterThan(large.length)
  })
})
