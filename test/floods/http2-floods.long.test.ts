// Frames that carry no request, without end: the connection is closed before they cost much, and others are served.
// In npm test: test/edge/http2.test.ts.
import { expect, it } from 'vitest'
import type { Handler } from '#kit/http/listener/intake.ts'
import { makeCertificate } from '../edge/certificates.ts'
import { askHttp2, closed, openHttp2 } from '../edge/clients.ts'
import { edgeForTest } from '../edge/started-edge.ts'
import { frame, get, openFrames, priority, windowUpdate } from './http2-frames.ts'

const pem = makeCertificate(['a.test'])
const megabyte = 1024 * 1024

/** HEADERS with the priority of RFC 7540: the stream depends on itself. */
function selfDependentGet(stream: number): Buffer {
  const fields = get(stream, '/', 'a.test').subarray(9)
  const dependency = Buffer.from([0, 0, 0, 0, 15])
  dependency.writeUInt32BE(stream)
  return frame(1, 0x25, stream, Buffer.concat([dependency, fields]))
}

it.each<[string, (i: number) => Buffer]>([
  ['WINDOW_UPDATE of the connection', () => windowUpdate(0, 1)],
  ['WINDOW_UPDATE of a stream', () => windowUpdate(1, 1)],
  ['PRIORITY of a stream on itself', (i) => priority(2 * i + 3, 2 * i + 3)],
  ['HEADERS that depend on themselves', (i) => selfDependentGet(2 * i + 3)],
  ['empty DATA', () => frame(0, 0, 1, Buffer.alloc(0))],
  ['frames of an unknown type', () => frame(200, 0, 0, Buffer.alloc(8))],
])('%s: the connection is closed', async (_, make) => {
  const edge = await edgeForTest(() => {}, { 'a.test': pem }, { plain: { readerCheckMs: 10 } })
  const socket = await openFrames(edge.port, 'a.test', pem.chain, 0)
  const end = closed(socket)
  // Answers to the frames are not read.
  socket.pause().write(get(1, '/', 'a.test'))
  const [connection] = edge.listener.connections.all()
  const rss = process.memoryUsage.rss()
  let highest = 0
  for (let i = 0; !connection?.transport.destroyed; i += 1000) {
    const frames = Array.from({ length: 1000 }, (_, j) => make(i + j))
    const isRoom = socket.write(Buffer.concat(frames))
    await Promise.race([end, new Promise((done) => setImmediate(done))])
    if (!isRoom) await Promise.race([end, ticked(socket)])
    highest = Math.max(highest, process.memoryUsage.rss())
  }
  socket.destroy()
  await end
  expect(highest - rss).toBeLessThan(100 * megabyte)
  const session = await openHttp2(edge.port, 'a.test', pem.chain)
  await new Promise<void>((resolve) => session.ping(() => resolve()))
  expect(session.destroyed).toBe(false)
})

/** Resolves with the next turn in which the socket may be written, or is closed. */
async function ticked(socket: { writableNeedDrain: boolean; destroyed: boolean }): Promise<void> {
  for (let i = 0; i < 100 && socket.writableNeedDrain && !socket.destroyed; i++) {
    await new Promise((done) => setImmediate(done))
  }
}

it('uploads and downloads of many megabytes are no flood', async () => {
  const body = Buffer.alloc(8 * megabyte, 'z')
  const handler: Handler = (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(200).end(body)
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    request.on('end', () => response.writeHead(200).end(`${bytes}`))
  }
  const edge = await edgeForTest(handler, { 'a.test': pem }, { plain: { readerCheckMs: 1 } })
  const session = await openHttp2(edge.port, 'a.test', pem.chain)
  for (let i = 0; i < 3; i++) {
    const at = { ':path': '/', ':authority': 'a.test' }
    expect((await askHttp2(session, { ...at, ':method': 'POST' }, body)).text).toBe(
      `${body.length}`,
    )
    expect((await askHttp2(session, at)).text.length).toBe(body.length)
  }
})
