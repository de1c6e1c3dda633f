// What a new user meets on a laptop: a platform host that only this machine knows, a new domain below others, addresses
// of pages that do not exist, names that are as long as they may be.
import { expect, it } from 'vitest'
import { dashboard, startForAll } from './dashboard-in-test.ts'
import { expectAccessibleAndFitting, notice, open, rowOf } from './screen.ts'

// Nothing answers there.
const nowhere = '127.0.0.1:9'
startForAll({ env: { DNS_SERVERS: nowhere, DNS_ROOTS: nowhere } })

it('finds its way', async () => {
  const { operator } = dashboard
  await operator.publish('handbook', { 'index.html': '<h1>Handbook</h1>' }, 'Handbook')
  for (let i = 0; i < 8; i++) {
    const body = { host: `a${i}.example.org` }
    expect((await operator.post('/projects/handbook/domains', body)).status).toBe(201)
  }
  const visitor = await dashboard.visitor()
  const { page } = visitor
  const isInView = (label: string) =>
    page.getByRole('article', { name: label, exact: true }).evaluate((card) => {
      const { bottom, top } = card.getBoundingClientRect()
      // Below the header, which stays in view.
      return top >= 56 && bottom > top && top < (card.ownerDocument.defaultView?.innerHeight ?? 0)
    })

  // A new domain is scrolled to, and its target warned of.
  await open(page, '/projects/handbook/settings/domains')
  await page.getByText('8 domains').waitFor()
  await page.getByRole('button', { name: 'Add domain' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add domain' })
  const field = dialog.getByLabel('Domain or subdomain')
  await field.fill('co.uk')
  // While it is typed; a host name keeps its small letters.
  await dialog.getByText(/^co\.uk is a public suffix/).waitFor()
  await field.fill('z.example.org')
  await dialog.getByRole('button', { name: 'Add domain' }).click()
  // No name server answers here: what is not known is not taken for a domain without a site.
  await dialog
    .getByText('z.example.org could not be checked in time: it may have a site now.')
    .waitFor()
  expect(await dialog.getByLabel('Move it without downtime').isChecked()).toBe(true)
  await dialog.getByLabel('Point it here now').check()
  await dialog.getByRole('button', { name: 'Add domain' }).click()
  await dialog.waitFor({ state: 'hidden' })
  const card = page.getByRole('article', { name: 'z.example.org', exact: true })
  await card.getByText('Nobody else can reach this address').waitFor()
  await card.getByText(/docs\.localhost is a name of this machine only\./).waitFor()
  await expect.poll(() => isInView('z.example.org')).toBe(true)
  expect(await isInView('a0.example.org')).toBe(false)

  for (const path of ['/nothing', '/settings/nothing', '/settings/nothing/here']) {
    await open(page, `/projects/handbook${path}`)
    await page.getByText('This page does not exist').waitFor()
    await expect
      .poll(() => page.title())
      .toBe('Page not found · Handbook · Projects · Animal Store')
    expect(
      await page.locator('nav [aria-current="page"]', { hasText: /Overview|settings/ }).count(),
    ).toBe(0)
  }
  await open(page, '/store/mars/animals')
  await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()

  // One of a thing is not several.
  await open(page, '/projects/handbook/deploys')
  await page.getByText(/^1 file, \d+ B$/).waitFor()

  // The longest name without a space makes no page wider than its window.
  const wide = 'W'.repeat(100)
  await operator.create('wide', wide)
  for (const path of ['/projects', '/projects/wide/deploys']) {
    await open(page, path)
    if (path === '/projects')
      await page.getByText(/^Storage of your projects: \d+ B of 20\.00 GB, 2 files/).waitFor()
    await page.getByRole('heading', { name: wide }).waitFor()
    await expectAccessibleAndFitting(page)
  }

  // A notice with the longest name still has its button.
  const name = 'W'.repeat(255)
  const body = { name, categoryId: 1 }
  expect((await operator.post('/store/production/pets', body)).status).toBe(201)
  await page.setViewportSize({ width: 390, height: 844 })
  await open(page, '/store/production/animals')
  await rowOf(page, name).getByLabel(`Status of ${name}`).selectOption('sold')
  await notice(page, `${name} is sold.`).waitFor()
  const dismiss = page.getByRole('status').getByRole('button', { name: 'Dismiss' })
  const { x = 0, width = 0 } = (await dismiss.boundingBox()) ?? {}
  expect(width).toBeGreaterThanOrEqual(24)
  expect(x + width).toBeLessThanOrEqual(390)
  await dismiss.click()
  await notice(page, `${name} is sold.`).waitFor({ state: 'detached' })
  await dashboard.leave(visitor, [400])
})
