// What visitors do, counted by page and day without anything about them, through the sites and the API.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Visits } from '../../server/publishing/visits/schema.ts'
import { engines } from '../database.ts'
import {
  day,
  expectJson,
  type Person,
  type PublishingInTest,
  startPublishing,
} from './publishing-in-test.ts'
import { openPublishingRows } from './publishing-rows.ts'

const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0' }
const files = {
  'index.md': '# Home',
  'guide.md': '# Guide',
}

describe.each(engines)('visits on %s', (engine) => {
  let publishing: PublishingInTest
  let member: Person
  let slugs = 0
  beforeAll(async () => {
    publishing = await startPublishing(engine)
    member = await publishing.member('paid')
  })
  afterAll(() => publishing.release())

  async function site(): Promise<string> {
    const slug = `visited-${++slugs}`
    await member.create(slug)
    await member.deployFolder(slug, files)
    return slug
  }
  const visit = (slug: string, path: string, headers = {}, method = 'GET') =>
    publishing.visit(slug, path, { headers: { ...browser, ...headers }, method })
  const visitsOf = async (slug: string, days = 30): Promise<Visits> =>
    expectJson(await member.ask(`/projects/${slug}/visits?days=${days}`), 200) as Visits

  it('counts pages that browsers show, by day', async () => {
    const slug = await site()
    const first = await visit(slug, '/guide')
    expect(first.status).toBe(200)
    // The browser has it already: a view, too.
    const again = await visit(slug, '/guide', { 'if-none-match': first.headers.etag })
    expect(again.status).toBe(304)
    await visit(slug, '/')
    publishing.pass(day)
    await member.signIn()
    await visit(slug, '/guide?from=mail')
    const { days, pages } = await visitsOf(slug)
    expect(days).toHaveLength(30)
    expect(days.slice(-2).map(({ views }) => views)).toEqual([3, 1])
    expect(pages).toEqual({
      total: 4,
      items: [
        { name: '/guide', count: 3 },
        { name: '/', count: 1 },
      ],
    })
    // Only of the period.
    expect((await visitsOf(slug, 1)).pages.items).toEqual([{ name: '/guide', count: 1 }])
  })

  it('counts no robots, files, HEAD requests and what is loaded in advance', async () => {
    const slug = await site()
    await visit(slug, '/guide', { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1)' })
    await publishing.visit(slug, '/guide')
    await visit(slug, '/guide', {}, 'HEAD')
    await visit(slug, '/guide', { 'sec-purpose': 'prefetch' })
    const { text } = await visit(slug, '/guide', { 'user-agent': 'curl/8.14.1' })
    const [, style = ''] = /href="(\/_site\/site-[^"]+\.css)"/.exec(text) ?? []
    expect((await visit(slug, style)).status).toBe(200)
    expect((await visitsOf(slug)).pages).toEqual({ total: 0, items: [] })
  })

  it('counts what was not found, and the searches that the site reports', async () => {
    const slug = await site()
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
      { name: '/gone', count: 2 },
      { name: '/wp%2Flogin', count: 1 },
    ])
    expect(searches.items).toEqual([{ name: 'web hooks', count: 1 }])
    expect(pages.total).toBe(0)
  })

  it('bounds the names of a day: those over the limit are counted together', async () => {
    const slug = await site()
    for (let i = 0; i < 210; i++) await visit(slug, `/gone-${i}`)
    const { notFound } = await visitsOf(slug)
    expect(notFound.total).toBe(210)
    expect(notFound.items).toHaveLength(100)
    expect(notFound.items.every(({ count }) => count === 1)).toBe(true)
  })

  it('is deleted after 400 days, and with the project', async () => {
    const slug = await site()
    await visit(slug, '/guide')
    expect((await visitsOf(slug, 400)).pages.total).toBe(1)
    publishing.pass(399 * day)
    await member.signIn()
    expect((await visitsOf(slug, 400)).pages.total).toBe(1)
    publishing.pass(2 * day)
    const rows = openPublishingRows(publishing.store.place)
    onTestFinished(() => rows.close())
    expect((await rows.count()).visits).toBeGreaterThan(0)
    await publishing.store.running.publishing.maintain()
    expect((await rows.count()).visits).toBe(0)
    await member.signIn()
    await visit(slug, '/guide')
    expect((await visitsOf(slug)).pages.total).toBe(1)
    expect((await rows.count()).visits).toBe(1)
    await member.ask(`/projects/${slug}?name=${slug}`, { method: 'DELETE' })
    expect((await rows.count()).visits).toBe(0)
  })

  it('is for the owner only', async () => {
    const slug = await site()
    await publishing.operator.signIn()
    const other = await publishing.member()
    expect((await other.ask(`/projects/${slug}/visits`)).status).toBe(404)
    expect((await member.ask(`/projects/${slug}/visits?days=401`)).status).toBe(400)
  })
})
