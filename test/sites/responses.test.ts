// Responses for files: content types, caching, ETags, encodings, conditions, ranges and policies.

import { hash } from 'node:crypto'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { servingSites, sites } from './published-site.ts'

const page = `<!doctype html><title>Hot</title>${'<p>Paragraph of a page.</p>'.repeat(300)}`
const binary = Uint8Array.from({ length: 70_000 }, (_, i) => (i * 7919) % 251)
const latin = Uint8Array.from({ length: 256 }, (_, i) => i)

const files = {
  'index.html': page,
  'tiny.html': 'x',
  'empty.txt': '',
  'latin.bin': latin,
  'binary.png': binary,
  'assets/index-D4xK2mQ9.css': `body{color:red}${' '.repeat(600)}`,
  'assets/index-stylesheet.css': 'p{}',
  'pages/name.3fa9c2d41b.html': 'hashed, but a page',
  'picture.svg': '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
  LICENSE: 'as you like',
  '404.html': `<h1>Lost</h1>${'<p>Nothing here.</p>'.repeat(100)}`,
}
const tagOf = (content: string | Uint8Array): string => hash('sha256', content, 'hex').slice(0, 32)
const pageTag = tagOf(page)
const browser = { 'Accept-Encoding': 'gzip, deflate, br, zstd', Accept: 'text/html,*/*;q=0.8' }

