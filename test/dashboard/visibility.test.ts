// Who may see a site, in the dashboard and as its visitors find it: the password, and the way of a member through the
// dashboard and back.

import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { fill, press } from '../accounts/page-visitors.ts'
import { phone } from '../browser/chromium.ts'
import { cases, isLong } from '../cases.ts'
import { archiveOf } from '../publishing/archive-of.ts'
import { password } from '../publishing/publishing-in-test.ts'
import {
  type DashboardInTest,
  expectAccessibleAndFitting,
  notice,
  open,
  startDashboard,
} from './dashboard-in-test.ts'

const secret = 'a quiet river at dawn'
const shots = process.env.SHOTS
/** 12 × 7 pixels. */
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAwAAAAHCAYAAAA8sqwkAAAAI0lEQVR4AeTLMQ0AAAwCwQYjNYYSzIMGZj758aCnm3FlkyAAAAD///z8Hj8AAAAGSURBVAMAK9IXf4plSjQAAAAASUVORK5CYII='

describe.each(
  cases([
    ['light', {}],
    ['dark', phone],
  ] as const),
)('the visibility of a site, %s', (colorScheme, device) => {
  let dashboard: DashboardInTest
  beforeAll(async () => {
    dashboard = await startDashboard()
    await dashboard.operator.create('handbook', 'Handbook')
    const files = { 'index.html': '<h1>Home</h1>', 'guide.html': '<h1>Guide</h1>' }
    await dashboard.operator.deploy('handbook', archiveOf(files))
  })
  afterAll(() => dashboard.release())

  async function look(page: Page, name: string): Promise<void> {
    if (shots)
      await page.screenshot({ path: join(shots, `${name}-${colorScheme}.png`), fullPage: true })
  }
  const site = (path = '/') =>
    new URL(path, dashboard.origin.replace('//', '//handbook.docs.')).href

  async function guest(): Promise<Page> {
    const { page } = await dashboard.stranger({ ...device, colorScheme })
    onTestFinished(() => page.context().close())
    return page
  }

  it('a password, chosen by keyboard, is asked for', async () => {
    const visitor = await dashboard.visitor({ ...device, colorScheme })
    const { page } = visitor
    await open(page, '/projects/handbook/settings/site')
    await look(page, 'settings')
    // A click on a description chooses it, too.
    await page.getByText(/^Only the owner, members of this project/).click({ force: true })
    expect(await page.getByRole('radio', { name: 'Members only' }).isChecked()).toBe(true)
    await page.getByRole('radio', { name: 'Public' }).focus()
    await page.keyboard.press('ArrowDown')
    await page.getByLabel('Password of the site', { exact: true }).fill('short')
    await page.keyboard.press('Enter')
    await page.getByText('Use at least 12 characters.').waitFor()
    await look(page, 'settings-problem')
    await expectAccessibleAndFitting(page)
    await page.getByLabel('Password of the site', { exact: true }).fill(secret)
    await page.keyboard.press('Enter')
    await notice(page, 'Saved. It applies at every address of the site.').waitFor()
    await page.getByLabel('New password (optional)', { exact: true }).waitFor()
    const reader = await guest()
    await reader.goto(site('/guide'))
    await reader.getByText('This site has a password.').waitFor()
    await look(reader, 'password')
    await expectAccessibleAndFitting(reader)
    await reader.keyboard.type(secret)
    await reader.keyboard.press('Enter')
    await reader.getByRole('heading', { name: 'Guide' }).waitFor()
    await open(page, '/projects/handbook')
    await page.getByText('Password', { exact: true }).waitFor()
    await look(page, 'overview')
    await dashboard.leave(visitor)
  })

  it('a member signs in on the way, and gets to the page; a stranger does not', async () => {
    const member = await dashboard.member()
    await dashboard.operator.addMember('handbook', member, 'viewer')
    const body = { visibility: 'members' }
    await dashboard.operator.ask('/projects/handbook/visibility', { method: 'PUT', body })
    const reader = await guest()
    await reader.goto(site('/guide'))
    await reader.getByRole('heading', { name: 'Members only' }).waitFor()
    await look(reader, 'members')
    await expectAccessibleAndFitting(reader)
    await reader.keyboard.press('Enter')
    await fill(reader, { Email: member.account.email, Password: password })
    await press(reader, 'Sign in')
    await reader.getByRole('heading', { name: 'Guide' }).waitFor()
    expect(reader.url()).toBe(site('/guide'))
    expect(await reader.evaluate('document.cookie')).toBe('')
    // The second time at another host of the project there is a session, and nothing is asked.
    await dashboard.operator.ask('/projects/handbook/previews/draft', { method: 'PUT', body: {} })
    const draft = site('/').replace('//handbook', '//draft--handbook')
    await reader.goto(draft)
    await press(reader, 'Continue with your account')
    await reader.getByText('Preview not ready yet').waitFor()
    const removed = `/projects/handbook/members/${member.account.id}`
    await dashboard.operator.ask(removed, { method: 'DELETE' })
    await reader.goto(site('/guide'))
    await press(reader, 'Continue with your account')
    await reader.getByText('You do not have access to this site').waitFor()
    await look(reader, 'no-access')
    await expectAccessibleAndFitting(reader)
    await press(reader, 'Use another account')
    await reader.getByLabel('Email').waitFor()
    // A code that does not work.
    await reader.goto(site(`/_site/access?code=${'a'.repeat(43)}`))
    await reader.getByText('This sign-in cannot be continued.').waitFor()
    await look(reader, 'expired')
    await expectAccessibleAndFitting(reader)
  })

  if (isLong)
    it('editors see what it is, and change the content', async () => {
      const member = await dashboard.member()
      await dashboard.operator.addMember('handbook', member, 'editor')
      await dashboard.operator.deploy(
        'handbook',
        archiveOf({ 'index.md': '# Home', 'z.md': '# Last', 'site.yaml': 'title: Of the file' }),
      )
      const visitor = await dashboard.visitor({ ...device, colorScheme }, member)
      const { page } = visitor
      await open(page, '/projects/handbook/settings/site')
      await page.getByText('Only the owner of the project and operators').waitFor()
      const byFile = page.getByRole('group', { name: 'Title' })
      await byFile.getByText('Set by site.yaml of the live deploy.').waitFor()
      await byFile.getByText('Of the file').waitFor()
      expect(await page.getByRole('textbox', { name: 'Title' }).count()).toBe(0)
      await page.getByRole('textbox', { name: 'Colour', exact: true }).fill('#7a1f5c')
      await fill(page, { 'Navigation order': 'z.md', Redirects: '/x\n/y\n' })
      await press(page, 'Save settings')
      await page.getByText('Line 2: The target is missing.').waitFor()
      await look(page, 'content-problem')
      await expectAccessibleAndFitting(page)
      await fill(page, { Redirects: '/old /z\n' })
      await page.getByRole('button', { name: 'Save settings' }).press('Enter')
      await notice(page, /^Saved\. Deploy \d applies the settings\.$/).waitFor()
      await look(page, 'content')
      // Typed and not saved: an upload beside it leaves it.
      await fill(page, { Description: 'All about it.' })
      const choose = (name: string, buffer: Buffer) =>
        page.getByLabel(name).setInputFiles({ name: 'image.png', mimeType: 'image/png', buffer })
      await choose('Logo to upload', Buffer.from('no image'))
      await page.getByText('The file is no image, or it is damaged.').waitFor()
      await look(page, 'image-problem')
      await choose('Logo to upload', Buffer.from(png, 'base64'))
      await notice(page, /^Logo uploaded\. Deploy \d applies it\.$/).waitFor()
      const logo = page.getByRole('img', { name: 'The uploaded logo' })
      await expect
        .poll(() => logo.evaluate((image: { naturalWidth?: number }) => image.naturalWidth))
        .toBe(12)
      await choose('Favicon to upload', Buffer.from(png, 'base64'))
      await page
        .getByText(/^PNG, 12 × 7, /)
        .nth(1)
        .waitFor()
      expect(await page.getByLabel('Description').inputValue()).toBe('All about it.')
      await look(page, 'images')
      await expectAccessibleAndFitting(page)
      await page.getByRole('button', { name: 'Remove the uploaded favicon' }).press('Enter')
      await notice(page, /^Favicon removed\. Deploy \d applies it\.$/).waitFor()
      await page.getByRole('textbox', { name: 'Favicon' }).waitFor()
      await open(page, '/projects/handbook/deploys')
      await page.getByText('Site settings changed').first().waitFor()
      await page
        .getByText(/Rebuild of #\d/)
        .first()
        .waitFor()
      await look(page, 'rebuilds')
      await dashboard.leave(visitor, [400, 400])
    })

  it('an uploaded SVG runs no scripts when it is opened directly', async () => {
    const { operator } = dashboard
    await operator.deployFolder('handbook', { 'index.md': '# Handbook' })
    const path = '/projects/handbook/site-images/logo'
    const ran = `document.documentElement.setAttribute('data-ran', 'yes')`
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="${ran}"><script>${ran}</script></svg>`
    const upload = { method: 'PUT', body: Buffer.from(svg), type: 'image/svg+xml' }
    const { deploy } = (await operator.ask(path, upload)).json as { deploy: number }
    await operator.finished('handbook', deploy)
    const visibility = { method: 'PUT', body: { visibility: 'public' } }
    await operator.ask('/projects/handbook/visibility', visibility)
    const reader = await guest()
    await reader.goto(site('/'))
    const address = await reader.locator('img.brand-logo').getAttribute('src')
    await reader.goto(site(address ?? ''))
    const root = reader.locator('svg')
    await root.waitFor({ state: 'attached' })
    expect(await root.getAttribute('data-ran')).toBe(null)
    // The same file of the deploy itself is content of the owner, and its own.
    await operator.deploy('handbook', archiveOf({ 'index.html': '', 'logo.svg': svg }))
    await reader.goto(site('/logo.svg'))
    expect(await root.getAttribute('data-ran')).toBe('yes')
  })
})
