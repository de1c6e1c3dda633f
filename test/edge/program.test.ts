// The program's handlers over HTTP/2: each response equals that of HTTP/1.1, except headers that only HTTP/1.1 has.
import { once } from 'node:events'
import type { ClientHttp2Session } from 'node:http2'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Handler } from '#kit/http/listener/intake.ts'
import { createMetrics } from '#kit/metrics.ts'
import { publishedVersions } from '#publishing/database/publishing-state.ts'
import { createSites } from '#publishing/sites/site-handler.ts'
import { startStore } from '../running-store.ts'
import { shared } from '../shared.ts'
import { servePublishedSites } from '../sites/published-site.ts'
import { makeCertificate } from './certificates.ts'
import { type Answer, ask, askHttp2, openHttp2 } from './clients.ts'
import { type Edge, startEdge } from './started-edge.ts'

const pem = makeCertificate(['localhost', 'docs.docs.localhost'])
const onlyOfHttp1 = [
  'connection',
  'keep-alive',
  'transfer-encoding',
  'date',
  'x-request-id',
  ':status',
]

interface Asked {
  method?: string
  headers?: Record<string, string>
  body?: string
}

let edge: Edge
let session: ClientHttp2Session
/** Serves what the group has started, over both versions of HTTP. */
function serving(handler: () => Handler, host: string): void {
  beforeAll(async () => {
    edge = await startEdge(handler())
    edge.directory.show(host, 'one', pem)
    session = await openHttp2(edge.port, host, pem.chain)
  })
  afterAll(async () => {
    session.destroy()
    await edge.stop()
  })
}

const overHttp1 = (host: string, path: string, { headers, ...asked }: Asked) =>
  ask(edge.plainPort, host, undefined, path, headers, { ...asked, encoding: 'latin1' })

async function overHttp2(host: string, path: string, { body, headers, method = 'GET' }: Asked) {
  const pseudo = { ':authority': host, ':path': path, ':method': method }
  return await askHttp2(session, { ...pseudo, ...headers }, body, 'latin1')
}

function comparable({ headers, status, text }: Answer) {
  const fields = Object.entries(headers).filter(([name]) => !onlyOfHttp1.includes(name))
  return { status, text, headers: Object.fromEntries(fields) }
}

async function expectSame(host: string, path: string, asked: Asked, status: number): Promise<void> {
  const [one, two] = [await overHttp1(host, path, asked), await overHttp2(host, path, asked)]
  expect(comparable(two)).toEqual(comparable(one))
  expect(two.status).toBe(status)
}

describe('the store', () => {
  const store = shared(() => startStore('sqlite'))
  let authorization: string
  beforeAll(() => {
    authorization = `Bearer ${store.keys.production}`
  })
  serving(() => store.running.store.handlers.production, 'localhost')

  const json = { 'content-type': 'application/json' }
  const pet = '{"name":"Rex","categoryId":9007199254740993}'
  const table: [number, string, Asked][] = [
    [200, '/v1/pets', {}],
    [200, '/v1/pets', { headers: { 'accept-encoding': 'gzip, br' } }],
    [200, '/v1/pets', { method: 'HEAD' }],
    [200, '/v1/openapi.json', { headers: { 'accept-encoding': 'br' } }],
    [204, '/v1/pets', { method: 'OPTIONS' }],
    [405, '/v1/pets', { method: 'PUT', body: 'x' }],
    [404, '/v1/none', { method: 'POST', body: '{}', headers: json }],
    [406, '/v1/pets', { headers: { accept: 'text/html' } }],
    [415, '/v1/pets', { method: 'POST', body: pet }],
    [400, '/v1/pets', { method: 'POST', body: '{', headers: json }],
    [413, '/v1/pets', { method: 'POST', body: `"${'x'.repeat(70_000)}"`, headers: json }],
    [401, '/v1/pets', { headers: { authorization: 'Bearer no' } }],
    [200, '/v1/pets?limit=1&status=available', { headers: { prefer: 'count=exact' } }],
  ]
  it.each(table)('%i %s %j', async (status, path, { headers, ...asked }) => {
    const fields = { authorization, ...headers }
    await expectSame('localhost', path, { ...asked, headers: fields }, status)
  })

  it('creates animals, with and without a length, and with 100 Continue', async () => {
    const length = { 'content-length': String(pet.length) }
    for (const more of [{}, length, { ...length, expect: '100-continue' }]) {
      const headers = { authorization, ...json, ...more }
      const asked = { method: 'POST', body: pet, headers }
      const { status, text } = await overHttp2('localhost', '/v1/pets', asked)
      expect([status, text]).toEqual([
        201,
        expect.stringContaining('"categoryId":9007199254740993'),
      ])
    }
    const { text } = await overHttp2('localhost', '/v1/pets', { headers: { authorization } })
    const etag =
      (await overHttp1('localhost', '/v1/pets', { headers: { authorization } })).headers.etag ?? ''
    expect(JSON.parse(text)).toHaveLength(3)
    const unchanged = { headers: { authorization, 'if-none-match': etag } }
    await expectSame('localhost', '/v1/pets', unchanged, 304)
    const gone = await overHttp2('localhost', '/v1/pets/1', {
      method: 'DELETE',
      headers: { authorization },
    })
    expect([gone.status, gone.text]).toEqual([204, ''])
  })
})

