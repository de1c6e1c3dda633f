// HTTP/2: handlers see the same requests as over HTTP/1.1, with the same limits; further limits apply to each
// connection.
import { once } from 'node:events'
import { type ClientHttp2Session, constants } from 'node:http2'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { readBody } from '#kit/api/read-body.ts'
import type { Limits } from '#kit/http/limits.ts'
import type { Handler } from '#kit/http/listener/intake.ts'
import { until } from '../eventually.ts'
import { makeCertificate } from './certificates.ts'
import { askHttp2, closed, openHttp2, openTcp, openTls } from './clients.ts'
import { type Edge, type EdgeOptions, edgeForTest } from './started-edge.ts'

const pem = makeCertificate(['a.test'])
const large = Buffer.alloc(3 * 1024 * 1024, 'x')

const handlers: Record<string, Handler> = {
  '/seen': (request, response) => {
    const { head, headers, httpVersion, method, rawHeaders } = request
    const seen = { head, headers, httpVersion, method, rawHeaders, isSecure: request.isSecure }
    response.writeHead(200, [
      'Connection',
      'keep-alive',
      'Keep-Alive',
      'x',
      'Vary',
      'A',
      'Vary',
      'B',
    ])
    response.end(JSON.stringify(seen))
  },
  '/set': (request, response) => {
    request.fixedHeaders = ['Strict-Transport-Security', 'max-age=1']
    response.setHeader('X-One', '1')
    response.setHeader('X-Two', '1')
    response.writeHead(200, { 'X-Two': '2', 'Transfer-Encoding': 'chunked' })
    response.end()
  },
  '/204': (_, response) => void response.writeHead(204).end(),
  '/304': (_, response) => void response.writeHead(304, ['ETag', '"x"']).end(),
  '/large': (_, response) => void response.writeHead(200).end(large),
  '/deaf': (_, response) => void response.writeHead(401, ['Content-Length', '2']).end('no'),
  '/silent': () => {},
  '/echo': async (request, response) => {
    if (request.headers.expect !== undefined) response.writeContinue()
    try {
      const body = await readBody(request, 1024 * 1024)
      response.end(`${body.length} ${request.complete}`)
    } catch (error) {
      broken.push((error as { code: string }).code)
      if (!response.headersSent) response.writeHead(413).end()
    }
  },
  '/echo-later': async (request, response) => {
    await new Promise<void>((resolve) => void continuing.push(resolve))
    response.end(`${(await readBody(request, 10)).length} ${request.complete}`)
  },
  '/broken': (_, response) => {
    response.writeHead(200)
    response.write('a part')
    setImmediate(() => response.destroy())
  },
}
const broken: string[] = []
const continuing: (() => void)[] = []
const handler: Handler = (request, response) =>
  handlers[(request.url as string).split('?', 1)[0] as string]?.(request, response)

let edge: Edge
let session: ClientHttp2Session
async function begin(options: EdgeOptions = {}): Promise<void> {
  edge = await edgeForTest(handler, { 'a.test': pem }, options)
  session = await openHttp2(edge.port, 'a.test', pem.chain)
  onTestFinished(() => session.destroy())
}
const withLimits = (plain: Partial<Limits>) => begin({ plain })
const at = (path: string, more = {}) => ({ ':authority': 'a.test', ':path': path, ...more })
const post = (path: string, more = {}) => at(path, { ':method': 'POST', ...more })

