// The hosts that a connection serves: those of its certificate, as long as they exist. Removing a host closes its
// connections, and its sessions are not resumed.
import { type EventEmitter, once } from 'node:events'
import { Agent, get } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Handler } from '#kit/http/listener/intake.ts'
import { makeCertificate } from './certificates.ts'
import { ask, askHttp2, handshakeFault, openHttp2, openTls, sessionOf } from './clients.ts'
import { type Edge, edgeForTest } from './started-edge.ts'

const both = makeCertificate(['a.test', 'b.test'])
const other = makeCertificate(['c.test'])
const hello: Handler = ({ head, socket }, response) => {
  edge.listener.connections.serves(socket, head.host ?? '')
  response.writeHead(200, ['Content-Length', '6'])
  response.end(head.host?.slice(0, 6))
}

let edge: Edge
beforeEach(async () => {
  edge = await edgeForTest(hello, { 'c.test': other })
  for (const host of ['a.test', 'b.test']) edge.directory.show(host, 'ab', both)
})

const get2 = (host: string) => ({ ':authority': host, ':path': '/' })

describe.each(['at once', 'later'] as const)('with a directory that answers %s', (mode) => {
  beforeEach(() => {
    edge.directory.mode = mode
  })

  it('hosts of the same certificate share a connection, others get a 421', async () => {
    const session = await openHttp2(edge.port, 'a.test', both.chain)
    expect((await askHttp2(session, get2('a.test'))).text).toBe('a.test')
    expect((await askHttp2(session, get2('B.test:8443'))).text).toBe('b.test')
    for (const host of ['c.test', 'unknown.test', '127.0.0.1']) {
      const { json, status } = await askHttp2(session, get2(host))
      expect([status, json]).toMatchObject([421, { code: 'misdirected_request', status: 421 }])
    }
    // The connection stays for its own hosts.
    expect((await askHttp2(session, get2('a.test'))).text).toBe('a.test')
    const answer = await ask(edge.port, 'a.test', both.chain, '/', { host: 'c.test' })
    expect([answer.status, answer.headers.connection]).toEqual([421, 'close'])
  })

  it('a removed host fails at the next request of an open connection', async () => {
    const session = await openHttp2(edge.port, 'a.test', both.chain)
    expect((await askHttp2(session, get2('a.test'))).status).toBe(200)
    edge.directory.remove('a.test')
    expect((await askHttp2(session, get2('a.test'))).status).toBe(421)
    expect(await handshakeFault(edge.port, 'a.test')).toMatch(/UNRECOGNIZED_NAME/)
    expect((await ask(edge.port, 'b.test', both.chain)).status).toBe(200)
  })

  it('after a new certificate its own host stays open, a host that shared it does not', async () => {
    const session = await openHttp2(edge.port, 'a.test', both.chain)
    edge.directory.show('a.test', 'ab2', both)
    edge.directory.show('b.test', 'ab2', both)
    expect((await askHttp2(session, get2('a.test'))).status).toBe(200)
    expect((await askHttp2(session, get2('b.test'))).status).toBe(421)
  })
})

it('a 503 while the directory fails', async () => {
  const session = await openHttp2(edge.port, 'a.test', both.chain)
  edge.directory.mode = 'failing'
  expect((await askHttp2(session, get2('a.test'))).status).toBe(503)
  edge.directory.mode = 'at once'
  expect((await askHttp2(session, get2('a.test'))).status).toBe(200)
})

it('400: contradicting Host and :authority, and neither of them', async () => {
  const session = await openHttp2(edge.port, 'a.test', both.chain)
  const disagree = await askHttp2(session, { ...get2('a.test'), host: 'b.test' })
  expect([disagree.status, disagree.json]).toMatchObject([400, { code: 'invalid_request' }])
  expect((await askHttp2(session, { ...get2('a.test'), host: 'A.test:1' })).text).toBe('a.test')
})

describe.each(['TLSv1.2', 'TLSv1.3'] as const)('sessions of %s', (version) => {
  const options = { minVersion: version, maxVersion: version } as const

  const firstSession = () => sessionOf(edge.port, 'a.test', both.chain, options)
  const resume = (host: string, session: Buffer): Promise<TLSSocket> =>
    openTls(edge.port, host, both.chain, { ...options, session })

  it('are resumed', async () => {
    const socket = await resume('a.test', await firstSession())
    expect(socket.isSessionReused()).toBe(true)
  })

  it('are refused once the host is removed', async () => {
    const session = await firstSession()
    edge.directory.remove('a.test')
    expect(await handshakeFault(edge.port, 'a.test', { ...options, session })).toMatch(
      /UNRECOGNIZED/,
    )
  })

  it('are not resumed under a new certificate', async () => {
    const session = await firstSession()
    edge.directory.show('a.test', 'ab2', both)
    const socket = await resume('a.test', session)
    expect(socket.isSessionReused()).toBe(false)
  })
})

describe('closing connections', () => {
  /** On one connection to the plain port. */
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  async function plain(host: string) {
    const request = get({ host: '127.0.0.1', port: edge.plainPort, headers: { host }, agent })
    const [response] = await once(request, 'response')
    for await (const _ of response);
    return request
  }

  it('closes 50 connections of one host, and none of another', async () => {
    // One after the other, and few: on a busy machine, the first would be idle for too long before the last is open.
    const many: EventEmitter[] = []
    for (let i = 0; i < 25; i++) {
      const { chain } = both
      many.push(await openTls(edge.port, 'a.test', chain))
      many.push(await openHttp2(edge.port, 'a.test', chain))
    }
    const open = await openHttp2(edge.port, 'c.test', other.chain)
    expect((await askHttp2(open, get2('c.test'))).status).toBe(200)
    const { connections } = edge.listener
    expect(connections.connectionsOf('a.test')).toBe(50)
    const closed = Promise.all(many.map((one) => once(one, 'close')))
    expect(connections.cut('a.test')).toBe(50)
    await closed
    expect(connections.connectionsOf('a.test')).toBe(0)
    expect((await askHttp2(open, get2('c.test'))).status).toBe(200)
  })

  it('closes every connection that has ever served the host', async () => {
    const shared = await openHttp2(edge.port, 'b.test', both.chain)
    await askHttp2(shared, get2('a.test'))
    await plain('a.test')
    const { socket } = await plain('c.test')
    const { connections } = edge.listener
    const open = ['a.test', 'b.test', 'c.test'].map((host) => connections.connectionsOf(host))
    expect(open).toEqual([2, 1, 1])
    const closed = Promise.all([once(shared, 'close'), once(socket as Socket, 'close')])
    expect(connections.cut('a.test')).toBe(2)
    await closed
    expect(connections.size).toBe(0)
  })

  it('tracks the latest hosts of a connection with an endless number of them', async () => {
    for (let i = 0; i < 150; i++) await plain(`h${i}.test`)
    const { connections } = edge.listener
    const known = Array.from({ length: 150 }, (_, i) => connections.connectionsOf(`h${i}.test`))
    expect(known).toEqual([...Array(50).fill(0), ...Array(100).fill(1)])
  })

  it('aborts a response in the middle', async () => {
    edge.listener.serve(() => (_, response) => {
      response.writeHead(200)
      response.write('a part')
    })
    const session = await openHttp2(edge.port, 'a.test', both.chain)
    const stream = session.request(get2('a.test'))
    stream.on('error', () => {})
    await once(stream, 'data')
    edge.listener.connections.cut('a.test')
    await once(stream, 'close')
    expect(stream.rstCode === 0 && stream.readableEnded).toBe(false)
  })
})
