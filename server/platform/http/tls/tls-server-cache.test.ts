import { once } from 'node:events'
import { connect, createServer, type Server } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import { makeCertificate } from '../../../../test/edge/certificates.ts'
import { createTlsServerCache } from './tls-server-cache.ts'

/** The port of a server that passes its connections on. */
async function listenFor(accept: (socket: unknown) => void): Promise<number> {
  const server: Server = createServer(accept).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return (server.address() as { port: number }).port
}

it('drops servers that were not used for ten minutes, one with each handshake', async () => {
  const pem = makeCertificate(['a.test'])
  let now = 0
  const loaded: string[] = []
  const cache = createTlsServerCache({
    maxServers: 10,
    ticketKeys: () => keys,
    handshakeTimeoutMs: 1000,
    now: () => now,
    onSecure: () => {},
    onFailure: () => {},
  })
  const keys = Buffer.alloc(48)
  const use = async (id: string) => {
    const load = () => {
      loaded.push(id)
      return pem
    }
    await cache.serverFor({ id, load })
    return cache.size
  }
  expect(await use('first')).toBe(1)
  expect(await use('second')).toBe(2)
  now = 10 * 60_000
  expect(await use('third')).toBe(3)
  now++
  expect(await use('third')).toBe(2)
  expect(await use('third')).toBe(1)
  await use('first')
  expect(loaded).toEqual(['first', 'second', 'third', 'first'])
})

it('a server that was dropped has no context, and refuses handshakes without harm', async () => {
  const pem = makeCertificate(['a.test'])
  const outcomes: string[] = []
  const cache = createTlsServerCache({
    maxServers: 1,
    ticketKeys: () => keys,
    handshakeTimeoutMs: 1000,
    onSecure: (socket) => {
      outcomes.push('secure')
      socket.destroy()
    },
    onFailure: () => outcomes.push('failed'),
  })
  const keys = Buffer.alloc(48)
  const first = await cache.serverFor({ id: 'first', load: () => pem })
  const port = await listenFor((socket) => first.emit('connection', socket))
  const shakeHands = async (): Promise<void> => {
    const client = connectTls({ socket: connect(port, '127.0.0.1'), rejectUnauthorized: false })
    client.on('error', () => {})
    await new Promise((resolve) => client.once('close', resolve))
  }
  await shakeHands()
  await cache.serverFor({ id: 'second', load: () => pem })
  await nextTurn()
  await shakeHands()
  expect(outcomes).toEqual(['secure', 'failed'])
  expect(cache.size).toBe(1)
})
