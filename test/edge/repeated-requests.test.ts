// Which requests are answered from their bytes (listener/repeated-requests.ts), on both ports, and what becomes of their
// connections. test/api/repeated-requests.test.ts compares all bytes with those of the ordinary way.
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { defaultLimits, type Limits } from '#kit/http/limits.ts'
import type { Handler } from '#kit/http/listener/intake.ts'
import { plainHead } from '#kit/http/response/ready-response.ts'
import { makeCertificate } from './certificates.ts'
import { type Edge, edgeForTest, openAt } from './started-edge.ts'

const pem = makeCertificate(['a.test'])
const block = 'Host: a.test\r\nUser-Agent: test\r\n\r\n'
const get = (target: string): string => `GET ${target} HTTP/1.1\r\n${block}`

/** More than the buffers of a connection. */
const large = 'a'.repeat(16 * 1024 * 1024)

interface Given {
  limits?: Partial<Limits>
  /** Of requests for /slow. */
  release?: Promise<void>
}

/** Says in each response which way its request went. */
async function begin({ limits = {}, release }: Given = {}): Promise<Edge> {
  const handler: Handler = async ({ url }, response) => {
    if (url === '/slow') await release
    response.writeHead(200, ['Content-Length', '6'])
    response.end('parsed')
  }
  const head = plainHead(200, ['Content-Length', '5'])
  const largeHead = plainHead(200, ['Content-Length', `${large.length}`])
  handler.answerPlain = ({ url }, send) => {
    const isLarge = url === '/large'
    send({ head: isLarge ? largeHead : head, body: isLarge ? large : 'bytes', isLatin1: true })
    return true
  }
  return await edgeForTest(handler, { 'a.test': pem }, { plain: limits })
}

const open = async (edge: Edge, port: 'TCP' | 'TLS'): Promise<Socket> =>
  (await openAt(edge, port, pem.chain)).setEncoding('latin1').setNoDelay(true)

/** Sends a chunk. Gives what comes until the text ends with one of these. */
async function ask(socket: Socket, chunk: string, ...ends: string[]): Promise<string> {
  let text = ''
  socket.write(chunk)
  while (!ends.some((end) => text.endsWith(end))) text += (await once(socket, 'data'))[0]
  return text
}

const way = async (socket: Socket, chunk: string): Promise<string> =>
  (await ask(socket, chunk, 'bytes', 'parsed', '}')).split('\r\n\r\n').at(-1) ?? ''