describe('requests and responses', () => {
  beforeEach(() => begin())

  it('have the headers of HTTP/1.1', async () => {
    const { headers, json } = await askHttp2(
      session,
      at('/seen', { cookie: ['a=1', 'b=2'], accept: 'x' }),
    )
    expect(json).toMatchObject({
      head: { host: 'a.test', hosts: 1, accept: 'x', hasBody: false },
      headers: { host: 'a.test', cookie: 'a=1; b=2' },
      httpVersion: '2.0',
      isSecure: true,
      method: 'GET',
    })
    expect(JSON.stringify(json)).not.toContain('":authority')
    expect(headers.vary).toBe('A, B')
    for (const name of ['connection', 'keep-alive']) expect(headers).not.toHaveProperty(name)
  })

  it('headers of the handler replace defaults, and fixed ones are added', async () => {
    const { headers } = await askHttp2(session, at('/set'))
    expect(headers).toMatchObject({
      'x-one': '1',
      'x-two': '2',
      'strict-transport-security': 'max-age=1',
    })
    expect(headers).not.toHaveProperty('transfer-encoding')
  })

  it.each([
    ['GET', '/204', 204],
    ['GET', '/304', 304],
    ['HEAD', '/large', 200],
  ])('%s %s has no body', async (method, path, status) => {
    const answer = await askHttp2(session, at(path, { ':method': method }))
    expect([answer.status, answer.text]).toEqual([status, ''])
  })

  it('large responses are complete, many at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => askHttp2(session, at('/large'))),
    )
    for (const { text } of answers) expect(text.length).toBe(large.length)
  })

  it('bodies arrive complete, with and without a length, and after 100 Continue', async () => {
    const body = Buffer.alloc(900_000, 'y')
    for (const more of [{}, { 'content-length': body.length }, { expect: '100-continue' }])
      expect((await askHttp2(session, post('/echo', more), body)).text).toBe('900000 true')
    expect((await askHttp2(session, post('/echo'), '')).text).toBe('0 true')
  })

  it('a body that ended before it is read is complete', async () => {
    const answer = askHttp2(session, post('/echo-later'), '')
    await vi.waitFor(() => expect(continuing).toHaveLength(1))
    // The frames are answered in turn: the empty DATA frame has arrived.
    await new Promise((resolve) => session.ping(resolve))
    continuing.pop()?.()
    expect((await answer).text).toBe('0 true')
  })

  it('a body that is not needed is not read to its end, and the connection stays open', async () => {
    for (const path of ['/deaf', '/echo']) {
      const stream = session.request(post(path))
      stream.on('error', () => {})
      stream.write(Buffer.alloc(3 * 1024 * 1024))
      const [headers] = await once(stream, 'response')
      expect(headers[':status']).toBe(path === '/deaf' ? 401 : 413)
      stream.resume()
      await once(stream, 'close')
      expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR)
    }
    expect((await askHttp2(session, at('/204'))).status).toBe(204)
  })

  it('bodies that are not needed count as bytes of requests', async () => {
    const body = Buffer.alloc(100_000)
    for (let i = 0; i < 10; i++) {
      const { status } = await askHttp2(session, post('/deaf'), body)
      expect(status).toBe(401)
    }
    await new Promise((resolve) => session.ping(resolve))
    const [connection] = edge.listener.connections.all()
    expect(connection?.requestBytes).toBeGreaterThan(10 * body.length)
  })

  it('an aborted body is not treated as complete', async () => {
    broken.length = 0
    const stream = session.request(post('/echo'))
    stream.on('error', () => {})
    stream.write('half')
    await askHttp2(session, at('/204'))
    // By an error: a mere close sends END_STREAM first, and then the body is complete.
    stream.destroy(new Error('gone'))
    await until(() => broken.length > 0)
    expect(broken).toEqual(['invalid_request'])
  })

  it('an aborted response is not treated as complete, and the connection stays open', async () => {
    await expect(askHttp2(session, at('/broken'))).rejects.toThrow(/NGHTTP2_INTERNAL_ERROR/)
    expect((await askHttp2(session, at('/204'))).status).toBe(204)
  })

  it('400: CONNECT', async () => {
    const stream = session.request({ ':method': 'CONNECT', ':authority': 'a.test:80' })
    const [headers] = await once(stream, 'response')
    expect(headers[':status']).toBe(400)
    stream.close()
  })

  it('414 and 431, both with the Error schema', async () => {
    const long = await askHttp2(session, at(`/${'x'.repeat(9000)}`))
    expect([long.status, long.json]).toMatchObject([414, { code: 'uri_too_long' }])
    const field = await askHttp2(
      session,
      at('/204', { a: 'x'.repeat(20_000), b: 'x'.repeat(20_000) }),
    )
    expect([field.status, field.json]).toMatchObject([431, { code: 'headers_too_large' }])
    expect(field.headers['x-request-id']).toMatch(/\S/)
  })
})

