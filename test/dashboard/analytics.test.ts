// Analytics of a project in the dashboard, of visits by programs and by a browser.

import { expect, it } from 'vitest'
import { day } from '../publishing/publishing-in-test.ts'
import {
  dashboard,
  enter,
  expectAccessibleAndFitting,
  open,
  startForAll,
} from './dashboard-in-test.ts'

const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

startForAll({}, async () => {
  const { operator } = dashboard
  await operator.create('handbook')
  await operator.deployFolder('handbook', { 'index.md': '# Home', 'guide.md': '# Guide' })
})

it('shows views, searches without a result and paths that were not found', async () => {
  const page = await enter('/projects/handbook/analytics')
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
  const referer = 'https://news.example.com/item?id=1'
  await dashboard.visit('handbook', '/guide', { headers: { ...headers, referer } })

  await page.reload()
  const table = (name: string) => page.getByRole('table', { name })
  await table('Pages').getByRole('row', { name: '/guide 4', exact: true }).waitFor()
  await table('Pages').getByRole('row', { name: '/ 1', exact: true }).waitFor()
  await table('Sources').getByRole('row', { name: 'news.example.com 1' }).waitFor()
  await table('Sources').getByRole('row', { name: 'Direct 4' }).waitFor()
  await table('Searches without a result').getByRole('row', { name: 'xylophones 1' }).waitFor()
  await table('Not-found paths').getByRole('row', { name: '/gone 1' }).waitFor()
  const plot = page.getByRole('slider', { name: 'Views per day' })
  await plot.focus()
  expect(await plot.getAttribute('aria-valuetext')).toMatch(/: Views 5$/)
  await page.keyboard.press('ArrowLeft')
  expect(await plot.getAttribute('aria-valuetext')).toMatch(/: Views 0$/)
  await page.getByRole('button', { name: 'Show as table' }).click()
  await table('Views by day').getByRole('row', { name: / 5$/ }).waitFor()
  await expectAccessibleAndFitting(page)
  await page.getByLabel('Period').selectOption('7')
  await page.waitForURL('**/analytics?days=7')
  await page.getByText('None in the 7 days before').waitFor()
  await page.getByLabel('Period').selectOption('365')
  await page.getByText('The months before are not kept').waitFor()
  expect(await table('Pages').getByRole('columnheader').allInnerTexts()).toEqual(['Page', 'Views'])
})

it('says in words what is more and less than before', async () => {
  const { operator } = dashboard
  await operator.create('compared')
  await operator.deployFolder('compared', { 'index.md': '# Home', 'guide.md': '# Guide' })
  const views = async (path: string, times: number): Promise<void> => {
    for (let i = 0; i < times; i++) {
      await dashboard.visit('compared', path, { headers: { 'user-agent': userAgent } })
    }
  }
  await views('/', 4)
  await views('/guide', 2)
  dashboard.pass(8 * day)
  await operator.signIn()
  await views('/', 1)
  await views('/guide', 8)
  const visitor = await dashboard.visitor()
  const { page } = visitor
  await open(page, '/projects/compared/analytics?days=7')
  await page.getByRole('status').getByText('50% more than in the 7 days before').waitFor()
  const row = (name: string | RegExp) =>
    page.getByRole('table', { name: 'Pages' }).getByRole('row', { name })
  await row('/guide 8 300% more than in the 7 days before').waitFor()
  await row('/ 1 75% less than in the 7 days before').waitFor()
  const plot = page.getByRole('slider', { name: 'Views per day' })
  await plot.focus()
  expect(await plot.getAttribute('aria-valuetext')).toMatch(/: Views 9, The 7 days before 0$/)
  await page.keyboard.press('ArrowLeft')
  expect(await plot.getAttribute('aria-valuetext')).toMatch(/: Views 0, The 7 days before 6$/)
  await page.getByRole('button', { name: 'Show as table' }).click()
  const values = page.getByRole('table', { name: 'Views by day' })
  await values.getByRole('row', { name: / 9 0$/ }).waitFor()
  await values.getByRole('row', { name: / 0 6$/ }).waitFor()

  // What fails can be tried again.
  const failing = '**/visits?days=90'
  const refused: number[] = []
  await page.route(failing, (route) => {
    refused.push(500)
    return route.fulfill({ status: 500, json: {} })
  })
  await page.getByLabel('Period').selectOption('90')
  await page.getByRole('button', { name: 'Try again' }).waitFor()
  await expectAccessibleAndFitting(page)
  await page.unroute(failing)
  await page.getByRole('button', { name: 'Try again' }).click()
  await row('/guide 10').waitFor()
  await dashboard.leave(visitor, refused)
})
