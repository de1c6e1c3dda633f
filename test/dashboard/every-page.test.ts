// Every page, with content: accessible in both themes, on a desktop and on a phone.

import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { settingsSections } from '../../dashboard/platform/project-tabs.ts'
import { startWithPages } from '../accounts/page-visitors.ts'
import { desktop, phone } from '../browser/chromium.ts'
import { cases, isLong } from '../cases.ts'
import { expectJson } from '../publishing/publishing-in-test.ts'
import { dashboard, enter, startForAll } from './dashboard-in-test.ts'
import { expectFocus } from './keyboard.ts'
import { expectAccessibleAndFitting, open, soon } from './screen.ts'

startForAll({ env: { WEBHOOK_ALLOW: '127.0.0.0/8' } }, async () => {
  const { operator } = dashboard
  const make = async (path: string, body?: unknown, status = 201): Promise<unknown> =>
    expectJson(await operator.post(path, body), status)
  await make('/store/production/categories', { name: 'Dogs' })
  const name =
    'A name of the greatest length that is still allowed here, to show how a page wraps it'
  for (const status of ['available', 'pending', 'sold'])
    await make('/store/production/pets', { name, categoryId: 1, status })
  await make('/store/production/orders', { petId: 1 })
  await make('/store/production/keys', { label: 'Shop window', scopes: ['pets:read'] })
  // Nothing listens there: deliveries stay waiting.
  await make('/store/production/webhooks', { url: 'http://127.0.0.1:9/hooks', label: 'Warehouse' })
  await make('/store/production/pets', '{"name":"Rex","categoryId":9007199254740993}')
  await make('/account/tokens', { label: 'Continuous integration' })
  await make('/invitations', { email: 'somebody@example.com' })
  await dashboard.member()
  await operator.publish('handbook', { 'index.md': '# Home', 'guide.md': '# Guide' }, 'Handbook')
  const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
  for (const path of ['/', '/guide', '/gone'])
    await dashboard.visit('handbook', path, { headers: { 'user-agent': userAgent } })
  await operator.publish('broken', { 'index.md': '# Hi', 'openapi.yaml': 'openapi: [' }, brokenName)
  await operator.create('members', 'For members')
  await operator.put('/projects/members/visibility', { visibility: 'members' })
})

const brokenName = 'A handbook with a rather long name, as some teams give to theirs'
const pages = [
  ['Animals', '/store/production/animals'],
  ['Categories', '/store/production/categories'],
  ['Animals', '/store/staging/animals'],
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
  [`Overview · ${brokenName} · Projects`, '/projects/broken'],
  ['Page not found', '/account/nothing'],
] as const

it('is every page of routes.tsx but those that a link from outside opens', () => {
  const routes = readFileSync(new URL('../../dashboard/routes.tsx', import.meta.url), 'utf8')
  const names = [...routes.matchAll(/\bpage\('(?:[^']*\/)?([\w-]+)(?:\/:\w+)?'/g)].map(
    ([, name = '']) => name,
  )
  expect(names.length).toBeGreaterThan(12)
  const opened = new Set(pages.flatMap(([, path]) => path.split('/')))
  expect(names.filter((name) => !opened.has(name))).toEqual(['site-access', 'connect'])
})

/** Pages with a dialog to add something. */
const adding = ['Animals', 'Categories', 'Orders', 'API keys', 'Webhooks', 'Account', 'Members']

