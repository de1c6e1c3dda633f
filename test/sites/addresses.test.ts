// Which file a URL means, where the other URLs of a file redirect to, and which rule of `_redirects` applies to which
// address.

import { describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { servingSites, sites } from './published-site.ts'

const files = [
  'index.html',
  'about.html',
  'Guide.html',
  'guides/index.html',
  'guides/first.html',
  // A folder and a page with the same name, and a file with the page's short name.
  'both.html',
  'both/index.html',
  'plain',
  'plain.html',
  'twice.html.html',
  'folder-only/page.html',
  'index/index.html',
  'strange/.html',
  'strange/index.html.html',
  'data.json',
  'café/menü.html',
  'a b/c#d?e.html',
  '100%.html',
  '%41.html',
  "q&a/it's (new)+~.html",
  'evil.example/index.html',
  'deep/index.html',
  'deep/404.html',
  '404.html',
]

// Target, status, and the file that is served or the Location.
const answers: [target: string, status: number, what: string][] = [
  ['/', 200, 'index.html'],
  ['/?', 200, 'index.html'],
  ['/?a=1&b=/x', 200, 'index.html'],
  ['/index.html', 308, '/'],
  ['/index.html?a=%20b', 308, '/?a=%20b'],
  ['/about', 200, 'about.html'],
  ['/about?x', 200, 'about.html'],
  ['/%61bout', 200, 'about.html'],
  ['/about.html', 308, '/about'],
  ['/about.html?x=//evil', 308, '/about?x=//evil'],
  ['/about/', 308, '/about'],
  ['/about.html/', 308, '/about'],
  ['/About', 404, '404.html'],
  ['/guide', 404, '404.html'],
  ['/Guide', 200, 'Guide.html'],
  ['/guides', 308, '/guides/'],
  ['/guides?q=1', 308, '/guides/?q=1'],
  ['/guides/', 200, 'guides/index.html'],
  ['/guides/index.html', 308, '/guides/'],
  ['/guides/index', 308, '/guides/'],
  ['/guides/first', 200, 'guides/first.html'],
  ['/guides/first/', 308, '/guides/first'],
  ['/both', 200, 'both.html'],
  ['/both/', 200, 'both/index.html'],
  ['/both.html', 308, '/both'],
  ['/plain', 200, 'plain'],
  ['/plain/', 308, '/plain'],
  ['/plain.html', 200, 'plain.html'],
  ['/plain.html/', 308, '/plain.html'],
  ['/twice.html', 200, 'twice.html.html'],
  ['/twice.html.html', 308, '/twice.html'],
  ['/twice', 404, '404.html'],
  ['/folder-only', 404, '404.html'],
  ['/folder-only/', 404, '404.html'],
  ['/index', 308, '/'],
  ['/index/', 200, 'index/index.html'],
  ['/strange/.html', 200, 'strange/.html'],
  ['/strange/', 404, '404.html'],
  ['/strange/index.html', 200, 'strange/index.html.html'],
  ['/data.json', 200, 'data.json'],
  ['/data', 404, '404.html'],
  ['/caf%C3%A9/men%C3%BC', 200, 'café/menü.html'],
  // Decomposed Unicode, as some systems send it.
  ['/cafe%CC%81/menu%CC%88', 200, 'café/menü.html'],
  ['/caf%C3%A9/men%C3%BC.html', 308, '/caf%C3%A9/men%C3%BC'],
  ['/a%20b/c%23d%3Fe', 200, 'a b/c#d?e.html'],
  ['/a%20b/c%23d%3Fe.html?x', 308, '/a%20b/c%23d%3Fe?x'],
  ['/100%25', 200, '100%.html'],
  ['/100%25.html', 308, '/100%25'],
  ['/%2541', 200, '%41.html'],
  ['/%2541.html', 308, '/%2541'],
  ["/q&a/it's%20(new)+~", 200, "q&a/it's (new)+~.html"],
  ['/q%26a/it%27s%20%28new%29%2B%7E', 200, "q&a/it's (new)+~.html"],
  ['/evil.example/index.html', 308, '/evil.example/'],
  ['/deep', 308, '/deep/'],
  ['/deep/none', 404, 'deep/404.html'],
  ['/deep/er/none', 404, 'deep/404.html'],
  ['/deep/er/', 404, 'deep/404.html'],
  ['/deeper/none', 404, '404.html'],
  ['/404', 200, '404.html'],
  ['/404.html', 308, '/404'],
]

// Neither served nor redirected: the site's 404 page, the nearest of which is at the root.
const nowhere = [
  '//',
  '//about',
  '///about.html',
  '//evil.example/index.html',
  '//evil.example',
  '/%2F/evil.example/index.html',
  '/%2Fevil.example/index.html',
  '/%2f%2fevil.example/index.html',
  '/evil.example%2Findex.html',
  '/\\evil.example/index.html',
  '/\\/evil.example/index.html',
  '/%5Cevil.example/index.html',
  '/%5c%5cevil.example',
  '/./about',
  '/.',
  '/..',
  '/../about',
  '/guides/../about',
  '/guides/..',
  '/guides/%2e%2e/about',
  '/%2E%2E/%2E%2E/etc/passwd',
  '/guides/.%2e/index.html',
  '/guides//first',
  '/guides//',
  '/about//',
  '/about%00',
  '/%00',
  '/about%00.html',
  '/about%0D%0ALocation:%20http://evil.example',
  '/about%0a',
  '/about%7F',
  '/about%C2%85',
  // Too long, in characters, bytes or levels.
  `/${'a/'.repeat(600)}`,
  `/${'a'.repeat(1025)}`,
  `/${'%C3%A9'.repeat(513)}`,
  `/${'x/'.repeat(200)}about`,
]

const malformed = [
  '/%',
  '/%4',
  '/%zz',
  '/about%',
  '/%u0061bout',
  '/%C3',
  '/%C3%28',
  '/%FF',
  // Overlong encoding, half a surrogate pair, beyond Unicode.
  '/%C0%AF',
  '/%c0%ae%c0%ae/about',
  '/%E0%80%AF',
  '/%ED%A0%80',
  '/%F5%80%80%80',
]

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

const withRules = {
  'index.html': 'Front',
  'new.html': 'New',
  'there.html': 'There',
  'hidden.html': 'Hidden',
  'guide.html': 'Guide',
  'self/index.html': 'Self',
  '404.html': 'Lost',
  _redirects: rules,
}

const byRules: [target: string, status: number, what: string][] = [
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

describe.each(cases(engines))('addresses on %s', (engine) => {
  servingSites(engine, async () => {
    await sites.publish('docs', Object.fromEntries(files.map((file) => [file, file])))
    await sites.publish('other', { 'secret.html': 'of another site' })
    await sites.publish('ruled', withRules)
  })

  // Twice: the cached result must be the same.
  it.each(answers)('%s: %i %s', async (target, status, what) => {
    for (let i = 0; i < 2; i++) {
      const response = await sites.ask(target)
      expect(response.status).toBe(status)
      expect(status === 308 ? response.headers.location : response.text).toBe(what)
    }
    // To a page, not to another redirect.
    if (status === 308) expect((await sites.ask(what)).status).toBe(200)
  })

  it.each(nowhere)('%s is not found and does not redirect', async (target) => {
    const response = await sites.ask(target)
    expect(response.headers).not.toHaveProperty('location')
    expect(response.status).toBe(404)
    expect(response.text).toBe('404.html')
  })

  it.each(malformed)('%s is malformed', async (target) => {
    const response = await sites.ask(target)
    expect(response.headers).not.toHaveProperty('location')
    expect(response.status).toBe(400)
    expect(response.headers['content-type']).toBe('text/html; charset=utf-8')
  })

  it('a target in absolute form requests the site that it names', async () => {
    const { text } = await sites.ask('http://docs.docs.localhost:8080/about', { slug: 'other' })
    expect(text).toBe('about.html')
  })

  it('a file of another site is not found', async () => {
    expect((await sites.ask('/secret')).status).toBe(404)
    expect((await sites.ask('/secret', { slug: 'other' })).text).toBe('of another site')
  })

  it('a 308 is not cached permanently, and has no body', async () => {
    const { body, headers } = await sites.ask('/about.html')
    expect(headers['cache-control']).toBe('public, max-age=0, must-revalidate')
    expect(headers['content-length']).toBe('0')
    expect(body).toHaveLength(0)
  })

  const seen = async (target: string): Promise<[number, string]> => {
    const { headers, status, text } = await sites.ask(target, { slug: 'ruled' })
    return [status, headers.location ?? text]
  }

  it.each(byRules)('a rule: %s is %i %s', async (target, status, what) => {
    expect(await seen(target)).toEqual([status, what])
    // The same from the cache.
    expect(await seen(target)).toEqual([status, what])
  })

  it('rules are revalidated, because the next deploy may change them', async () => {
    const { headers } = await sites.ask('/old', { slug: 'ruled' })
    expect(headers['cache-control']).toBe('public, max-age=0, must-revalidate')
    await sites.publish('changing', { 'index.html': '', _redirects: '/old /one' })
    expect((await sites.ask('/old', { slug: 'changing' })).headers.location).toBe('/one')
    await sites.publish('changing', { 'index.html': '', _redirects: '/old /two' })
    expect((await sites.ask('/old', { slug: 'changing' })).headers.location).toBe('/two')
    await sites.publish('changing', { 'index.html': '' })
    expect((await sites.ask('/old', { slug: 'changing' })).status).toBe(404)
  })

  it('rules apply to HEAD, and to no other method', async () => {
    const head = await sites.ask('/old', { slug: 'ruled', method: 'HEAD' })
    expect([head.status, head.headers.location]).toEqual([301, '/new'])
    expect((await sites.ask('/old', { slug: 'ruled', method: 'POST' })).status).toBe(405)
  })
})
