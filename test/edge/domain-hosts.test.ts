// Requests to hosts of customers on the program's own ports: certificates, redirects, challenges, canonical URLs.

import { beforeAll, describe, expect, it } from 'vitest'
import { httpChallengePath as challengePath } from '#acme/resources/orders.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { startPublishing } from '../publishing/publishing-in-test.ts'
import { ask as askHttp } from '../running-store.ts'
import { shared } from '../shared.ts'
import { ask, askHttp2, handshakeFault, openHttp2 } from './clients.ts'
import { openServedDomains } from './served-domains.ts'

const publicPort = '8443'

describe.each(cases(engines))('customers’ hosts on %s', (engine) => {
  const publishing = shared(() =>
    startPublishing(engine, { env: { PUBLIC_HTTPS_PORT: publicPort } }),
  )
  const domains = shared(() => openServedDomains(publishing.store.place))
  const owner = shared(() => publishing.member('paid'))
  let port: number
  beforeAll(() => {
    port = publishing.store.running.config.httpsPort ?? 0
  })

  let projects = 0
  /** A new published project. */
  async function project(files: Record<string, string> = {}): Promise<string> {
    const slug = `site-${++projects}`
    await owner.publish(slug, { 'index.html': `<title>${slug}</title>`, ...files })
    return slug
  }
  /** Follows no redirects. */
  const plain = (
    host: string,
    path = '/',
    { method = 'GET', ...given }: Record<string, string> = {},
  ) => {
    const { httpPort } = publishing.store.running.config
    const options = { method, key: null, headers: { host, ...given } }
    return askHttp(httpPort, new URL(`http://${host}`), '', path.slice(1), options)
  }
  /** What a redirect matches. */
  const redirect = (status: number, location: string) => ({ status, headers: { location } })
  const secure = (host: string, path?: string) => ask(port, host, domains.ca, path)
  const at = (host: string, path = '/') => ({ ':authority': host, ':path': path })

  it('serve their site over HTTP/1.1 and HTTP/2 to clients that trust only the root', async () => {
    const slug = await project()
    await domains.attach(slug, 'docs.one.example')
    const page = await secure('docs.one.example')
    expect([page.status, page.text]).toEqual([200, `<title>${slug}</title>`])
    expect(page.headers['strict-transport-security']).toBe('max-age=2592000')
    expect(page.headers).not.toHaveProperty('link')
    const session = await openHttp2(port, 'docs.one.example', domains.ca)
    const second = await askHttp2(session, at('docs.one.example'))
    expect([second.status, second.text]).toEqual([200, page.text])
    expect(second.headers['strict-transport-security']).toBe('max-age=2592000')
    expect((await askHttp2(session, at(`${slug}.docs.localhost`))).status).toBe(421)
  })

  it('follow the redirects of their site over HTTP/1.1 and HTTP/2', async () => {
    const redirects = '/old/* /new/:splat 302\n/away https://other.example/ 307\n'
    const slug = await project({ _redirects: redirects })
    await domains.attach(slug, 'moved.one.example')
    const session = await openHttp2(port, 'moved.one.example', domains.ca)
    for (const [path, status, location] of [
      ['/old/a?b=c', 302, '/new/a?b=c'],
      ['/away', 307, 'https://other.example/'],
    ] as const) {
      const first = await secure('moved.one.example', path)
      const second = await askHttp2(session, at('moved.one.example', path))
      for (const answer of [first, second]) expect(answer).toMatchObject(redirect(status, location))
    }
  })

  it('refuse unknown names in the handshake, and with a 404 over HTTP', async () => {
    for (const host of ['unknown.example', 'www.docs.one.example', 'no-such.docs.localhost'])
      expect(await handshakeFault(port, host)).toMatch(/UNRECOGNIZED_NAME/)
    const answer = await plain('unknown.example')
    expect(answer.status).toBe(404)
    expect(answer.text).toContain('Nothing is served at the host')
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
    const shown = await plain('unknown.example', '/', { accept })
    const headers = { 'content-type': 'text/html; charset=utf-8', vary: 'Accept' }
    expect(shown).toMatchObject({ status: 404, headers })
    expect(shown.text).toContain('No site at this address')
    expect((await plain('localhost', '/nothing', { accept })).text).toContain('Open the dashboard')
    expect((await plain('no-such.docs.localhost')).text).toContain('Site not found')
  })

  it('redirect HTTP to HTTPS once the certificate is trusted by browsers', async () => {
    const slug = await project()
    await domains.attach(slug, 'bare.two.example', { isCertified: false })
    await domains.attach(slug, 'own.two.example', { directory: 'internal' })
    await domains.attach(slug, 'known.two.example')
    expect((await plain('bare.two.example')).status).toBe(200)
    expect(await handshakeFault(port, 'bare.two.example')).toMatch(/UNRECOGNIZED_NAME/)
    const own = await plain('own.two.example')
    expect(own.status).toBe(200)
    expect((await secure('own.two.example')).headers).not.toHaveProperty(
      'strict-transport-security',
    )
    const known = await plain('known.two.example', '/a/b?c=d&e')
    const knownOrigin = `https://known.two.example:${publicPort}`
    expect(known).toMatchObject(redirect(301, `${knownOrigin}/a/b?c=d&e`))
    expect(known.headers).not.toHaveProperty('strict-transport-security')
    const posted = await plain('KNOWN.two.example.:8080', '/a', { method: 'POST' })
    expect(posted).toMatchObject(redirect(308, `${knownOrigin}/a`))
    // A proxy in front already used TLS with the visitor.
    const proxied = await plain('known.two.example', '/', { 'x-forwarded-proto': 'https' })
    expect(proxied.status).toBe(200)
  })

  it.each([301, 302, 307, 308])('keep path and query with status %i', async (status) => {
    const slug = await project()
    const [from, to] = [`from${status}.three.example`, `to${status}.three.example`]
    await domains.attach(slug, to)
    await domains.attach(slug, from, { role: 'redirect', to, status })
    const location = `https://${to}:${publicPort}/a%20b?c=d`
    // In one hop from either port.
    for (const answer of [await plain(from, '/a%20b?c=d'), await secure(from, '/a%20b?c=d')])
      expect(answer).toMatchObject(redirect(status, location))
    expect((await secure(to)).status).toBe(200)
  })

  it('redirect to HTTP while the target has no certificate', async () => {
    const slug = await project()
    await domains.attach(slug, 'www.four.example', { isCertified: false })
    await domains.attach(slug, 'four.example', { role: 'redirect', to: 'www.four.example' })
    const { httpPort } = publishing.store.running.config
    const { headers } = await secure('four.example', '/x')
    expect(headers.location).toBe(`http://www.four.example:${httpPort}/x`)
  })

  it('serve the site if the target of the redirect does not exist', async () => {
    const slug = await project()
    await domains.attach(slug, 'five.example', { role: 'redirect', to: 'www.five.example' })
    expect((await secure('five.example')).text).toBe(`<title>${slug}</title>`)
  })

  it('escape hostile paths in a redirect', async () => {
    const slug = await project()
    await domains.attach(slug, 'six.example')
    await domains.attach(slug, 'old.six.example', { role: 'redirect', to: 'six.example' })
    for (const path of ['//evil.example/', '/\\evil.example', '/%0d%0aX-Evil:%201']) {
      const { headers } = await secure('old.six.example', path)
      expect(headers.location).toBe(`https://six.example:${publicPort}${path}`)
      expect(headers).not.toHaveProperty('x-evil')
    }
  })

  it('answer challenges on both ports before any redirect', async () => {
    const slug = await project()
    await domains.attach(slug, 'www.seven.example')
    await domains.attach(slug, 'seven.example', { role: 'redirect', to: 'www.seven.example' })
    const token = 'evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ-PCt92wr-oA'
    for (const host of ['seven.example', 'www.seven.example', 'new.seven.example']) {
      await domains.challenge(host, token, `${token}.of-${host}`)
      expect((await plain(host, challengePath + token)).text).toBe(`${token}.of-${host}`)
    }
    const path = challengePath + token
    expect((await secure('seven.example', path)).text).toBe(`${token}.of-seven.example`)
    const shown = await plain('seven.example', path, { method: 'HEAD' })
    expect([shown.text, shown.headers['content-type']]).toEqual(['', 'application/octet-stream'])
    expect((await plain('seven.example', path, { method: 'POST' })).status).toBe(405)
    expect((await plain('other.seven.example', path)).status).toBe(404)
    for (const other of ['', 'short', `${token}x`, `../${token}`, `${token}/`])
      expect((await plain('seven.example', challengePath + other)).status).toBe(404)
  })

  it('name the primary domain as canonical', async () => {
    const slug = await project({ 'guide.html': '<title>Guide</title>' })
    const before = await plain(`${slug}.docs.localhost`, '/guide')
    expect(before.headers).not.toHaveProperty('x-robots-tag')
    await domains.attach(slug, 'docs.eight.example', { role: 'primary' })
    await domains.attach(slug, 'alias.eight.example')
    const link = `<https://docs.eight.example:${publicPort}/guide>; rel="canonical"`
    const alias = await secure('alias.eight.example', '/guide?from=mail')
    expect([alias.status, alias.headers.link]).toEqual([200, link])
    expect(alias.headers).not.toHaveProperty('x-robots-tag')
    const platform = await plain(`${slug}.docs.localhost`, '/guide')
    expect([platform.status, platform.headers.link]).toEqual([200, link])
    expect(platform.headers['x-robots-tag']).toBe('noindex')
    const primary = await secure('docs.eight.example', '/guide')
    expect(primary.headers).not.toHaveProperty('link')
  })

  it('use the primary domain in the addresses of a site', async () => {
    const slug = `site-${++projects}`
    await owner.publish(slug, { 'index.md': '# Front\n\nText.\n' })
    const own = await plain(`${slug}.docs.localhost`, '/sitemap.xml')
    expect(own.text).toContain(`http://${slug}.docs.localhost`)
    await domains.attach(slug, 'alias.nine.example')
    const alias = await secure('alias.nine.example', '/sitemap.xml')
    expect(alias.text).toContain(`<loc>https://alias.nine.example:${publicPort}/`)
    await domains.attach(slug, 'nine.example', { role: 'primary' })
    for (const host of ['alias.nine.example', 'nine.example'])
      expect((await secure(host, '/sitemap.xml')).text).toContain(
        `<loc>https://nine.example:${publicPort}/`,
      )
  })

  it('show that they are suspended, and close open connections', async () => {
    const slug = await project()
    await domains.attach(slug, 'ten.example')
    const session = await openHttp2(port, 'ten.example', domains.ca)
    expect((await askHttp2(session, at('ten.example'))).status).toBe(200)
    const closed = new Promise((resolve) => session.once('close', resolve))
    await domains.setServing('ten.example', 'suspended')
    await closed
    for (const answer of [await plain('ten.example'), await secure('ten.example', '/x')]) {
      expect([answer.status, answer.headers['x-robots-tag']]).toEqual([503, 'noindex'])
      expect(answer.text).toContain('Site suspended')
    }
    await domains.setServing('ten.example', 'https')
    expect((await secure('ten.example')).status).toBe(200)
  })
})
