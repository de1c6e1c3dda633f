// Which requests on HTTP/2 are answered without Node's objects (http2/http2-intake.ts), and that they get the same.
import type { OutgoingHttpHeaders } from 'node:http2'
import { describe, expect, it } from 'vitest'
import type { Handler } from '#kit/http/listener/intake.ts'
import type { ApiRequest } from '#kit/http/request/request-head.ts'
import { type PlainResponse, plainHead } from '#kit/http/response/ready-response.ts'
import { makeCertificate } from './certificates.ts'
import { askHttp2, openHttp2 } from './clients.ts'
import { edgeForTest } from './started-edge.ts'

const pem = makeCertificate(['a.test'])
const large = 'ä'.repeat(300 * 1024)

const plain = (status: number, body: string | undefined, isLatin1 = true): PlainResponse => ({
  head: plainHead(status, ['ETag', '"x"', 'Link', '</a>', 'Link', '</b>']),
  body,
  isLatin1,
})
const spent = Promise.resolve({ headers: [] })

/** Says in each response which way its request went. */
async function begin() {
  const seen: ApiRequest[] = []
  const handler: Handler = (request, response) => {
    seen.push(request)
    response.writeHead(200)
    response.end('ordinary')
  }
  handler.answerPlain = (request, send) => {
    switch (request.url) {
      case '/throws':
        throw new Error('a bug')
      case '/rejects':
        return Promise.reject(new Error('a bug'))
      case '/refused':
        request.allowance = { taker: {}, spent }
        return false
      case '/later':
        return spent.then(() => {
          send(plain(200, 'later'))
          return true
        })
      case '/304':
        send(plain(304, undefined))
        return true
      case '/large':
        send(plain(200, large, false))
        return true
      default:
        request.extraHeaders = ['RateLimit', 'r=1']
        request.fixedHeaders = ['Strict-Transport-Security', 'max-age=1']
        send(plain(200, 'plain'))
        return true
    }
  }
  const edge = await edgeForTest(handler, { 'a.test': pem })
  const session = await openHttp2(edge.port, 'a.test', pem.chain)
  const ask = (path: string, headers: OutgoingHttpHeaders = {}, body?: string) =>
    askHttp2(session, { ':path': path, ...headers }, body)
  return { edge, seen, ask }
}

describe('on HTTP/2', () => {
  it('a plain GET has the fields of the response, and those of Node', async () => {
    const { ask } = await begin()
    const { headers, status, text } = await ask('/page', { 'x-request-id': 'mine' })
    expect([status, text]).toEqual([200, 'plain'])
    expect(headers).toMatchObject({
      etag: '"x"',
      link: '</a>, </b>',
      ratelimit: 'r=1',
      'strict-transport-security': 'max-age=1',
      'x-request-id': 'mine',
      date: expect.stringMatching(/ GMT$/),
    })
  })

  it.each([
    ['another method', '/page', { ':method': 'HEAD' }, undefined, ''],
    ['a body', '/page', { ':method': 'GET' }, 'body', 'ordinary'],
    ['a body that is announced', '/page', { 'content-length': '0' }, undefined, 'ordinary'],
    ['a fragment', '/page#here', {}, undefined, 'ordinary'],
    ['what is not answered', '/refused', {}, undefined, 'ordinary'],
    ['an error', '/throws', {}, undefined, 'ordinary'],
    ['an error later', '/rejects', {}, undefined, 'ordinary'],
  ])('%s goes the ordinary way', async (_, path, headers, body, text) => {
    const { ask, seen } = await begin()
    expect((await ask(path, headers, body)).text).toBe(text)
    expect(seen).toHaveLength(1)
  })

  it('what was taken from a rate limit goes along', async () => {
    const { ask, seen } = await begin()
    await ask('/refused')
    expect(seen[0]?.allowance?.spent).toBe(spent)
  })

  it('a response may come later, have no body, or a large one', async () => {
    const { ask, seen } = await begin()
    expect((await ask('/later')).text).toBe('later')
    expect(await ask('/304')).toMatchObject({ status: 304, text: '' })
    expect((await ask('/large')).text).toBe(large)
    expect(seen).toEqual([])
  })

  it('many at once are all answered', async () => {
    const { ask, seen } = await begin()
    const answers = await Promise.all(Array.from({ length: 90 }, (_, i) => ask(`/page-${i}`)))
    for (const { status } of answers) expect(status).toBe(200)
    expect(seen).toEqual([])
  })

  it('a host of another certificate is refused, also when that is known later', async () => {
    const { ask, edge } = await begin()
    edge.directory.mode = 'later'
    expect((await ask('/page')).text).toBe('ordinary')
    expect((await ask('/page', { ':authority': 'c.test' })).status).toBe(421)
  })
})
