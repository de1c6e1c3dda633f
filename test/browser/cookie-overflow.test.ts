// A site sets cookies for the platform host that are too large for its neighbours: their first response deletes them.
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type PublishingInTest,
  password,
  startPublishing,
} from '../publishing/publishing-in-test.ts'
import { type Chromium, launchChromium } from './chromium.ts'

let browser: Chromium
let publishing: PublishingInTest
beforeAll(async () => {
  ;[publishing, browser] = await Promise.all([startPublishing('sqlite'), launchChromium()])
})
afterAll(async () => {
  await Promise.all([browser?.close(), publishing?.release()])
})

it('cookies of a neighbour are deleted by the 431, and the next request passes', async () => {
  const { config } = publishing.store.running
  const addressOf = (slug: string) => `http://${slug}.${config.platformHost}:${config.httpPort}/`
  const flood = `for (let i = 0; i < 12; i++)
    document.cookie = 'c' + i + '=' + 'x'.repeat(4000) + '; domain=${config.platformHost}; path=/'`
  for (const [slug, files] of [
    ['victim', { 'index.html': '<!doctype html><title>Still here</title>' }],
    [
      'neighbour',
      { 'index.html': '<!doctype html><script src="/run.js"></script>', 'run.js': flood },
    ],
  ] as const) {
    await publishing.operator.create(slug)
    await publishing.operator.deployFolder(slug, files)
  }
  const { page } = await browser.visitor()
  const dashboard = config.dashboardUrl.origin
  const signedIn = await page.request.post(`${dashboard}/api/session`, {
    headers: { origin: dashboard },
    data: { email: 'olga@example.com', password },
  })
  expect(signedIn.status()).toBe(201)
  await page.goto(addressOf('neighbour'))
  expect(await page.evaluate('document.cookie.length')).toBeGreaterThan(40_000)
  const statuses: (number | undefined)[] = []
  for (let visit = 0; visit < 2; visit++) {
    statuses.push((await page.goto(addressOf('victim')))?.status())
  }
  expect(statuses).toEqual([431, 200])
  expect(await page.title()).toBe('Still here')
  // At the dashboard the visitor is still signed in.
  await page.goto(`${dashboard}/`)
  expect(await page.evaluate('fetch("/api/session").then(({ status }) => status)')).toBe(200)
  await page.context().close()
})
