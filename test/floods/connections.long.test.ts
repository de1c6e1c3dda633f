// More connections than are allowed, from one client network and from all, on both ports: the oldest idle ones are
// closed, busy ones stay, and what an authority validates is served in any case.
// In npm test: test/edge/floods.test.ts.
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { addressList } from '#kit/network/addresses.ts'
import { makeCertificate } from '../edge/certificates.ts'
import { askHttp2, closed, openHttp2, openTcp, openTls, readAll } from '../edge/clients.ts'
import { type EdgeOptions, edgeForTest } from '../edge/started-edge.ts'
import { until } from '../eventually.ts'

const pem = makeCertificate(['a.test'])
const prefix = '/.well-known/acme-challenge/'

/** `/held` is answered by `finish`, everything else at once. */
async function begin(options: EdgeOptions = {}) {
  const held: ServerResponse[] = []
  const handler = (request: { url?: string | undefined }, response: ServerResponse): void => {
    if (request.url === '/held') held.push(response)
    else response.writeHead(200, ['Content-Length', '5']).end('hello')
  }
  const given = { intake: { alwaysServed: [prefix] }, ...options }
  return { edge: await edgeForTest(handler, { 'a.test': pem }, given), held }
}

function write(socket: Socket, path: string): void {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a.test\r\n\r\n`)
}

/** Sends a request on a new connection, and reads until its response is there, or the connection closed. */
async function ask(port: number, path: string, localAddress?: string): Promise<string> {
  const socket = await openTcp(port, localAddress)
  const end = closed(socket)
  let text = ''
  const answered = new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      text += chunk
      if (/hello$|}$/.test(text)) resolve()
    })
  })
  write(socket, path)
  await Promise.race([answered, end])
  socket.destroy()
  return text
}

it('the oldest idle connection of a client network is closed for its newest, on both ports', async () => {
  const { edge, held } = await begin({ plain: { connectionsOfClient: 20, connections: 200 } })
  const busy = await openTcp(edge.plainPort)
  write(busy, '/held')
  await until(() => held.length === 1)
  const session = await openHttp2(edge.port, 'a.test', pem.chain)
  const sessionEnd = closed(session)
  const other = await openTcp(edge.plainPort, '127.0.0.2')
  const sockets: Socket[] = []
  const ends: Promise<void>[] = []
  for (let i = 0; i < 60; i++) {
    const socket = await openTcp(i % 2 === 0 ? edge.plainPort : edge.port)
    sockets.push(socket)
    ends.push(closed(socket))
  }
  // Nineteen of them, and the busy one.
  await Promise.all([sessionEnd, ...ends.slice(0, 41)])
  expect(sockets.slice(41).map((socket) => socket.closed)).not.toContain(true)
  expect([busy.closed, other.closed]).toEqual([false, false])
  expect(await ask(edge.plainPort, '/')).toMatch(/^HTTP\/1.1 200/)
  held[0]?.end('late')
  const [chunk] = await once(busy, 'data')
  expect(String(chunk)).toMatch(/^HTTP\/1.1 200/)
})

it('503 on a connection beyond the limit if all others are busy, except for what is validated', async () => {
  const { edge, held } = await begin({ plain: { connectionsOfClient: 10, connections: 200 } })
  for (let i = 0; i < 10; i++) write(await openTcp(edge.plainPort), '/held')
  await until(() => held.length === 10)
  const refused = await ask(edge.plainPort, '/')
  expect(refused).toMatch(/^HTTP\/1.1 503 .*\r\nconnection: close\r\n/is)
  expect(refused).toContain('"code":"unavailable","message":"Too many connections are open.')
  expect(await ask(edge.plainPort, `${prefix}token`)).toMatch(/^HTTP\/1.1 200/)
  // Another client is served.
  expect(await ask(edge.plainPort, '/', '127.0.0.2')).toMatch(/^HTTP\/1.1 200/)
  const session = await openHttp2(edge.port, 'a.test', pem.chain)
  const at = (path: string) => askHttp2(session, { ':path': path, ':authority': 'a.test' })
  expect((await at(`${prefix}token`)).status).toBe(200)
  expect((await at('/')).status).toBe(503)
  // Challenges in the handshake, too (RFC 8737).
  edge.directory.challenge('b.test', makeCertificate(['b.test']))
  const challenge = await openTls(edge.port, 'b.test', '', {
    rejectUnauthorized: false,
    ALPNProtocols: ['acme-tls/1'],
  })
  expect(challenge.alpnProtocol).toBe('acme-tls/1')
  await readAll(challenge)
  for (const response of held) response.end()
  await until(() => edge.listener.connections.size === 10)
  expect(await ask(edge.plainPort, '/')).toMatch(/^HTTP\/1.1 200/)
})

it('a flood of busy connections and of those beyond does not keep the authority out', async () => {
  const { edge, held } = await begin({ plain: { connectionsOfClient: 1000, connections: 40 } })
  const addresses = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5']
  for (const address of addresses) {
    for (let i = 0; i < 10; i++) write(await openTcp(edge.plainPort, address), '/held')
  }
  await until(() => held.length === 40)
  // Connections beyond the limit that send nothing are closed for newer ones.
  const beyond: Socket[] = []
  for (let i = 0; i < 200; i++) beyond.push(await openTcp(edge.plainPort, addresses[i % 4]))
  const ends = beyond.slice(0, 200 - 4 * 16).map((socket) => socket.closed || closed(socket))
  await Promise.all(ends)
  expect(await ask(edge.plainPort, `${prefix}token`)).toMatch(/^HTTP\/1.1 200/)
  expect(await ask(edge.plainPort, '/')).toMatch(/^HTTP\/1.1 503/)
})

it('a trusted proxy has the limit of all clients', async () => {
  const trustedProxies = addressList(['127.0.0.3'])
  const { edge } = await begin({
    plain: { connectionsOfClient: 5, connections: 40 },
    intake: { trustedProxies },
  })
  const sockets: Socket[] = []
  for (let i = 0; i < 30; i++) sockets.push(await openTcp(edge.plainPort, '127.0.0.3'))
  expect(await ask(edge.plainPort, '/', '127.0.0.3')).toMatch(/^HTTP\/1.1 200/)
  expect(sockets.filter((socket) => socket.closed)).toEqual([])
})