describe.each(
  cases([
    ['light', 'a desk', desktop],
    ['dark', 'a phone', phone],
  ] as const),
)('%s on %s', (colorScheme, _, device) => {
  it('is accessible and not too wide', async () => {
    const page = await enter('/account/activity', {
      ...device,
      colorScheme,
      reducedMotion: 'reduce',
    })
    await expectAccessibleAndFitting(page)
    // What is around the page is the same everywhere.
    const within = isLong ? undefined : 'main'
    for (const [title, path] of pages) {
      expect((await page.request.get(path)).status(), path).toBe(200)
      await move(page, path)
      await soon(() => page.title()).toBe(`${title} · Animal Store`)
      await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
      await expectAccessibleAndFitting(page, within)
      if (path === '/projects/broken') await page.getByText('Failed', { exact: true }).waitFor()
      if (title === 'Webhooks') {
        await page.getByRole('button', { name: /^Warehouse/ }).click()
        await page.getByRole('button', { name: /pet\.created/ }).click()
        await page.getByText(/ms, .*Retrying/).waitFor()
        await expectAccessibleAndFitting(page, within)
      }
      if (!adding.includes(title)) continue
      const add = page.locator('[data-shortcut="new"]')
      await add.click()
      await page.getByRole('dialog').waitFor()
      await expectAccessibleAndFitting(page, isLong ? undefined : '[role=dialog]')
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      // Closing it returns the focus, a moment after the dialog has gone.
      await page.locator('[data-shortcut="new"]:focus').waitFor()
    }
    await page.getByRole('button', { name: /account of/ }).click()
    await page.getByRole('menuitemradio', { name: 'System' }).waitFor()
    await expectAccessibleAndFitting(page, '[role=menu]')
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await expectAccessibleAndFitting(page, '[role=dialog]')
  })

  it('is accessible before the sign-in and when it returns from elsewhere', async () => {
    const options = { ...device, colorScheme, reducedMotion: 'reduce' } as const
    const guest = await dashboard.stranger(options)
    const { page } = guest

    await page.goto('/sign-in')
    await expectPage(page, 'Sign in')
    // Beyond the link to the first page.
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await expectFocus(page, /^Email/)
    await page.keyboard.type('olga@example.com')
    await page.keyboard.press('Tab')
    await expectFocus(page, /^Password/)
    await page.keyboard.type('not the password')
    await page.keyboard.press('Enter')
    await page.getByText('Incorrect email or password.').waitFor()
    await expectPage(page, 'Sign in')
    await page.getByText('Forgot your password?').click()
    await page.getByText('./animal-store accounts reset').waitFor()
    await expectPage(page, 'Sign in')
    await page.goto('/set-up')
    await expectPage(page, 'This link is incomplete')
    await dashboard.leave(guest, [401])

    // Before the first account, and by links.
    const { invite, origin, passwordLink, setUpLink } = await startWithPages()
    const { page: first } = await dashboard.stranger(options)
    await first.goto(`${origin}/sign-in`)
    await expectPage(first, 'Not set up yet')
    await first.goto(setUpLink)
    await expectPage(first, 'Create the first account')
    await first.getByRole('button', { name: 'Create account' }).press('Enter')
    await expectFocus(first, /^Your name/)
    expect(await first.getByLabel('Your name').getAttribute('aria-invalid')).toBe('true')
    await expectAccessibleAndFitting(first)
    for (const [link, heading] of [
      [`${origin}/invitation#neverwas`, 'This link no longer works'],
      [await passwordLink(), 'Set a new password'],
      [await invite(), 'Create your account'],
    ] as const) {
      await first.goto(link)
      await expectPage(first, heading)
    }
    await first.getByRole('button', { name: 'Create account' }).click()
    await first.locator('[aria-invalid=true]').first().waitFor()
    await expectAccessibleAndFitting(first)
    await first.context().close()
  })

  if (isLong)
    it('is accessible on the way to a domain or a site', async () => {
      const options = { ...device, colorScheme, reducedMotion: 'reduce' } as const
      const visitor = await dashboard.visitor(options, await dashboard.member())
      const { page } = visitor
      await open(page, `/connect/${'a'.repeat(43)}`)
      await page.getByText('This return could not be used').waitFor()
      await expectPage(page, 'Connecting the domain')
      await expectFocusOrder(page, ['Go to projects'])
      const host = 'members.docs.localhost'
      await open(page, `/site-access?${new URLSearchParams({ host, state: 'b'.repeat(64) })}`)
      await page.getByText('You do not have access to this site').waitFor()
      await expectPage(page, host)
      await expectFocusOrder(page, ['Use another account', 'Go to projects'])
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor()
      // The new page is announced, and its heading is marked for those who see.
      await expectFocus(page, /^Projects$/)
      await open(page, '/site-access')
      await expectPage(page, 'Page not found')
      await expectFocusOrder(page, ['Go to projects'])
      await dashboard.leave(visitor, [410, 404, 400])
    })
})

it('a narrow table has fewer columns and dense rows, and does not scroll sideways', async () => {
  const visitor = await dashboard.visitor({ viewport: { width: 768, height: 1024 } })
  const { page } = visitor
  const hidden = `Math.max(...[...document.querySelectorAll('[role="table"]')].map(
    ({ parentElement: frame }) => frame.scrollWidth - frame.clientWidth))`
  const cutButtons = `[...document.querySelectorAll('[role="table"] .mantine-Button-label')]
      .filter(({ clientWidth, scrollWidth }) => scrollWidth > clientWidth)
      .map(({ innerText }) => innerText)`
  const expectWhole = async (): Promise<void> => {
    expect(await page.evaluate<number>(hidden)).toBeLessThanOrEqual(0)
    expect(await page.evaluate<string[]>(cutButtons)).toEqual([])
  }
  for (const path of ['animals', 'orders', 'keys'].map((name) => `/store/production/${name}`)) {
    await open(page, path)
    await expectAccessibleAndFitting(page)
    await expectWhole()
  }
  for (const path of ['/audit-log', '/members']) {
    await open(page, path)
    await expectWhole()
  }
  await open(page, '/store/production/animals')
  const titles = page.getByRole('columnheader')
  expect(
    await titles.filter({ hasText: /^(ID|Name|Category|Status)$/, visible: true }).count(),
  ).toBe(3)
  const row = page.getByRole('row').filter({ hasText: 'Rex' })
  await row.getByText('9007199254740993').waitFor()
  expect((await row.boundingBox())?.height).toBeLessThan(90)
  await dashboard.leave(visitor)
})

async function expectPage(page: Page, heading: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
  await soon(() => page.title()).toBe(`${heading} · Animal Store`)
  await expectAccessibleAndFitting(page)
}

/** Opens another page as a link does: all scripts are there. */
const move = (page: Page, path: string) =>
  page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})
    dispatchEvent(new PopStateEvent('popstate'))`)

/** By keyboard from the link to the content on: what gets the focus, each with a visible mark. */
async function expectFocusOrder(page: Page, names: string[]): Promise<void> {
  await page.keyboard.press('Tab')
  await expectFocus(page, 'Skip to the content')
  await page.keyboard.press('Enter')
  for (const name of names) {
    await page.keyboard.press('Tab')
    await expectFocus(page, name)
  }
}
