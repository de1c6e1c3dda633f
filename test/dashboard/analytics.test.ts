// Analytics of a project in the dashboard, of visits by programs and by a browser.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { desktop, phone } from '../browser/chromium.ts'
import {
  type DashboardInTest,
  expectAccessibleAndFitting,
  open,
  startDashboard,
} from './dashboard-in-test.ts'

const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

let dashboard: DashboardInTest
beforeAll(async () => {
  dashboard = await startDashboard()
  const { operator } = dashboard
  await operator.create('handbook')
  await operator.deployFolder('handbook', { 'index.md': '# Home', 'guide.md': '# Guide' })
}, 60_000)
afterAll(() => dashboard?.release())

it('shows views, searches without a result and paths that were not found', async () => {
  const visitor = await dashboard.visitor()
  const { page } = visitor
  await open(page, '/projects/handbook/analytics')
  await page.getByText('No views yet').waitFor()
  expect(await page.title()).toBe('Analytics · handbook · Projects · Animal Store')
  await expectAccessibleAndFitting(page)

  // The script of the site reports what was not found.
  const { page: site } = await dashboard.stranger({ userAgent })
  const { httpPort } = dashboard.store.running.config
  await site.goto(`http://handbook.docs.localhost:${httpPort}/guide`)
  await site.keyboard.press('/')
  await site.getByRole('dialog', { name: 'Search' }).waitFor()
  const reported = site.waitForResponse((response) => response.url().includes('nothing-found'))
  await site.keyboard.type('Xylophones')
  expect((await reported).status()).toBe(204)
  await site.context().close()
  const headers = { 'user-agent': userAgent }
  for (const path of ['/', '/guide', '/guide', '/gone']) {
    await dashboard.visit('handbook', path, { headers })
  }

  await page.reload()
  const table = (name: string) => page.getByRole('table', { name })
  await table('Pages').getByRole('row', { name: '/guide 3' }).waitFor()
  await table('Pages').getByRole('row', { name: '/ 1', exact: true }).waitFor()
  await table('Searches without a result').getByRole('row', { name: 'xylophones 1' }).waitFor()
  await table('Not-found paths').getByRole('row', { name: '/gone 1' }).waitFor()
  const plot = page.getByRole('slider', { name: 'Views per day' })
  await plot.focus()
  expect(await plot.getAttribute('aria-valuetext')).toMatch(/: Views 4$/)
  await page.keyboard.press('ArrowLeft')
  expect(await plot.getAttribute('aria-valuetext')).toMatch(/: Views 0$/)
  await page.getByLabel('Period').selectOption('7')
  await page.waitForURL('**/analytics?days=7')
  await dashboard.leave(visitor)
})

it.each([
  ['light', desktop],
  ['dark', phone],
] as const)('is accessible and fits, %s', async (colorScheme, device) => {
  const visitor = await dashboard.visitor({ ...device, colorScheme })
  const { page } = visitor
  await open(page, '/projects/handbook/analytics')
  await page.getByRole('table', { name: 'Pages' }).waitFor()
  await expectAccessibleAndFitting(page)
  await dashboard.leave(visitor)
})
