// Who sees what of a project, in the dashboard and as visitors find it. Previews: deployed from the form, behind a password,
// promoted and ended. The site: a password, and the way of a member through the dashboard and back.
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { fill, press } from '../accounts/page-visitors.ts'
import { phone } from '../browser/chromium.ts'
import { cases, isLong } from '../cases.ts'
import { archiveOf, zipOf } from '../publishing/archive-of.ts'
import { pngOf } from '../publishing/png-of.ts'
import { password } from '../publishing/publishing-in-test.ts'
import { dashboard, enter, startForAll } from './dashboard-in-test.ts'
import { expectAccessibleAndFitting, notice, open } from './screen.ts'

const looks = cases([
  ['light', {}],
  ['dark', phone],
] as const)
const archive = {
  name: 'site.zip',
  mimeType: 'application/zip',
  buffer: zipOf({ 'index.html': '<h1>Draft</h1>' }),
}
startForAll({}, async () => {
  await dashboard.operator.publish('handbook', { 'index.html': '<h1>Live</h1>' }, 'Handbook')
})

const preview = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Previews' }).getByRole('row').filter({ hasText: name })

it.each(looks)(
  'are deployed, opened with the password, and promoted: %s',
  async (colorScheme, device) => {
    const page = await enter('/projects/handbook/deploys', { ...device, colorScheme })
    await press(page, 'Deploy')
    const dialog = page.getByRole('dialog', { name: 'Deploy', exact: true })
    // By keyboard.
    await dialog.getByRole('radio', { name: 'Site' }).focus()
    await page.keyboard.press('ArrowRight')
    await fill(page, { 'Name (optional)': 'Feature/New start', 'Password (optional)': secret })
    await dialog.getByText('feature-new-start--handbook').waitFor()
    await expectAccessibleAndFitting(page)
    await dialog.getByLabel('Archive to deploy').setInputFiles(archive)
    await preview(page, 'feature-new-start').getByText(/#\d/).waitFor()
    await dialog.waitFor({ state: 'detached' })
    await preview(page, 'feature-new-start').getByText('Password', { exact: true }).waitFor()
    await expectAccessibleAndFitting(page)

    const link = preview(page, 'feature-new-start').getByRole('link')
    const address = (await link.getAttribute('href')) ?? ''
    const guest = await dashboard.stranger({ ...device, colorScheme })
    onTestFinished(() => guest.page.context().close())
    await guest.page.goto(address)
    await guest.page.getByRole('heading', { name: 'Password required' }).waitFor()
    await expectAccessibleAndFitting(guest.page)
    await guest.page.keyboard.type('a wrong password')
    await guest.page.keyboard.press('Enter')
    await guest.page.getByText('Incorrect password. Try again.').waitFor()
    await expectAccessibleAndFitting(guest.page)
    await guest.page.getByLabel('Password').fill(secret)
    await press(guest.page, 'View preview')
    await guest.page.getByRole('heading', { name: 'Draft' }).waitFor()

    await press(page, 'Promote feature-new-start')
    await page.getByRole('dialog').getByRole('button', { name: 'Promote' }).click()
    await notice(page, /^Deploy \d is live\.$/).waitFor()
    await preview(page, 'feature-new-start').waitFor({ state: 'detached' })
    expect((await dashboard.visit('handbook')).text).toBe('<h1>Draft</h1>')
  },
)

it.each(looks)('deploys show what the build found: %s', async (colorScheme, device) => {
  const slug = `report-${colorScheme}`
  await dashboard.operator.create(slug, 'Report')
  const text = '# Home\n\nSee the [setup](guides/setup.md), and ![the plan](images/plan.png).\n'
  await dashboard.operator.deploy(slug, archiveOf({ 'index.md': text }))
  const page = await enter(`/projects/${slug}/deploys`, { ...device, colorScheme })
  await press(page, '2 problems')
  const list = page.getByRole('list', { name: 'Problems' })
  await list.getByText('There is no page or file guides/setup.md.').waitFor()
  expect(await list.getByText('index.md:3', { exact: true }).count()).toBe(2)
  // With the source of that line.
  const source = 'See the [setup](guides/setup.md), and ![the plan](images/plan.png).'
  expect(await list.getByText(source, { exact: true }).count()).toBe(2)
  await expectAccessibleAndFitting(page)
})

if (isLong)
  it('get a random name, a password later, and end', async () => {
    const page = await enter('/projects/handbook/deploys')
    await press(page, 'Deploy')
    const dialog = page.getByRole('dialog', { name: 'Deploy', exact: true })
    await dialog.getByText('Preview', { exact: true }).click()
    await dialog.getByLabel('Archive to deploy').setInputFiles(archive)
    const row = preview(page, '--handbook')
    await row.getByText(/#\d/).waitFor()
    const href = (await row.getByRole('link').getAttribute('href')) ?? ''
    const name = /\/\/([a-z0-9]{12})--/.exec(href)?.[1] ?? ''
    expect(name).not.toBe('')
    await press(page, `More for ${name}`)
    await page.getByRole('menuitem', { name: 'Set password' }).click()
    await fill(page, { Password: secret })
    await press(page, 'Save password')
    await row.getByText('Password', { exact: true }).waitFor()
    await press(page, `More for ${name}`)
    await page.getByRole('menuitem', { name: 'Remove password' }).click()
    await notice(page, `${name} has no password.`).waitFor()
    await press(page, `More for ${name}`)
    await page.getByRole('menuitem', { name: 'End preview' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End preview' }).click()
    await row.waitFor({ state: 'detached' })
    expect((await dashboard.visit(`${name}--handbook`)).status).toBe(404)
  })

const secret = 'a quiet river at dawn'

describe.each(looks)('the visibility of a site, %s', (colorScheme, device) => {
  const slug = `manual-${colorScheme}`
  beforeAll(async () => {
    await dashboard.operator.create(slug, 'Manual')
    const files = { 'index.html': '<h1>Home</h1>', 'guide.html': '<h1>Guide</h1>' }
    await dashboard.operator.deploy(slug, archiveOf(files))
  })

  const site = (path = '/') => new URL(path, dashboard.origin.replace('//', `//${slug}.docs.`)).href

  async function guest(): Promise<Page> {
    const { page } = await dashboard.stranger({ ...device, colorScheme })
    onTestFinished(() => page.context().close())
    return page
  }

  it('a password, chosen by keyboard, is asked for', async () => {
    const page = await enter(`/projects/${slug}/settings/site`, { ...device, colorScheme })
    // A click on a description chooses it, too.
    await page.getByText(/^Only the owner, members of this project/).click({ force: true })
    expect(await page.getByRole('radio', { name: 'Members only' }).isChecked()).toBe(true)
    await page.getByRole('radio', { name: 'Public' }).focus()
    await page.keyboard.press('ArrowDown')
    await page.getByLabel('Password of the site', { exact: true }).fill('short')
    await page.keyboard.press('Enter')
    await page.getByText('Use at least 12 characters.').waitFor()
    await expectAccessibleAndFitting(page)
    await page.getByLabel('Password of the site', { exact: true }).fill(secret)
    await page.keyboard.press('Enter')
    await notice(page, 'Saved. It applies at every address of the site.').waitFor()
    await page.getByLabel('New password (optional)', { exact: true }).waitFor()
    const reader = await guest()
    await reader.goto(site('/guide'))
    await reader.getByText('This site has a password.').waitFor()
    await expectAccessibleAndFitting(reader)
    await reader.keyboard.type(secret)
    await reader.keyboard.press('Enter')
    await reader.getByRole('heading', { name: 'Guide' }).waitFor()
    await open(page, `/projects/${slug}`)
    await page.getByText('Password', { exact: true }).waitFor()
  })

  it('a member signs in on the way, and gets to the page; a stranger does not', async () => {
    const member = await dashboard.member()
    await dashboard.operator.addMember(slug, member, 'viewer')
    const body = { visibility: 'members' }
    await dashboard.operator.put(`/projects/${slug}/visibility`, body)
    const reader = await guest()
    await reader.goto(site('/guide'))
    await reader.getByRole('heading', { name: 'Members only' }).waitFor()
    await expectAccessibleAndFitting(reader)
    await reader.keyboard.press('Enter')
    await fill(reader, { Email: member.account.email, Password: password })
    await press(reader, 'Sign in')
    await reader.getByRole('heading', { name: 'Guide' }).waitFor()
    expect(reader.url()).toBe(site('/guide'))
    expect(await reader.evaluate('document.cookie')).toBe('')
    // The second time at another host of the project there is a session, and nothing is asked.
    await dashboard.operator.put(`/projects/${slug}/previews/draft`, {})
    const draft = site('/').replace(`//${slug}`, `//draft--${slug}`)
    await reader.goto(draft)
    await press(reader, 'Continue with your account')
    await reader.getByText('Preview not ready yet').waitFor()
    const removed = `/projects/${slug}/members/${member.account.id}`
    await dashboard.operator.delete(removed)
    await reader.goto(site('/guide'))
    await press(reader, 'Continue with your account')
    await reader.getByText('You do not have access to this site').waitFor()
    await expectAccessibleAndFitting(reader)
    await press(reader, 'Use another account')
    await reader.getByLabel('Email').waitFor()
    // A code that does not work.
    await reader.goto(site(`/_site/access?code=${'a'.repeat(43)}`))
    await reader.getByText('This sign-in cannot be continued.').waitFor()
    await expectAccessibleAndFitting(reader)
  })

  if (isLong)
    it('editors see what it is, and change the content', async () => {
      const member = await dashboard.member()
      await dashboard.operator.addMember(slug, member, 'editor')
      await dashboard.operator.deploy(
        slug,
        archiveOf({ 'index.md': '# Home', 'z.md': '# Last', 'site.yaml': 'title: Of the file' }),
      )
      const page = await enter(`/projects/${slug}/settings/site`, {
        ...device,
        colorScheme,
        person: member,
        refused: [400, 400],
      })
      await page.getByText('Only the owner of the project and operators').waitFor()
      const byFile = page.getByRole('group', { name: 'Title' })
      await byFile.getByText('Set by site.yaml of the live deploy.').waitFor()
      await byFile.getByText('Of the file').waitFor()
      expect(await page.getByRole('textbox', { name: 'Title' }).count()).toBe(0)
      await page.getByRole('textbox', { name: 'Colour', exact: true }).fill('#7a1f5c')
      await fill(page, { 'Navigation order': 'z.md', Redirects: '/x\n/y\n' })
      await press(page, 'Save settings')
      await page.getByText('Line 2: The target is missing.').waitFor()
      await expectAccessibleAndFitting(page)
      await fill(page, { Redirects: '/old /z\n' })
      await page.getByRole('button', { name: 'Save settings' }).press('Enter')
      await notice(page, /^Saved\. Deploy \d applies the settings\.$/).waitFor()
      // Typed and not saved: an upload beside it leaves it.
      await fill(page, { Description: 'All about it.' })
      const choose = (name: string, buffer: Buffer) =>
        page.getByLabel(name).setInputFiles({ name: 'image.png', mimeType: 'image/png', buffer })
      await choose('Logo to upload', Buffer.from('no image'))
      await page.getByText('The file is no image, or it is damaged.').waitFor()
      await choose('Logo to upload', pngOf(12, 7))
      await notice(page, /^Logo uploaded\. Deploy \d applies it\.$/).waitFor()
      const logo = page.getByRole('img', { name: 'The uploaded logo' })
      await expect
        .poll(() => logo.evaluate((image: { naturalWidth?: number }) => image.naturalWidth))
        .toBe(12)
      await choose('Favicon to upload', pngOf(12, 7))
      await page
        .getByText(/^PNG, 12 × 7, /)
        .nth(1)
        .waitFor()
      expect(await page.getByLabel('Description').inputValue()).toBe('All about it.')
      await expectAccessibleAndFitting(page)
      await page.getByRole('button', { name: 'Remove the uploaded favicon' }).press('Enter')
      await notice(page, /^Favicon removed\. Deploy \d applies it\.$/).waitFor()
      await page.getByRole('textbox', { name: 'Favicon' }).waitFor()
      await open(page, `/projects/${slug}/deploys`)
      await page.getByText('Site settings changed').first().waitFor()
      await page
        .getByText(/Rebuild of #\d/)
        .first()
        .waitFor()
    })

  it('an uploaded SVG runs no scripts when it is opened directly', async () => {
    const { operator } = dashboard
    await operator.deployFolder(slug, { 'index.md': '# Handbook' })
    const path = `/projects/${slug}/site-images/logo`
    const ran = `document.documentElement.setAttribute('data-ran', 'yes')`
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="${ran}"><script>${ran}</script></svg>`
    const upload = { method: 'PUT', body: Buffer.from(svg), type: 'image/svg+xml' }
    const { deploy } = (await operator.ask(path, upload)).json as { deploy: number }
    await operator.finished(slug, deploy)
    const visibility = { method: 'PUT', body: { visibility: 'public' } }
    await operator.ask(`/projects/${slug}/visibility`, visibility)
    const reader = await guest()
    await reader.goto(site('/'))
    const logo = reader.locator('img.brand-logo')
    await expect
      .poll(() => logo.evaluate((image: { naturalWidth?: number }) => image.naturalWidth))
      .toBeGreaterThan(0)
    const address = await logo.getAttribute('src')
    await reader.goto(site(address ?? ''))
    const root = reader.locator('svg')
    await root.waitFor({ state: 'attached' })
    expect(await root.getAttribute('data-ran')).toBe(null)
    // The same file of the deploy itself is content of the owner, and its own.
    await operator.deploy(slug, archiveOf({ 'index.html': '', 'logo.svg': svg }))
    await reader.goto(site('/logo.svg'))
    expect(await root.getAttribute('data-ran')).toBe('yes')
  })
})
