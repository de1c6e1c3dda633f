// What visitors do, counted by page and day without anything about them, through the sites and the API.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Visits } from '#optional/visits/open.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { day } from './publishing-in-test.ts'
import { newProject, owner, publishing, rows, serving, slug } from './serving.ts'

const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0' }
const files = {
  'index.md': '# Home',
  'guide.md': '# Guide',
}

describe.each(cases(engines))('visits on %s', (engine) => {
  serving(engine)

  beforeEach(async () => {
    await newProject()
    await owner.deployFolder(slug, files)
  })
  const visit = (slug: string, path: string, headers = {}, method = 'GET') =>
    publishing.visit(slug, path, { headers: { ...browser, ...headers }, method })
  const visitsOf = async (slug: string, days = 30): Promise<Visits> =>
    await owner.read<Visits>(`/projects/${slug}/visits?days=${days}`)

  it('counts pages that browsers show, by day', async () => {
    const first = await visit(slug, '/guide')
    expect(first.status).toBe(200)
    // The browser has it already: a view, too.
    const again = await visit(slug, '/guide', { 'if-none-match': first.headers.etag })
    expect(again.status).toBe(304)
    await visit(slug, '/')
    publishing.pass(day)
    await owner.signIn()
    await visit(slug, '/guide?from=mail')
    const { days, pages } = await visitsOf(slug)
    expect(days).toHaveLength(30)
    expect(days.slice(-2).map(({ views }) => views)).toEqual([3, 1])
    expect(pages).toEqual({
      total: 4,
      previous: 0,
      items: [
        { name: '/guide', count: 3, previous: 0 },
        { name: '/', count: 1, previous: 0 },
      ],
    })
  })

  it('compares with as many days before, if they are kept', async () => {
    for (const path of ['/guide', '/', '/', '/gone']) await visit(slug, path)
    publishing.pass(day)
    await owner.signIn()
    for (const path of ['/guide', '/guide', '/guide']) await visit(slug, path)
    // Names of the period alone, each with its count before; totals of both.
    const { days, notFound, pages } = await visitsOf(slug, 1)
    expect(days.map(({ previous, views }) => [views, previous])).toEqual([[3, 3]])
    expect(pages).toEqual({
      ...{ total: 3, previous: 3 },
      items: [{ name: '/guide', count: 3, previous: 1 }],
    })
    expect(notFound).toEqual({ total: 0, previous: 1, items: [] })
    expect((await visitsOf(slug, 2)).pages).toMatchObject({ total: 6, previous: 0 })
    publishing.pass(200 * day)
    await owner.signIn()
    const longest = await visitsOf(slug, 200)
    expect(longest.pages).toEqual({ total: 0, previous: 6, items: [] })
    expect(longest.days.slice(-2).map(({ previous }) => previous)).toEqual([3, 3])
    const longer = await visitsOf(slug, 202)
    expect(longer.pages).toMatchObject({ total: 6, previous: null })
    expect(longer.pages.items).toContainEqual({ name: '/guide', count: 4, previous: null })
    expect(longer.days.every(({ previous }) => previous === null)).toBe(true)
  })

  it('counts where visitors come from: the host alone, of another site alone', async () => {
    const from = (referer: string, path = '/guide', headers = {}) =>
      visit(slug, path, { referer, ...headers })
    await visit(slug, '/')
    await visit(slug, '/')
    await from('https://www.example.org/a/secret?token=b')
    await from('http://example.org:8080/')
    await from('https://news.example.com/')
    // Of the browser's own copy, too.
    const { headers } = await from('https://news.example.com/')
    const validators = { 'if-none-match': headers.etag }
    expect((await from('https://news.example.com/', '/guide', validators)).status).toBe(304)
    // Within the site, with and without the header.
    await from(`http://${slug}.docs.localhost:8080/`)
    await visit(slug, '/guide', { 'sec-fetch-site': 'same-origin' })
    for (const address of ['https://192.0.2.1/', 'android-app://com.example/', 'x'.repeat(5000)]) {
      await from(address)
    }
    // No view of a page.
    await from('https://elsewhere.example/', '/gone')
    await from('https://elsewhere.example/', '/guide', { 'user-agent': 'curl/8.14.1' })
    const { direct, pages, sources } = await visitsOf(slug)
    expect(sources).toEqual({
      ...{ total: 5, previous: 0 },
      items: [
        { name: 'news.example.com', count: 3, previous: 0 },
        { name: 'example.org', count: 2, previous: 0 },
      ],
    })
    expect(direct).toEqual({ count: 2, previous: 0 })
    expect(pages.total).toBe(12)
  })

  it('counts no robots, files, HEAD requests and what is loaded in advance', async () => {
    await visit(slug, '/guide', { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1)' })
    await publishing.visit(slug, '/guide')
    await visit(slug, '/guide', {}, 'HEAD')
    await visit(slug, '/guide', { 'sec-purpose': 'prefetch' })
    const { text } = await visit(slug, '/guide', { 'user-agent': 'curl/8.14.1' })
    const [, style = ''] = /href="(\/_site\/site-[^"]+\.css)"/.exec(text) ?? []
    expect((await visit(slug, style)).status).toBe(200)
    const { direct, pages, sources } = await visitsOf(slug)
    expect(pages).toEqual({ total: 0, previous: 0, items: [] })
    expect(sources.total + direct.count).toBe(0)
  })

  it('counts what was not found, and the searches that the site reports', async () => {
    expect((await visit(slug, '/gone?key=secret')).status).toBe(404)
    await visit(slug, '/gone')
    await visit(slug, '/wp%2Flogin')
    const report = '/_site/nothing-found?q=%20Web%20Hooks%0A'
    const own = { 'sec-fetch-site': 'same-origin' }
    expect((await visit(slug, report, own)).status).toBe(204)
    // By another site's page, and by a program.
    await visit(slug, report, { 'sec-fetch-site': 'cross-site' })
    await visit(slug, report, { ...own, 'user-agent': 'curl/8.14.1' })
    const { notFound, pages, searches } = await visitsOf(slug)
    expect(notFound.items).toEqual([
      { name: '/gone', count: 2, previous: 0 },
      { name: '/wp%2Flogin', count: 1, previous: 0 },
    ])
    expect(searches.items).toEqual([{ name: 'web hooks', count: 1, previous: 0 }])
    expect(pages.total).toBe(0)
  })

  it('counts whether pages were helpful: those that there are, asked from the site itself', async () => {
    const own = { 'sec-fetch-site': 'same-origin' }
    const answer = (page: string, said: string, headers: Record<string, string> = own) =>
      visit(slug, `/_site/helpful?${new URLSearchParams({ page, answer: said })}`, headers)
    for (const said of ['yes', 'yes', 'no']) await answer('/guide', said)
    await answer('/guide', 'maybe')
    await answer('/', 'no')
    for (const page of ['/none', '', '//x', '/%zz', '/_site/search.json']) await answer(page, 'yes')
    await answer('/guide', 'yes', { 'sec-fetch-site': 'cross-site' })
    await answer('/guide', 'yes', { ...own, 'user-agent': 'curl/8.14.1' })
    expect((await answer('/none', 'yes')).status).toBe(204)
    const { helpful, notHelpful, pages } = await visitsOf(slug)
    const item = (name: string, count: number) => ({ name, count, previous: 0 })
    expect(helpful).toEqual({ total: 2, previous: 0, items: [item('/guide', 2)] })
    expect(notHelpful.items).toEqual([item('/', 1), item('/guide', 1)])
    expect(pages.total).toBe(0)
  })

  it('bounds the names of a day: those over the limit are counted together', async () => {
    const before = (await rows.count()).visits
    for (let i = 0; i < 210; i++) {
      await visit(slug, `/gone-${i}`)
      await visit(slug, '/', { referer: `https://${i}.example.org/` })
    }
    const { notFound, sources } = await visitsOf(slug)
    for (const { items, total } of [notFound, sources]) {
      expect(total).toBe(210)
      expect(items).toHaveLength(100)
      expect(items.every(({ count }) => count === 1)).toBe(true)
    }
    // 200 of each and one for the others, and the page.
    expect((await rows.count()).visits - before).toBe(2 * 201 + 1)
  })

  it('is deleted after 400 days, and with the project', async () => {
    await visit(slug, '/guide')
    expect((await visitsOf(slug, 400)).pages.total).toBe(1)
    expect((await owner.ask(`/projects/${slug}/visits?days=401`)).status).toBe(400)
    publishing.pass(399 * day)
    await owner.signIn()
    expect((await visitsOf(slug, 400)).pages.total).toBe(1)
    expect((await rows.count()).visits).toBeGreaterThan(0)
    publishing.pass(2 * day)
    await publishing.store.running.publishing.maintain()
    expect((await rows.count()).visits).toBe(0)
    await owner.signIn()
    await visit(slug, '/guide')
    expect((await visitsOf(slug)).pages.total).toBe(1)
    // Of the page, and of the source.
    expect((await rows.count()).visits).toBe(2)
    await owner.delete(`/projects/${slug}?name=${slug}`)
    expect((await rows.count()).visits).toBe(0)
  })
})