describe.each(cases(engines))('responses for files on %s', (engine) => {
  servingSites(engine, async () => {
    await sites.publish('docs', files)
    await sites.publish('rendered', files, 'rendered')
  })

  // Twice: from the database, then from memory.
  const twice = async (check: () => Promise<void>): Promise<void> => {
    await check()
    await check()
  }

  it.each([
    ['/', page],
    ['/tiny', 'x'],
    ['/empty.txt', ''],
    ['/latin.bin', latin],
    ['/binary.png', binary],
  ])('%s has the exact bytes', (target, content) =>
    twice(async () => {
      const { body, headers } = await sites.ask(target)
      expect(body.equals(Buffer.from(content as string))).toBe(true)
      expect(headers['content-length']).toBe(String(body.length))
      expect(headers.etag).toBe(`"${tagOf(content)}"`)
      expect(headers['accept-ranges']).toBe('bytes')
      expect(headers).not.toHaveProperty('content-encoding')
    }),
  )

  it.each([
    ['br', `"${pageTag}-br"`, brotliDecompressSync],
    ['gzip', `"${pageTag}-gzip"`, gunzipSync],
    ['gzip, br', `"${pageTag}-br"`, brotliDecompressSync],
    ['br;q=0.1, gzip;q=0.9', `"${pageTag}-gzip"`, gunzipSync],
  ])('Accept-Encoding: %s', (accepted, etag, decode) =>
    twice(async () => {
      const { body, headers } = await sites.ask('/', { headers: { 'Accept-Encoding': accepted } })
      expect(headers.etag).toBe(etag)
      expect(etag).toContain(headers['content-encoding'])
      expect(headers.vary).toBe('Accept-Encoding')
      expect(decode(body).toString()).toBe(page)
    }),
  )

  it('varies by Accept-Encoding only if there are encodings', async () => {
    for (const headers of [{}, browser, { 'Accept-Encoding': 'identity' }]) {
      expect((await sites.ask('/', { headers })).headers.vary).toBe('Accept-Encoding')
      for (const target of ['/tiny', '/binary.png', '/empty.txt']) {
        const response = await sites.ask(target, { headers })
        expect(response.headers).not.toHaveProperty('vary')
        expect(response.headers).not.toHaveProperty('content-encoding')
      }
    }
  })

  it.each([
    ['/', 'text/html; charset=utf-8'],
    ['/assets/index-D4xK2mQ9.css', 'text/css; charset=utf-8', 'max-age=31536000, immutable'],
    ['/assets/index-stylesheet.css', 'text/css; charset=utf-8'],
    ['/pages/name.3fa9c2d41b', 'text/html; charset=utf-8'],
    ['/picture.svg', 'image/svg+xml; charset=utf-8'],
    ['/LICENSE', 'application/octet-stream'],
  ])('%s is %s, %s', (target, type, caching = 'max-age=0, must-revalidate') =>
    twice(async () => {
      const { headers } = await sites.ask(target)
      expect(headers['content-type']).toBe(type)
      expect(headers['cache-control']).toBe(`public, ${caching}`)
    }),
  )

  it('HEAD has the headers of GET, and no body', () =>
    twice(async () => {
      for (const target of ['/', '/binary.png', '/empty.txt', '/none', '/index.html']) {
        const got = await sites.ask(target, { headers: browser })
        const headed = await sites.ask(target, { method: 'HEAD', headers: browser })
        const { 'x-request-id': _, date: __, ...head } = headed.headers
        expect(got.headers).toMatchObject(head)
        expect(headed.status).toBe(got.status)
        expect(headed.body).toHaveLength(0)
      }
    }))

  // Conditions: headers, status. PAGE stands for the page's ETag.
  it.each([
    [{ 'If-None-Match': '"PAGE"' }, 304],
    [{ 'If-None-Match': 'W/"PAGE"' }, 304],
    [{ 'If-None-Match': '"a", "PAGE"' }, 304],
    [{ 'If-None-Match': '*' }, 304],
    [{ 'If-None-Match': '"other"' }, 200],
    [{ 'If-None-Match': '"PAGE-br"' }, 200],
    [{ 'If-None-Match': '"PAGE-br"', 'Accept-Encoding': 'br' }, 304],
    [{ 'If-None-Match': '"PAGE-br"', 'Accept-Encoding': 'gzip' }, 200],
    [{ 'If-None-Match': '"PAGE-gzip"', 'Accept-Encoding': 'gzip' }, 304],
    [{ 'If-None-Match': '"PAGE"', 'Accept-Encoding': 'gzip' }, 200],
    [{ 'If-None-Match': 'PAGE' }, 200],
    [{ 'If-Modified-Since': 'Thu, 01 Jan 2099 00:00:00 GMT' }, 200],
    [{ 'If-Unmodified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 200],
    [{ 'If-Match': '"PAGE"' }, 200],
    [{ 'If-Match': '"PAGE-br"' }, 200],
    [{ 'If-Match': '*' }, 200],
    [{ 'If-Match': 'W/"PAGE"' }, 412],
    [{ 'If-Match': '"other"' }, 412],
    [{ 'If-Match': '"other"', 'If-None-Match': '"PAGE"' }, 412],
    [{ 'If-Match': '"PAGE"', 'If-None-Match': '"PAGE"' }, 304],
    // The condition is evaluated before the range.
    [{ 'If-None-Match': '"PAGE"', Range: 'bytes=0-1' }, 304],
    [{ 'If-None-Match': '"PAGE"', Range: 'bytes=999999-' }, 304],
    [{ 'If-None-Match': '"other"', Range: 'bytes=0-1' }, 206],
  ] as [Record<string, string>, number][])('%o: %i', (fields, status) =>
    twice(async () => {
      const headers = Object.fromEntries(
        Object.entries(fields).map(([name, value]) => [name, value.replaceAll('PAGE', pageTag)]),
      )
      for (const method of ['GET', 'HEAD']) {
        const response = await sites.ask('/', { method, headers })
        expect(response.status).toBe(method === 'HEAD' && status === 206 ? 200 : status)
      }
    }),
  )

  it('a 304 has the headers that may have changed, and no content', async () => {
    const headers = { ...browser, 'If-None-Match': `"${pageTag}-br"` }
    const response = await sites.ask('/', { slug: 'rendered', headers })
    expect(response.status).toBe(304)
    expect(response.headers).toMatchObject({
      etag: `"${pageTag}-br"`,
      'cache-control': 'public, max-age=0, must-revalidate',
      vary: 'Accept-Encoding',
      'content-security-policy': expect.stringContaining("default-src 'self'"),
      date: expect.any(String),
    })
    for (const name of ['content-type', 'content-length', 'content-encoding', 'last-modified']) {
      expect(response.headers).not.toHaveProperty(name)
    }
  })

  // Range of the page, other headers, status, and the part: from, to (exclusive).
  const size = page.length
  it.each([
    ['bytes=0-9', {}, 206, 0, 10],
    ['bytes=0-9', browser, 206, 0, 10],
    ['bytes=100-', browser, 206, 100, size],
    ['bytes=-7', {}, 206, size - 7, size],
    [`bytes=0-${size}`, {}, 206, 0, size],
    ['bytes=0-9', { 'If-Range': `"${pageTag}"` }, 206, 0, 10],
    ['bytes=0-9', { 'If-Range': `W/"${pageTag}"` }, 200, 0, size],
    ['bytes=0-9', { 'If-Range': `"${pageTag}-br"` }, 200, 0, size],
    ['bytes=0-9', { 'If-Range': '"other"' }, 200, 0, size],
    ['bytes=0-9', { 'If-Range': 'Thu, 01 Jan 2099 00:00:00 GMT' }, 200, 0, size],
    ['bytes=999999-', { 'If-Range': '"other"' }, 200, 0, size],
    ['bytes=0-1,4-5', {}, 200, 0, size],
    ['lines=0-1', {}, 200, 0, size],
    ['bytes=9-1', {}, 200, 0, size],
  ] as [string, Record<string, string>, number, number, number][])(
    'Range: %s with %o: %i',
    (range, others, status, from, to) =>
      twice(async () => {
        const { body, headers, ...response } = await sites.ask('/', {
          headers: { Range: range, ...others },
        })
        expect(response.status).toBe(status)
        expect(body.toString()).toBe(page.slice(from, to))
        expect(headers.etag).toBe(`"${pageTag}"`)
        expect(headers['content-range']).toBe(
          status === 206 ? `bytes ${from}-${to - 1}/${size}` : undefined,
        )
        expect(headers['content-length']).toBe(String(to - from))
        expect(headers).toMatchObject({ 'accept-ranges': 'bytes', vary: 'Accept-Encoding' })
      }),
  )

  it('a request for several ranges gets the whole file in an accepted encoding', async () => {
    const headers = { ...browser, Range: 'bytes=0-1,4-5' }
    const response = await sites.ask('/', { headers })
    expect(response.status).toBe(200)
    expect(brotliDecompressSync(response.body).toString()).toBe(page)
  })

  it('a range of a binary file is right', () =>
    twice(async () => {
      const response = await sites.ask('/binary.png', { headers: { Range: 'bytes=65530-65545' } })
      expect(response.status).toBe(206)
      expect([...response.body]).toEqual([...binary.slice(65530, 65546)])
      const small = await sites.ask('/latin.bin', { headers: { Range: 'bytes=120-140' } })
      expect([...small.body]).toEqual([...latin.slice(120, 141)])
    }))

  it.each([
    ['/', `bytes=${size}-`, size],
    ['/', 'bytes=-0', size],
    ['/empty.txt', 'bytes=0-', 0],
  ])('%s, %s: 416', (target, range, length) =>
    twice(async () => {
      const response = await sites.ask(target, { headers: { Range: range } })
      expect(response.status).toBe(416)
      expect(response.headers['content-range']).toBe(`bytes */${length}`)
      expect(response.headers['content-type']).toBe('text/html; charset=utf-8')
    }),
  )

  it('a client that prefers JSON gets an Error instead of an error page', () =>
    twice(async () => {
      const Accept = 'application/json'
      const lost = await sites.ask('/none', { headers: { Accept } })
      expect(lost.json).toMatchObject({ code: 'route_not_found', status: 404 })
      const changed = await sites.ask('/', { headers: { Accept, 'If-Match': '"other"' } })
      expect(changed.json).toMatchObject({ code: 'precondition_failed', status: 412 })
      // There is no error code for this status.
      const range = await sites.ask('/', { headers: { Accept, Range: 'bytes=999999-' } })
      expect(range.status).toBe(416)
      expect(range.headers['content-range']).toBe(`bytes */${size}`)
    }))

  it("a site's 404 page has no conditions, no ranges, no ETag, and is never immutable", () =>
    twice(async () => {
      const lost = files['404.html']
      for (const headers of [
        {},
        { 'If-None-Match': `"${tagOf(lost)}"` },
        { 'If-None-Match': '*' },
        { 'If-Match': '"other"' },
        { Range: 'bytes=0-1' },
      ]) {
        const response = await sites.ask('/none-3fa9c2d41b.css', { headers })
        expect(response.status).toBe(404)
        expect(response.text).toBe(lost)
        expect(response.headers).not.toHaveProperty('etag')
        expect(response.headers).not.toHaveProperty('accept-ranges')
        expect(response.headers['cache-control']).toBe('public, max-age=0, must-revalidate')
        expect(response.headers.vary).toBe('Accept, Accept-Encoding')
      }
      const coded = await sites.ask('/none', { headers: browser })
      expect(brotliDecompressSync(coded.body).toString()).toBe(lost)
      const head = await sites.ask('/none', { method: 'HEAD', headers: browser })
      expect([head.status, head.body.length]).toEqual([404, 0])
      expect((await sites.ask('/404')).status).toBe(200)
    }))

  it('headers of every response', async () => {
    const asked = [
      sites.ask('/'),
      sites.ask('/', { headers: { Range: 'bytes=0-1' } }),
      sites.ask('/', { headers: { Range: 'bytes=999999-' } }),
      sites.ask('/', { headers: { 'If-None-Match': '*' } }),
      sites.ask('/', { headers: { 'If-Match': '"x"' } }),
      sites.ask('/index.html'),
      sites.ask('/none'),
      sites.ask('/none', { headers: { Accept: 'application/json' } }),
      sites.ask('/%'),
      sites.ask('/', { method: 'OPTIONS' }),
      sites.ask('/', { method: 'POST' }),
      sites.ask('/', { slug: 'unknown' }),
      sites.ask('/', { slug: 'rendered' }),
      sites.ask('/picture.svg', { slug: 'rendered' }),
    ]
    for (const { headers, head } of await Promise.all(asked)) {
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'strict-origin-when-cross-origin',
        'cross-origin-opener-policy': 'same-origin',
        'origin-agent-cluster': '?1',
        'x-frame-options': 'SAMEORIGIN',
        'content-security-policy': expect.stringContaining("frame-ancestors 'self'"),
        'x-request-id': expect.stringMatching(/./),
      })
      for (const name of ['set-cookie', 'service-worker-allowed', 'last-modified', 'server']) {
        expect(headers).not.toHaveProperty(name)
      }
      const names = head.split('\r\n').map((line) => line.split(':', 1)[0]?.toLowerCase() as string)
      const once = names.filter((name) => name !== 'vary')
      expect(new Set(once).size).toBe(once.length)
    }
  })

  it('rendered pages load only images from other hosts; uploaded pages are not restricted', async () => {
    const policyOf = async (slug: string, target: string) =>
      (await sites.ask(target, { slug })).headers['content-security-policy']
    const strict =
      "default-src 'self'; img-src 'self' data: https:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    for (const target of ['/', '/tiny', '/none']) {
      expect(await policyOf('rendered', target)).toBe(strict)
      expect(await policyOf('docs', target)).toBe("frame-ancestors 'self'")
    }
    expect(await policyOf('rendered', '/picture.svg')).toBe(strict)
    expect(await policyOf('docs', '/picture.svg')).toBe("frame-ancestors 'self'")
  })

  it('returns a valid request ID, separately for each response', async () => {
    const ids = ['one', 'two', undefined, 'three']
    for (const id of ids) {
      const headers: Record<string, string> = id === undefined ? {} : { 'X-Request-Id': id }
      const response = await sites.ask('/', { headers })
      if (id === undefined) expect(ids).not.toContain(response.headers['x-request-id'])
      else expect(response.headers['x-request-id']).toBe(id)
    }
  })

  it('ignores cookies', async () => {
    const plain = await sites.ask('/')
    const { body, status } = await sites.ask('/', { headers: { Cookie: 'session=1; theme=dark' } })
    expect([status, body.equals(plain.body)]).toEqual([200, true])
  })
})