describe.each(['TCP', 'TLS'] as const)('on %s', (port) => {
  it('a request with the header block of an earlier one is answered from its bytes', async () => {
    const edge = await begin()
    const socket = await open(edge, port)
    expect(await way(socket, get('/1'))).toBe('parsed')
    for (const target of ['/1', '/2', '/1?a=b', `/${'a'.repeat(500)}`, '/1']) {
      expect(await way(socket, get(target))).toBe('bytes')
    }
    expect(await way(socket, `HEAD /1 HTTP/1.1\r\n${block}`.replace('HEAD', 'POST'))).toBe('parsed')
    expect(await way(socket, get('/1'))).toBe('bytes')
    // No other connection has sent it.
    expect(await way(await open(edge, port), get('/1'))).toBe('parsed')
  })

  it.each([
    ['GET /1#a HTTP/1.1\r\n', block],
    ['GET http://a.test/1 HTTP/1.1\r\n', block],
    ['GET /\u00e9 HTTP/1.1\r\n', block],
    ['GET /1 HTTP/1.0\r\n', `Connection: keep-alive\r\n${block}`],
    ['OPTIONS /1 HTTP/1.1\r\n', block],
    ['GET /1 HTTP/1.1\r\n', `Content-Length: 0\r\n${block}`],
    ['GET /1 HTTP/1.1\r\n', `X-Long: ${'a'.repeat(5000)}\r\n${block}`],
    ['GET /1 HTTP/1.1\r\n', `${'X-Field: a\r\n'.repeat(100)}${block}`],
    ['GET /1 HTTP/1.1\r\n', `Host: a.test\r\n${block}`],
  ])('%j is always parsed', async (line, fields) => {
    const socket = await open(await begin(), port)
    const first = await ask(socket, line + fields, 'parsed', '}')
    // Some of them close the connection.
    if (/^connection: close/im.test(first)) return
    expect(await way(socket, line + fields)).not.toBe('bytes')
    expect(await way(socket, line + fields)).not.toBe('bytes')
  })

  it.each([
    'Connection: close\r\n',
    'Expect: 200-ok\r\n',
    'Upgrade: h2c\r\nConnection: Upgrade\r\n',
  ])('a block with %j has the meaning that it has for the parser', async (field) => {
    const edges = [await begin(), await begin({ limits: { repeatedBlockBytes: 0 } })]
    const [one, two] = await Promise.all(
      edges.map(async (edge) => {
        const socket = await open(edge, port)
        const heads: string[] = []
        for (let i = 0; i < 3 && socket.readyState === 'open'; i++) {
          const text = await ask(socket, `GET / HTTP/1.1\r\n${field}${block}`, 'bytes', 'parsed')
          heads.push(/^connection: .*$/im.exec(text)?.[0] ?? '')
          if (heads.at(-1)?.endsWith('close')) await once(socket, 'close')
        }
        return heads
      }),
    )
    expect(one).toEqual(two)
  })

  it('a response that its client does not take ends the connection in time', async () => {
    const edge = await begin()
    const socket = await open(edge, port)
    expect(await way(socket, get('/1'))).toBe('parsed')
    const [connection] = edge.listener.connections.all()
    socket.write(get('/large'))
    for (let left = large.length; left > 0; ) left -= (await once(socket, 'data'))[0].length
    const timeout = expect.poll(() => connection?.socket.timeout)
    await timeout.toBe(defaultLimits.keepAliveTimeoutMs + 1000)
    socket.pause()
    socket.write(get('/large'))
    await timeout.toBe(defaultLimits.stalledTimeoutMs)
    const ended = once(connection?.socket as Socket, 'close')
    connection?.socket.emit('timeout')
    await ended
    expect(edge.listener.connections.size).toBe(0)
  })

  it('no more header blocks are remembered than the limit allows', async () => {
    const edge = await begin({ limits: { repeatedBytes: 2 * get('/1').length } })
    const sockets = await Promise.all([1, 2, 3].map(() => open(edge, port)))
    const ways = async () => {
      const all: string[] = []
      for (const socket of sockets) all.push(await way(socket, get('/1')))
      return all
    }
    expect(await ways()).toEqual(['parsed', 'parsed', 'parsed'])
    expect(await ways()).toEqual(['bytes', 'bytes', 'parsed'])
    const [connection] = edge.listener.connections.all()
    sockets.shift()?.destroy()
    await once(connection?.socket as Socket, 'close')
    await ways()
    expect(await ways()).toEqual(['bytes', 'bytes'])
  })

  it('a process that stops answers none from its bytes', async () => {
    let release = (): void => {}
    const edge = await begin({ release: new Promise((resolve) => (release = resolve)) })
    const [socket, other] = [await open(edge, port), await open(edge, port)]
    await way(socket, get('/1'))
    socket.write(get('/slow').replace('GET', 'OPTIONS'))
    await way(other, get('/1'))
    const stopped = edge.listener.stop()
    release()
    expect(await ask(socket, '', 'parsed')).toContain('Connection: close')
    await stopped
  })
})

describe.each(['', 'GE', '\r\n', '\r\nG'])('after a head and %j', (tail) => {
  it('a chunk that is a block has the meaning that it has for the parser, however they were cut', async () => {
    const text = get('/1') + tail
    const edges = [await begin(), await begin({ limits: { repeatedBlockBytes: 0 } })]
    const cuts = Array.from({ length: tail.length + 6 }, (_, i) => text.length - i)
    const pairs = cuts.flatMap((to) => cuts.filter((from) => from <= to).map((from) => [from, to]))
    const statuses = async (edge: Edge, [from, to]: (number | undefined)[]): Promise<string[]> => {
      const socket = await open(edge, 'TCP')
      let got = ''
      socket.on('data', (part) => {
        got += part
      })
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
      // This one is learned.
      socket.write(get('/1'))
      while (!got.endsWith('parsed')) await once(socket, 'data')
      const chunks = [text.slice(0, from), text.slice(from, to), text.slice(to), get('/1')]
      for (const chunk of chunks) {
        if (chunk !== '') socket.write(chunk)
        for (let i = 0; i < 4; i++) await turn()
      }
      socket.end()
      await closed
      return got.match(/HTTP\/1.1 \d+/g) ?? []
    }
    const [learned, plain] = await Promise.all(
      edges.map((edge) => Promise.all(pairs.map((pair) => statuses(edge, pair)))),
    )
    expect(learned).toEqual(plain)
  })
})

it('a connection is not for hosts that were removed', async () => {
  const edge = await begin()
  const socket = await open(edge, 'TLS')
  expect(await way(socket, get('/1'))).toBe('parsed')
  expect(await way(socket, get('/1'))).toBe('bytes')
  edge.directory.remove('a.test')
  expect(await way(socket, get('/1'))).toContain('misdirected_request')
})