describe('a site', () => {
  const host = 'docs.docs.localhost'
  const sites = shared(() => servePublishedSites('sqlite'))
  beforeAll(async () => {
    await sites.publish('docs', {
      'index.html': `<title>Front</title>${'text '.repeat(1000)}`,
      'guides/first.html': '<title>First</title>',
      'large.bin': Buffer.alloc(3_000_000, 'l'),
    })
  })
  serving(() => {
    const { database } = sites
    const versions = publishedVersions(database)
    const more = { metrics: createMetrics(), log: pino({ level: 'silent' }) }
    const origin = () => `https://${host}`
    return createSites({ database, versions, origin, ...more }).handlerFor('docs')
  }, host)

  const table: [number, string, Asked][] = [
    [200, '/', {}],
    [200, '/', { headers: { 'accept-encoding': 'br' } }],
    [200, '/', { headers: { 'accept-encoding': 'gzip' } }],
    [200, '/', { method: 'HEAD' }],
    [204, '/', { method: 'OPTIONS' }],
    [405, '/', { method: 'POST', body: 'x' }],
    [206, '/', { headers: { range: 'bytes=3-9' } }],
    [416, '/', { headers: { range: 'bytes=9999999-' } }],
    [200, '/guides/first', {}],
    [308, '/guides/first.html', {}],
    [404, '/none', {}],
    [404, '/none', { headers: { accept: 'application/json' } }],
    [200, '/large.bin', {}],
    [206, '/large.bin', { headers: { range: 'bytes=1000000-2999999' } }],
  ]
  it.each(table)('%i %s %j', async (status, path, asked) => {
    await expectSame(host, path, asked, status)
  })

  it('sends eight large responses side by side, and the next when one is finished', async () => {
    const ask = () => {
      const stream = session.request({ ':authority': host, ':path': '/large.bin' })
      stream.on('error', () => {})
      const answered = once(stream, 'response')
      answered.catch(() => {})
      return { stream, answered }
    }
    const all = Array.from({ length: 12 }, ask)
    await Promise.all(all.slice(0, 8).map(({ answered }) => answered))
    const ninth = all[8]?.answered.then(() => 'answered')
    expect((await overHttp2(host, '/', {})).status).toBe(200)
    expect(await Promise.race([ninth, 'waiting'])).toBe('waiting')
    all[0]?.stream.destroy()
    all[11]?.stream.destroy()
    expect(await ninth).toBe('answered')
    for (const { stream } of all) stream.destroy()
    expect((await overHttp2(host, '/large.bin', {})).text.length).toBe(3_000_000)
  })

  it('304', async () => {
    const etag = (await overHttp2(host, '/', {})).headers.etag ?? ''
    await expectSame(host, '/', { headers: { 'if-none-match': etag } }, 304)
  })
})
