// Previews in the dashboard: deployed from the form, behind a password for visitors, promoted and ended.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { fill, press } from '../accounts/page-visitors.ts'
import { phone } from '../browser/chromium.ts'
import { cases, isLong } from '../cases.ts'
import { archiveOf, zipOf } from '../publishing/archive-of.ts'
import {
  type DashboardInTest,
  expectAccessibleAndFitting,
  notice,
  open,
  startDashboard,
} from './dashboard-in-test.ts'

const secret = 'a quiet river at dawn'
const shots = process.env.SHOTS

describe('previews in the dashboard', () => {
  let dashboard: DashboardInTest
  let archive: string
  beforeAll(async () => {
    dashboard = await startDashboard()
    await dashboard.operator.create('handbook', 'Handbook')
    await dashboard.operator.deploy('handbook', archiveOf({ 'index.html': '<h1>Live</h1>' }))
    const folder = await mkdtemp(join(tmpdir(), 'animal-store-previews-'))
    archive = join(folder, 'site.zip')
    await writeFile(archive, zipOf({ 'index.html': '<h1>Draft</h1>' }))
    return () => rm(folder, { recursive: true })
  })
  afterAll(() => dashboard.release())

  const preview = (page: Page, name: string) =>
    page.getByRole('table', { name: 'Previews' }).getByRole('row').filter({ hasText: name })

  async function look(page: Page, name: string): Promise<void> {
    if (shots) await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true })
  }

  it.each(
    cases([
      ['light', {}],
      ['dark', phone],
    ] as const),
  )('are deployed, opened with the password, and promoted: %s', async (colorScheme, device) => {
    const visitor = await dashboard.visitor({ ...device, colorScheme })
    const { page } = visitor
    await open(page, '/projects/handbook/deploys')
    await press(page, 'Deploy')
    const dialog = page.getByRole('dialog', { name: 'Deploy', exact: true })
    // By keyboard.
    await dialog.getByRole('radio', { name: 'Site' }).focus()
    await page.keyboard.press('ArrowRight')
    await fill(page, { 'Name (optional)': 'Feature/New start', 'Password (optional)': secret })
    await dialog.getByText('feature-new-start--handbook').waitFor()
    await look(page, `form-${colorScheme}`)
    await expectAccessibleAndFitting(page)
    await dialog.getByLabel('Archive to deploy').setInputFiles(archive)
    await preview(page, 'feature-new-start').getByText(/#\d/).waitFor()
    await dialog.waitFor({ state: 'detached' })
    await preview(page, 'feature-new-start').getByText('Password', { exact: true }).waitFor()
    await look(page, `list-${colorScheme}`)
    await expectAccessibleAndFitting(page)

    const link = preview(page, 'feature-new-start').getByRole('link')
    const address = (await link.getAttribute('href')) ?? ''
    const guest = await dashboard.stranger({ ...device, colorScheme })
    onTestFinished(() => guest.page.context().close())
    await guest.page.goto(address)
    await guest.page.getByRole('heading', { name: 'Password required' }).waitFor()
    await look(guest.page, `password-${colorScheme}`)
    await expectAccessibleAndFitting(guest.page)
    await guest.page.keyboard.type('a wrong password')
    await guest.page.keyboard.press('Enter')
    await guest.page.getByText('Incorrect password. Try again.').waitFor()
    await look(guest.page, `wrong-${colorScheme}`)
    await expectAccessibleAndFitting(guest.page)
    await guest.page.getByLabel('Password').fill(secret)
    await press(guest.page, 'View preview')
    await guest.page.getByRole('heading', { name: 'Draft' }).waitFor()

    await press(page, 'Promote feature-new-start')
    await look(page, `promote-${colorScheme}`)
    await page.getByRole('dialog').getByRole('button', { name: 'Promote' }).click()
    await notice(page, /^Deploy \d is live\.$/).waitFor()
    await preview(page, 'feature-new-start').waitFor({ state: 'detached' })
    expect((await dashboard.visit('handbook')).text).toBe('<h1>Draft</h1>')
    await dashboard.leave(visitor)
  })

  it.each(
    cases([
      ['light', {}],
      ['dark', phone],
    ] as const),
  )('deploys show what the build found: %s', async (colorScheme, device) => {
    const slug = `report-${colorScheme}`
    await dashboard.operator.create(slug, 'Report')
    const text = '# Home\n\nSee the [setup](guides/setup.md), and ![the plan](images/plan.png).\n'
    await dashboard.operator.deploy(slug, archiveOf({ 'index.md': text }))
    const visitor = await dashboard.visitor({ ...device, colorScheme })
    const { page } = visitor
    await open(page, `/projects/${slug}/deploys`)
    await press(page, '2 warnings')
    const list = page.getByRole('list', { name: 'Warnings' })
    await list.getByText('There is no page or file guides/setup.md.').waitFor()
    expect(await list.getByText('index.md:3', { exact: true }).count()).toBe(2)
    // With the source of that line.
    const source = 'See the [setup](guides/setup.md), and ![the plan](images/plan.png).'
    expect(await list.getByText(source, { exact: true }).count()).toBe(2)
    await look(page, `report-${colorScheme}`)
    await expectAccessibleAndFitting(page)
    await dashboard.leave(visitor)
  })

  if (isLong)
    it('get a random name, a password later, and end', async () => {
      const visitor = await dashboard.visitor()
      const { page } = visitor
      await open(page, '/projects/handbook/deploys')
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
      await dashboard.leave(visitor)
    })
})
