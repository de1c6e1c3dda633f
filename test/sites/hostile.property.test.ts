// For any request: no 5xx, no redirect to another host, and only bytes of the live deploy.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases, runs } from '../cases.ts'
import { engines } from '../database.ts'
import type { RawAnswer } from '../raw-connection.ts'
import { servingSites, sites } from './published-site.ts'

const files = {
  'index.html': 'front of the site',
  'a.html': 'page a of the site',
  'a/index.html': 'folder a of the site',
  'a/b.txt': 'text in folder a of the site',
  'evil.example/index.html': 'a folder named like a host, of the site',
  'é.html': 'a page beyond ASCII of the site',
  '%2e%2e.html': 'a page with percent signs, of the site',
}
const contents: string[] = Object.values(files)

const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'a.html', 'b.txt', 'index.html', 'index', 'é', '') },
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      ...['..', '.', '...', '%2e%2e', '%2E.', '%252e%252e', '\\', '%5c', '%2f'],
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom('evil.example', '@evil.example', 'http:', '%00', '%0d%0a'),
  },
  { weight: 3, arbitrary: fc.constantFrom('secret', 'secret.html', 'old', 'other', '%', '%c0%af') },
  { weight: 2, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 2, arbitrary: fc.string({ maxLength: 8 }).map(encodeURIComponent) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 6 }).map(encodeURIComponent) },
)
const end = fc.constantFrom('', '/', '//', '?', '?q=1', '?//evil.example', '#x', '?\\', '%', '?%00')
const target = fc
  .tuple(fc.array(piece, { maxLength: 6 }), fc.constantFrom('/', '//', '/\\', '/%2f'), end)
  .map(([pieces, start, last]) => start + pieces.join('/') + last)
  // Without characters that end the request line.
  .map((text) => text.replace(/[^!-ÿ]/g, ''))

const fieldValue = fc.oneof(
  fc.constantFrom('*', '"x"', 'W/"x"', 'bytes=0-1', 'bytes=-1', 'bytes=9-', 'bytes=0-0,2-3', '*/*'),
  fc.constantFrom('br', 'gzip', 'br;q=0, gzip;q=0.001', '*;q=0', 'identity;q=0', 'text/html;q=x'),
  fc.constantFrom('application/json', 'bytes=99999999999999999999-', ',,,', '"', 'bytes=1-0'),
  fc.string({ maxLength: 30 }).map((text) => text.replace(/[^\x21-\x7e]/g, '')),
)
const fieldName = fc.constantFrom(
  ...['Range', 'If-Range', 'If-Match', 'If-None-Match', 'Accept', 'Accept-Encoding', 'Cookie'],
)
const fields = fc.dictionary(fieldName, fieldValue, { maxKeys: 3 })

describe.each(cases(engines))('hostile requests on %s', (engine) => {
  servingSites(engine, async () => {
    await sites.publish('other', { 'secret.html': 'SECRET', 'index.html': 'SECRET' })
    await sites.publish('docs', { 'old.html': 'SECRET', 'secret.html': 'SECRET' })
    await sites.publish('docs', files)
    await sites.publish('before', files)
    await sites.rename('before', 'after')
  })

  function judge(response: RawAnswer, asked: string, statuses: number[]): void {
    expect(statuses).toContain(response.status)
    expect(response.text).not.toContain('SECRET')
    const { location } = response.headers
    if (response.status === 308) {
      // One leading slash, and nothing that a browser treats as a second one.
      expect(location).toMatch(/^(http:\/\/after\.docs\.localhost:8080)?\/(?![/\\])[^\\#]*/)
      const target = new URL(location as string, 'http://docs.docs.localhost:8080/x/y')
      expect(['docs.docs.localhost:8080', 'after.docs.localhost:8080']).toContain(target.host)
      expect(target.pathname).not.toMatch(/\/\/|\\/)
    } else expect(location, asked).toBeUndefined()
  }

  it('random targets', async () => {
    await fc.assert(
      fc.asyncProperty(target, async (asked) => {
        const response = await sites.ask(asked)
        judge(response, asked, [200, 308, 400, 404])
        if (response.status === 200) expect(contents).toContain(response.text)
      }),
      { numRuns: runs(500) },
    )
  })

  it('random targets of an earlier slug', async () => {
    await fc.assert(
      fc.asyncProperty(target, async (asked) => {
        judge(await sites.ask(asked, { slug: 'before' }), asked, [308, 400, 404])
      }),
      { numRuns: runs(200) },
    )
  })

  it('random headers', async () => {
    const pages = fc.constantFrom('/', '/a', '/a/b.txt', '/%C3%A9', '/none', '/a.html')
    await fc.assert(
      fc.asyncProperty(pages, fields, async (asked, headers) => {
        const response = await sites.ask(asked, { headers })
        judge(response, asked, [200, 206, 304, 308, 404, 412, 416])
        if (response.status === 206) {
          const [, first, last, size] =
            /^bytes (\d+)-(\d+)\/(\d+)$/.exec(response.headers['content-range'] ?? '') ?? []
          const whole = (await sites.ask(asked)).body
          expect(Number(size)).toBe(whole.length)
          expect(response.body.equals(whole.subarray(Number(first), Number(last) + 1))).toBe(true)
        }
      }),
      { numRuns: runs(400) },
    )
  })
})
