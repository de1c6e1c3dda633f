// Every page, with content: accessible in both themes, on a desktop and
// on a phone.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { settingsSections } from '../../dashboard/platform/settings-sections.ts'
import { desktop, phone } from '../browser/chromium.ts'
import { expectJson } from '../publishing/publishing-in-test.ts'
import {
  type DashboardInTest,
  expectAccessibleAndFitting,
  open,
  startDashboard,
} from './dashboard-in-test.ts'

let dashboard: DashboardInTest
beforeAll(async () => {
  dashboard = await startDashboard({ env: { WEBHOOK_ALLOW: '127.0.0.0/8' } })
  const { operator } = dashboard
  const make = async (path: string, body?: unknown, status = 201): Promise<unknown> =>
    expectJson(await operator.ask(path, { method: 'POST', body }), status)
  await make('/store/production/categories', { name: 'Dogs' })
  const name =
    'A name of the greatest length that is still allowed here, to show how a page wraps it'
  for (const status of ['available', 'pending', 'sold'])
    await make('/store/production/animals', { name, categoryId: 1, status })
  await make('/store/production/orders', { petId: 1 })
  await make('/store/production/keys', { label: 'Shop window', scopes: ['pets:read'] })
  // Nothing listens there: deliveries stay waiting.
  await make('/store/production/webhooks', { url: 'http://127.0.0.1:9/hooks', label: 'Warehouse' })
  await make('/store/production/animals', '{"name":"Rex","categoryId":9007199254740993}')
  await make('/account/tokens', { label: 'Continuous integration' })
  await make('/invitations', { email: 'somebody@example.com' })
  await dashboard.member()
  await operator.create('handbook', 'Handbook')
  await operator.deployFolder('handbook', { 'index.md': '# Home', 'guide.md': '# Guide' })
}, 60_000)
afterAll(async () => {
  await dashboard?.release()
})

const pages = [
  ['Animals', '/store/production/animals'],
  ['Animals', '/store/staging/animals'],
  ['Categories', '/store/production/categories'],
  ['Orders', '/store/production/orders'],
  ['API keys', '/store/production/keys'],
  ['Webhooks', '/store/production/webhooks'],
  ['Account', '/account'],
  ['Activity', '/account/activity'],
  ['Members', '/members'],
  ['Audit log', '/audit-log'],
  ['System', '/system'],
  ['Projects', '/'],
  ['Overview · Handbook · Projects', '/projects/handbook'],
  ['Deploys · Handbook · Projects', '/projects/handbook/deploys'],
  ['Domains · Handbook · Projects', '/projects/handbook/settings/domains'],
  ['Analytics · Handbook · Projects', '/projects/handbook/analytics'],
  ...settingsSections
    .filter(({ id }) => id !== 'domains')
    .map(({ id, title }) => [
      `${title} · Project settings · Handbook · Projects`,
      `/projects/handbook/settings/${id}`,
    ]),
  ['Page not found', '/account/nothing'],
] as const

/** Pages with a dialog to add something. */
const adding = ['Animals', 'Categories', 'Orders', 'API keys', 'Webhooks', 'Account', 'Members']

describe.each([
  ['light', 'a desk', desktop],
  ['dark', 'a phone', phone],
] as const)('%s on %s', (colorScheme, _, device) => {
  it('is accessible and not too wide', async () => {
    const visitor = await dashboard.visitor({ ...device, colorScheme, reducedMotion: 'reduce' })
    const { page } = visitor
    for (const [title, path] of pages) {
      await open(page, path)
      expect(await page.title()).toBe(`${title} · Animal Store`)
      await expectAccessibleAndFitting(page)
      if (title === 'Webhooks') {
        await page.getByRole('button', { name: /^Warehouse/ }).click()
        await page.getByRole('button', { name: /pet\.created/ }).click()
        await page.getByText(/ms, .*Retrying/).waitFor()
        await expectAccessibleAndFitting(page)
      }
      if (!adding.includes(title)) continue
      const add = page.locator('[data-shortcut="new"]')
      await add.click()
      await page.getByRole('dialog').waitFor()
      await expectAccessibleAndFitting(page)
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      // Closing it returns the focus, a moment after the dialog has gone.
      await page.locator('[data-shortcut="new"]:focus').waitFor()
    }
    await dashboard.leave(visitor)
  })
})
