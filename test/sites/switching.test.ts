// A published deploy is visible to the next request, in every process.

import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { originPlaceholder } from '#renderer/sources/render-input.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { type PublishedSites, servingSites, sites } from './published-site.ts'

type Node = Pick<PublishedSites, 'ask' | 'publish' | 'rename' | 'setLive'>

describe.each(cases(engines))('switching on %s', (engine) => {
  let other: Node
  servingSites(engine, async () => {
    other = await sites.another()
  })

  it('the next request has the next deploy, here and in another process', async () => {
    const texts = async (): Promise<string[]> => {
      // Twice, so that the second response comes from memory.
      const asked = [sites, other, sites, other].map((each) => each.ask('/page'))
      return (await Promise.all(asked)).map(({ text }) => text)
    }
    for (let i = 1; i <= 8; i++) {
      const publisher = i % 2 === 0 ? sites : other
      const number = await publisher.publish('docs', { 'page.html': `Edition ${i}` })
      expect(number).toBe(i)
      expect(await texts()).toEqual(Array(4).fill(`Edition ${i}`))
    }
    await other.setLive('docs', 3)
    expect(await texts()).toEqual(Array(4).fill('Edition 3'))
    await sites.setLive('docs', null)
    expect(new Set(await texts()).size).toBe(1)
    expect((await other.ask('/page')).text).toContain('Nothing published yet')
    await sites.setLive('docs', 8)
    expect(await texts()).toEqual(Array(4).fill('Edition 8'))
  })

  it('deleted files are not found, and new files are', async () => {
    await sites.publish('docs', { 'old.html': 'Old', '404.html': 'Lost' })
    expect((await sites.ask('/old')).text).toBe('Old')
    expect((await sites.ask('/new')).text).toBe('Lost')
    expect((await sites.ask('/', { slug: 'late' })).status).toBe(404)
    await sites.publish('docs', { 'new.html': 'New' })
    await sites.publish('late', { 'index.html': 'Late' })
    expect((await sites.ask('/old')).text).toContain('Page not found')
    expect((await sites.ask('/new')).text).toBe('New')
    expect((await sites.ask('/', { slug: 'late' })).text).toBe('Late')
  })

  it('the kind of deploy, and so the policy, can differ for the same bytes', async () => {
    const files = { 'index.html': 'Same' }
    const policy = async () => (await sites.ask('/')).headers['content-security-policy']
    await sites.publish('docs', files, 'rendered')
    expect(await policy()).toContain("default-src 'self'")
    await sites.publish('docs', files)
    expect(await policy()).toBe("frame-ancestors 'self'")
  })

  it('readers never see an older deploy while others publish', async () => {
    await sites.publish('docs', { 'index.html': '1' })
    let isPublishing = true
    const publish = async (): Promise<void> => {
      for (let i = 2; i <= 25; i++) await sites.publish('docs', { 'index.html': String(i) })
      isPublishing = false
    }
    const read = async (from: Node): Promise<void> => {
      let most = 0
      while (isPublishing) {
        const { text } = await from.ask('/')
        expect(Number(text)).toBeGreaterThanOrEqual(most)
        most = Number(text)
      }
    }
    await Promise.all([publish(), read(sites), read(sites), read(other)])
    expect((await other.ask('/')).text).toBe('25')
  })

  it('a renamed project is served at its new slug at once, and the old slug redirects', async () => {
    await sites.publish('docs', { 'index.html': 'Front' })
    await other.ask('/')
    await sites.rename('docs', 'manual')
    expect((await other.ask('/')).headers.location).toBe('http://manual.docs.localhost:8080/')
    expect((await other.ask('/', { slug: 'manual' })).text).toBe('Front')
    await other.rename('manual', 'handbook')
    for (const slug of ['docs', 'manual']) {
      const { headers } = await sites.ask('/?x', { slug })
      expect(headers.location).toBe('http://handbook.docs.localhost:8080/?x')
    }
  })

  const lines = Array.from({ length: 200 }, (_, i) => `${originPlaceholder}/page-${i} caf\u00e9`)
  const files = {
    'sitemap.xml': lines.join('\n'),
    'robots.txt': `Sitemap: ${originPlaceholder}/sitemap.xml`,
    'llms.txt': 'None',
    'page.txt': originPlaceholder,
    'deep/robots.txt': originPlaceholder,
  }

  it('the URL in a rendered site is that of the site, in the files that contain it', async () => {
    await sites.publish('own', files, 'rendered')
    const ask: Node['ask'] = (target, options) => sites.ask(target, { slug: 'own', ...options })
    await sites.publish('ready', files)
    const here = 'http://own.docs.localhost:8080'
    const map = files['sitemap.xml'].replaceAll(originPlaceholder, here)
    for (let i = 0; i < 2; i++) {
      const plain = await ask('/sitemap.xml')
      expect(plain.text).toBe(map)
      expect(plain.headers['content-type']).toBe('application/xml; charset=utf-8')
      for (const [coding, decode] of [
        ['br', brotliDecompressSync],
        ['gzip', gunzipSync],
      ] as const) {
        const coded = await ask('/sitemap.xml', { headers: { 'Accept-Encoding': coding } })
        expect(coded.headers['content-encoding']).toBe(coding)
        expect(decode(coded.body).toString()).toBe(map)
      }
      const part = await ask('/sitemap.xml', { headers: { Range: 'bytes=0-29' } })
      expect(part.text).toBe(map.slice(0, 30))
      expect((await ask('/robots.txt')).text).toBe(`Sitemap: ${here}/sitemap.xml`)
      expect((await ask('/robots.txt?x')).text).toBe(`Sitemap: ${here}/sitemap.xml`)
      expect((await ask('/llms.txt')).text).toBe('None')
      for (const target of ['/page.txt', '/deep/robots.txt']) {
        expect((await ask(target)).text).toBe(originPlaceholder)
      }
      expect((await ask('/sitemap.xml', { slug: 'ready' })).text).toBe(files['sitemap.xml'])
    }
    const { etag } = (await ask('/robots.txt')).headers
    const asked = { headers: { 'If-None-Match': etag as string } }
    expect((await ask('/robots.txt', asked)).status).toBe(304)
    // A different URL gives a different file.
    await sites.rename('own', 'moved')
    const moved = await ask('/robots.txt', { slug: 'moved', ...asked })
    expect(moved.text).toBe('Sitemap: http://moved.docs.localhost:8080/sitemap.xml')
    expect(moved.headers.etag).not.toBe(etag)
  })
})
