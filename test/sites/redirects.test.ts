// The redirects of a site (`_redirects`): which rule applies to which address, and what never becomes a redirect.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { type PublishedSites, servePublishedSites } from './published-site.ts'

const rules = `
# Comments and empty lines are skipped.
/old /new
/old-301 /new 301
/found /new 302     # for now
/other /new 303
/temporary /new 307
/permanent /new 308
/shop https://shop.example/start?from=docs
/own-query /new?a=1#part
/fragment /new#part
/caf%C3%A9 /men\u00fc
/slash/ /new
/news/special /special
/news/* /blog/:splat
/u/:name/posts/:id https://people.example/:id/by/:name 302
/there /new
/hidden /new 302!
/shown /hidden 200
/app/* /index.html 200
/page /guide.html 200
/nothing /none 200
/rules /_redirects 200
/a /b
/b /a
/grow/* /grow/:splat/more
/self/* /self/ 302
/r/:b/* /:splat/:b
/first /new 302
/first /second
`

const files = {
  'index.html': 'Front',
  'new.html': 'New',
  'there.html': 'There',
  'hidden.html': 'Hidden',
  'guide.html': 'Guide',
  'self/index.html': 'Self',
  '404.html': 'Lost',
  _redirects: rules,
}

const answers: [target: string, status: number, what: string][] = [
  ['/old', 301, '/new'],
  ['/old/', 301, '/new'],
  ['/old?a=b', 301, '/new?a=b'],
  ['/%6Fld', 301, '/new'],
  ['/old-301', 301, '/new'],
  ['/found', 302, '/new'],
  ['/other', 303, '/new'],
  ['/temporary', 307, '/new'],
  ['/permanent', 308, '/new'],
  ['/shop?x=y', 301, 'https://shop.example/start?from=docs'],
  ['/own-query?b=2', 301, '/new?a=1#part'],
  ['/fragment?b=2', 301, '/new?b=2#part'],
  ['/caf%C3%A9', 301, '/men%C3%BC'],
  ['/cafe%CC%81', 301, '/men%C3%BC'],
  ['/slash', 301, '/new'],
  ['/news/special', 301, '/special'],
  ['/news', 301, '/blog/'],
  ['/news/2026/a%20b%3Fc', 301, '/blog/2026/a%20b%3Fc'],
  ['/u/ann/posts/7', 302, 'https://people.example/7/by/ann'],
  ['/u/a@b%3Fc/posts/:id', 302, 'https://people.example/%3Aid/by/a%40b%3Fc'],
  ['/u/ann/posts', 404, 'Lost'],
  // A file goes first, unless the rule is forced.
  ['/there', 200, 'There'],
  ['/shown', 200, 'Hidden'],
  ['/hidden', 302, '/new'],
  ['/app/any/where', 200, 'Front'],
  ['/page', 200, 'Guide'],
  ['/nothing', 404, 'Lost'],
  // Neither the file itself, nor a circle, nor another host that a visitor chose.
  ['/_redirects', 404, 'Lost'],
  ['/_redirects/', 404, 'Lost'],
  ['/rules', 404, 'Lost'],
  ['/a', 404, 'Lost'],
  ['/b', 404, 'Lost'],
  ['/grow/1', 404, 'Lost'],
  ['/self/x', 302, '/self/'],
  ['/r/evil.example', 301, '/evil.example'],
  ['/r/evil.example/', 301, '/evil.example'],
  ['/r/b//evil.example', 404, 'Lost'],
  ['/first', 302, '/new'],
]

describe.each(cases(engines))('the redirects of a site on %s', (engine) => {
  let sites: PublishedSites
  beforeAll(async () => {
    sites = await servePublishedSites(engine)
    await sites.publish('docs', files)
  })
  afterAll(() => sites.release())

  const seen = async (target: string): Promise<[number, string]> => {
    const { headers, status, text } = await sites.ask(target)
    return [status, headers.location ?? text]
  }

  it.each(answers)('%s is %i %s', async (target, status, what) => {
    expect(await seen(target)).toEqual([status, what])
    // The same from the cache.
    expect(await seen(target)).toEqual([status, what])
  })

  it('are revalidated, because the next deploy may change them', async () => {
    const { headers } = await sites.ask('/old')
    expect(headers['cache-control']).toBe('public, max-age=0, must-revalidate')
    await sites.publish('changing', { 'index.html': '', _redirects: '/old /one' })
    expect((await sites.ask('/old', { slug: 'changing' })).headers.location).toBe('/one')
    await sites.publish('changing', { 'index.html': '', _redirects: '/old /two' })
    expect((await sites.ask('/old', { slug: 'changing' })).headers.location).toBe('/two')
    await sites.publish('changing', { 'index.html': '' })
    expect((await sites.ask('/old', { slug: 'changing' })).status).toBe(404)
  })

  it('apply to HEAD, and to no other method', async () => {
    const head = await sites.ask('/old', { method: 'HEAD' })
    expect([head.status, head.headers.location]).toEqual([301, '/new'])
    expect((await sites.ask('/old', { method: 'POST' })).status).toBe(405)
  })
})
