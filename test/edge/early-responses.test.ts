// A response that comes before its request has arrived reaches a client that sends all of it first, whatever the client
// said about the connection (RFC 9112, section 9.6).
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { finished } from 'node:stream/promises'
import { expect, it } from 'vitest'
import type { Handler } from '#kit/http/listener/intake.ts'
import { cases } from '../cases.ts'
import { makeCertificate } from './certificates.ts'
import { type Edge, edgeForTest, openAt } from './started-edge.ts'

const pem = makeCertificate(['a.test'])
const megabyte = 1024 * 1024
const handled: string[] = []
let answered = Promise.withResolvers<void>()

const refuse: Handler = ({ url = '' }, response) => {
  handled.push(url)
  response.once('finish', answered.resolve)
  response.writeHead(413, ['Content-Length', '9'])
  response.end('too large')
}

async function begin(): Promise<Edge> {
  handled.length = 0
  answered = Promise.withResolvers()
  return await edgeForTest(refuse, { 'a.test': pem })
}

const open = async (edge: Edge, port: 'TCP' | 'TLS'): Promise<Socket> =>
  (await openAt(edge, port, pem.chain)).setMaxListeners(0)

const untilRoom = async (socket: Socket): Promise<unknown> =>
  await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => {})

/** Sends everything before it reads anything, and gives what it then reads. */
async function sendThenRead(
  socket: Socket,
  parts: readonly (string | Buffer)[],
  afterFirst?: Promise<void>,
): Promise<string> {
  socket.pause()
  for (const part of parts) {
    await new Promise((resolve) => socket.write(part, resolve))
    if (part === parts[0]) await afterFirst
  }
  let text = ''
  socket.setEncoding('latin1').on('data', (part) => {
    text += part
  })
  socket.resume().end()
  await finished(socket).catch(() => {})
  return text
}

const head = (connection: string, bytes: number): string =>
  `POST /1 HTTP/1.1\r\nHost: a.test\r\nConnection: ${connection}\r\nContent-Length: ${bytes}\r\n\r\n`
const clients = (['TCP', 'TLS'] as const).flatMap((port) =>
  ['close', 'keep-alive'].flatMap((connection) =>
    [1, 3, 20].map((size) => ({ port, connection, size })),
  ),
)
const isShort = ({ connection, size }: (typeof clients)[number]): boolean =>
  size === 1 || (size === 3 && connection === 'close')

it.each(cases(clients, isShort))(
  'over $port, with Connection: $connection, to $size MB',
  async ({ connection, port, size }) => {
    const socket = await open(await begin(), port)
    const body = Array.from({ length: size * 8 }, () => Buffer.alloc(megabyte / 8, 'x'))
    const parts = [head(connection, size * megabyte), ...body]
    const text = await sendThenRead(socket, parts, answered.promise)
    expect(text).toMatch(/^HTTP\/1.1 413 .*too large$/s)
  },
)

it.each(['TCP', 'TLS'] as const)('over %s, to a head that the parser refuses', async (port) => {
  const socket = await open(await begin(), port)
  const junk = Array.from({ length: 16 }, () => Buffer.alloc(megabyte, 'x'))
  const text = await sendThenRead(socket, ['GET /\u0000 HTTP/1.1\r\n', ...junk])
  expect(text).toMatch(/^HTTP\/1.1 400 .*invalid_request/s)
})

it('nothing that comes after it on a connection that closes is a request', async () => {
  const socket = await open(await begin(), 'TCP')
  const parts = [head('close', 3), 'abc', head('close', 0).replace('/1', '/2')]
  expect(await sendThenRead(socket, parts)).toMatch(/^HTTP\/1.1 413 .*too large$/s)
  const late = await open(await begin(), 'TCP')
  const long = [head('keep-alive', 3 * megabyte), Buffer.alloc(3 * megabyte, 'x')]
  await sendThenRead(late, [
    Buffer.concat([...long.map((part) => Buffer.from(part)), Buffer.from(parts[2] as string)]),
  ])
  expect(handled).toEqual(['/1'])
})

it('is bounded in bytes', async () => {
  const edge = await begin()
  const socket = await open(edge, 'TCP')
  const [connection] = edge.listener.connections.all()
  socket.write(head('close', 1000 * megabyte))
  const piece = Buffer.alloc(megabyte, 'x')
  let sent = 0
  while (!socket.destroyed && sent < 200) {
    sent++
    if (!socket.write(piece)) await untilRoom(socket)
  }
  expect(sent).toBeGreaterThanOrEqual(64)
  expect(connection?.socket.destroyed).toBe(true)
})
