// Each private name of Node, with the sockets and servers of the Node that runs: a test that fails is named for what this
// version has lost.
import { once } from 'node:events'
import { createServer as createHttpServer, get, type Server } from 'node:http'
import { connect, createServer, type Server as NetServer, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { connect as connectSecurely, createSecureContext, TLSSocket } from 'node:tls'
import { afterEach, expect, it, vi } from 'vitest'
import { makeCertificate } from '../../../test/edge/certificates.ts'
import { listenOnFreePort } from '../../../test/listen.ts'
import {
  currentResponseOf,
  freeContext,
  headersAccessor,
  onTlsError,
  queuedBytesOf,
  releaseControl,
  takeParser,
} from './node-internals.ts'

vi.setConfig({ testTimeout: 10_000 })

const { chain: cert, key } = makeCertificate(['a.test'])
const opened: { destroy(): unknown }[] = []
afterEach(() => {
  for (const each of opened.splice(0)) each.destroy()
})

/** Its port; it is closed after the test. */
async function listen(server: NetServer | Server): Promise<number> {
  opened.push({ destroy: () => server.close() })
  server.on('connection', (socket: Socket) => opened.push(socket))
  return await listenOnFreePort(server)
}

/** A server that does a TLS handshake by itself, as the HTTPS listener does, and what it makes of the first socket. */
async function listenSecurely() {
  const { promise, resolve } = Promise.withResolvers<TLSSocket>()
  const port = await listen(
    createServer((socket) => {
      const secureContext = createSecureContext({ cert, key })
      resolve(new TLSSocket(socket, { isServer: true, secureContext }).on('error', () => {}))
    }),
  )
  return { port, secured: promise }
}

it('socket._httpMessage: the response whose turn it is', async () => {
  const seen: unknown[] = []
  const server = createHttpServer((request, response) => {
    seen.push(currentResponseOf(request.socket) === response)
    response.end(() => setImmediate(() => seen.push(currentResponseOf(request.socket))))
  })
  server.on('connection', (socket) => seen.push(currentResponseOf(socket)))
  const port = await listen(server)
  const [response] = await once(get({ port, host: '127.0.0.1' }), 'response')
  await once(response.resume(), 'end')
  await expect.poll(() => seen).toEqual([undefined, true, undefined])
})

it('socket._handle.writeQueueSize: bytes that the operating system has not taken', async () => {
  const server = createServer()
  const port = await listen(server)
  const client = connect(port, '127.0.0.1').pause()
  opened.push(client)
  const [socket] = (await once(server, 'connection')) as [Socket]
  expect(queuedBytesOf(socket)).toBe(0)
  socket.write(Buffer.alloc(64 * 1024 * 1024))
  expect(queuedBytesOf(socket)).toBeGreaterThan(0)
})

it("socket.listeners('data'): the parser of an HTTP server is the only one", async () => {
  const server = createHttpServer((request, response) => response.end(request.url))
  server.on('connection', (socket) => {
    const parse = takeParser(socket)
    expect(parse).toBeTypeOf('function')
    socket.on('data', (chunk: Buffer) =>
      parse?.(Buffer.from(chunk.toString().replace('/sent', '/read'))),
    )
  })
  const port = await listen(server)
  const [response] = await once(get({ port, host: '127.0.0.1', path: '/sent' }), 'response')
  expect((await response.toArray()).join('')).toBe('/read')
})

it('tlsSocket.secureConnecting, _releaseControl: end a handshake once, and the bytes flow', async () => {
  const { port, secured } = await listenSecurely()
  const client = connectSecurely({ port, host: '127.0.0.1', rejectUnauthorized: false })
  opened.push(client)
  const socket = await secured
  await once(socket, 'secure')
  expect(socket).toHaveProperty('secureConnecting', true)
  expect([releaseControl(socket), releaseControl(socket)]).toEqual([true, false])
  socket.end('hello')
  expect((await client.toArray()).join('')).toBe('hello')
})

it('tlsSocket emits _tlsError: for a handshake that fails', async () => {
  const { port, secured } = await listenSecurely()
  const client = connect(port, '127.0.0.1').on('error', () => {})
  opened.push(client)
  const failed = new Promise<void>((resolve) => {
    void secured.then((socket) => onTlsError(socket, resolve))
  })
  client.write('this is no handshake at all')
  await failed
})

it('secureContext.context.close: frees its memory, and a handshake with it fails', () => {
  const secureContext = createSecureContext({ cert, key })
  expect([freeContext(secureContext), freeContext(secureContext)]).toEqual([true, false])
  expect(() => new TLSSocket(new PassThrough(), { isServer: true, secureContext })).toThrow(
    'context',
  )
})

it("IncomingMessage.prototype's headers: an accessor that a class can replace", () => {
  expect(headersAccessor?.get).toBeTypeOf('function')
})