describe('time-outs', () => {
  it('408: a body that does not arrive', async () => {
    await withLimits({ bodyTimeoutMs: 100 })
    const stream = session.request(post('/echo'))
    stream.write('half')
    const [headers] = await once(stream, 'response')
    expect(headers[':status']).toBe(408)
    stream.on('error', () => {})
    stream.resume()
    await once(stream, 'close')
    expect((await askHttp2(session, at('/204'))).status).toBe(204)
  })

  it('a response that is not read, or never comes, is reset; others continue', async () => {
    await withLimits({ stalledTimeoutMs: 150 })
    for (const path of ['/large', '/silent']) {
      const stream = session.request(at(path))
      stream.pause()
      stream.on('error', () => {})
      expect((await askHttp2(session, at('/204'))).status).toBe(204)
      await new Promise((resolve) => stream.once('close', resolve))
      expect(stream.rstCode).not.toBe(0)
    }
    expect(session.destroyed).toBe(false)
  })

  it('an idle connection is closed with GOAWAY, even if it sends pings', async () => {
    await withLimits({ keepAliveTimeoutMs: 200 })
    const pings = setInterval(() => session.destroyed || session.ping(() => {}), 50)
    onTestFinished(() => clearInterval(pings))
    const [code] = await once(session, 'goaway')
    expect(code).toBe(constants.NGHTTP2_NO_ERROR)
    await once(session, 'close')
  })

  it('a stop finishes the responses in flight, sends GOAWAY, and closes', async () => {
    let finish = (): void => {}
    await begin()
    edge.listener.serve(() => (_, response) => {
      finish = () => void response.end('late')
    })
    const answer = askHttp2(session, at('/'))
    const unused = [await openTls(edge.port, 'a.test', pem.chain), await openTcp(edge.plainPort)]
    const gone = Promise.all([once(session, 'goaway'), ...unused.map(closed)])
    await until(() => edge.listener.connections.size === 3)
    // The request has arrived when a later one on the connection has.
    await new Promise<void>((resolve) => session.ping(() => resolve()))
    const stopped = edge.stop()
    await gone
    finish()
    expect((await answer).text).toBe('late')
    await stopped
  })
})

describe('floods', () => {
  beforeEach(() =>
    begin({ http2: { streams: 50, resetBurst: 100, resetsPerSecond: 10, controlFrames: 50 } }),
  )

  it('of streams that are reset at once close the connection', async () => {
    const code = codeOfEnd(session)
    for (let i = 0; i < 2000 && !session.destroyed; i++) {
      const stream = session.request(at('/silent'))
      stream.on('error', () => {})
      stream.close(constants.NGHTTP2_CANCEL)
      if (i % 20 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await code).not.toBe(0)
    await expectOthersServed()
  })

  it('of pings and of settings close the connection', async () => {
    const frames = {
      ping: Buffer.from(`000008060000000000${'00'.repeat(8)}`, 'hex'),
      settings: Buffer.from('000000040000000000', 'hex'),
    }
    for (const frame of Object.values(frames)) {
      const socket = await openTls(edge.port, 'a.test', pem.chain, { ALPNProtocols: ['h2'] })
      socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
      socket.write(frames.settings)
      socket.resume()
      const closed = once(socket, 'close')
      for (let i = 0; i < 100; i++) socket.write(frame)
      await closed
    }
    await expectOthersServed()
  })

  it('of streams above the limit are refused one by one', async () => {
    const all = Array.from({ length: 80 }, () => session.request(at('/silent')))
    let refused = 0
    for (const stream of all) stream.on('error', () => refused++)
    // The client respects the announced limit: 50 are open, the others wait.
    await new Promise<void>((resolve) => session.ping(() => resolve()))
    expect(session.remoteSettings.maxConcurrentStreams).toBe(50)
    await expectOthersServed()
    expect(refused).toBe(0)
  })

  async function expectOthersServed(): Promise<void> {
    const other = await openHttp2(edge.port, 'a.test', pem.chain)
    expect((await askHttp2(other, at('/204'))).status).toBe(204)
  }
})

function codeOfEnd(session: ClientHttp2Session): Promise<number> {
  return new Promise((resolve) => {
    let code = -1
    session.on('goaway', (given) => {
      code = given
    })
    session.on('close', () => resolve(code))
  })
}
