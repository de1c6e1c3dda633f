// From the set-up link to published documentation, only through the user interface: deploys by drop and by file
// picker, a failed deploy, a restored one, a new subdomain, deletion.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import {
  closeBrowser,
  fill,
  password,
  press,
  type StoreWithPages,
  startWithPages,
  visitor,
  waitForHeading,
} from '../accounts/page-visitors.ts'
import { zipOf } from '../publishing/archive-of.ts'
import { ask } from '../running-store.ts'
import { expectAccessibleAndFitting } from './screen.ts'

afterAll(closeBrowser)

/** A folder of documentation, and two archives next to it. */
async function filesToDeploy() {
  const folder = await mkdtemp(join(tmpdir(), 'animal-store-deploy-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const docs = join(folder, 'docs')
  await mkdir(join(docs, 'guide'), { recursive: true })
  await writeFile(join(docs, 'index.md'), '# From a folder\n')
  await writeFile(join(docs, 'guide', 'start.md'), '# Start\n')
  const archive = join(folder, 'docs.zip')
  await writeFile(archive, zipOf({ 'index.md': '# From an archive\n' }))
  const broken = join(folder, 'broken.zip')
  await writeFile(
    broken,
    zipOf({ 'index.md': '# Hi\n', 'openapi.yaml': 'openapi: 3.1.0\ninfo: [x\n' }),
  )
  return { docs, archive, broken }
}

/** Drops a path as a file manager does. */
async function drop(page: Page, path: string): Promise<void> {
  await openForm(page)
  const box = await page.getByText('Drop a folder or an archive here').boundingBox()
  const { x = 0, y = 0 } = box ?? {}
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: [path], dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, x: x + 5, y: y + 5, data })
  }
  await session.detach()
}

/** Opens the form, which is a dialog once there is a deploy. */
async function openForm(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Deploy', exact: true })
  if (!(await dialog.isVisible())) await press(page, 'Deploy')
  await dialog.getByText('Drop a folder or an archive here').waitFor()
}

const deploy = (page: Page, number: number): Locator =>
  page
    .getByRole('list', { name: 'Deploys' })
    .getByRole('listitem')
    .filter({ hasText: new RegExp(`(?:#|Deploy )${number}(?!\\d)`) })

async function titleOf({ store }: StoreWithPages, slug: string): Promise<string> {
  const { httpPort } = store.running.config
  const site = new URL(`http://${slug}.docs.localhost:${httpPort}`)
  const { text } = await ask(httpPort, site, '', '', { key: null })
  return /<h1[^>]*>(?:<[^>]*>)*([^<]*)/.exec(text)?.[1] ?? ''
}

/** For the page: intervals of 15 seconds and more never run, so that updates cannot depend on them. */
const stopSlowPolls = `
  const start = window.setInterval.bind(window)
  window.setInterval = (handler, ms) => (ms === 15_000 ? 0 : start(handler, ms))
`

it('from the first account to a site that is changed, restored and deleted', {
  timeout: 180_000,
}, async () => {
  const files = await filesToDeploy()
  const { complaints, page } = await visitor()
  const inTest = await startWithPages()
  await page.addInitScript({ content: stopSlowPolls })
  await page.goto(inTest.setUpLink)
  await fill(page, { 'Your name': 'Olga', Email: 'olga@example.com', Password: password })
  await press(page, 'Create account')
  await waitForHeading(page, 'Projects')
  await page.getByText('No projects yet').waitFor()
  await expectAccessibleAndFitting(page)

  await press(page, 'New project')
  await press(page, 'Create project')
  await page.getByRole('dialog').locator('.mantine-InputWrapper-error').first().waitFor()
  await expectAccessibleAndFitting(page)
  await fill(page, { Name: 'Handbook' })
  await press(page, 'Create project')
  await waitForHeading(page, 'Handbook')
  await page.getByText('Nothing is published yet.').waitFor()
  await page.getByText('No deploys yet').waitFor()
  await expectAccessibleAndFitting(page)

  await page.getByLabel('Folder to deploy').setInputFiles(files.docs)
  await deploy(page, 1).getByText('Live', { exact: true }).waitFor()
  // The card of the site: its mark and title, who deployed it, and how.
  await page.getByRole('link', { name: 'Visit', exact: true }).waitFor()
  await page.locator('[data-published="true"]').getByText('H', { exact: true }).waitFor()
  await deploy(page, 1)
    .getByText(/^Olga · Dashboard · .* · took /)
    .waitFor()
  expect(await titleOf(inTest, 'handbook')).toBe('From a folder')

  // While it is running it shows its progress and can be cancelled.
  const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>()
  await page.route('**/archives', async (route) => {
    await mayGoOn
    await route.continue().catch(() => {})
  })
  await drop(page, files.archive)
  await page
    .getByRole('status')
    .getByText(/^(Reading files|Uploading), \d+ %$/)
    .waitFor()
  await page.getByRole('progressbar').waitFor({ state: 'attached' })
  // An upload that goes on is not hidden.
  await page.keyboard.press('Escape')
  await press(page, 'Cancel')
  await page.getByText('Drop a folder or an archive here').waitFor()
  goOn()
  await page.unroute('**/archives')
  await openForm(page)
  await fill(page, { Message: 'Move to an archive' })
  await drop(page, files.archive)
  await deploy(page, 2).getByText('Live', { exact: true }).waitFor()
  await deploy(page, 1).getByText('Superseded', { exact: true }).waitFor()
  await deploy(page, 2).getByText('Move to an archive', { exact: true }).waitFor()
  expect(await titleOf(inTest, 'handbook')).toBe('From an archive')

  await openForm(page)
  await expectAccessibleAndFitting(page, '[role=dialog]')
  await page.getByLabel('Archive to deploy').setInputFiles(files.broken)
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await deploy(page, 3).getByText('Failed', { exact: true }).waitFor()
  await deploy(page, 3).getByText('The OpenAPI document cannot be read').waitFor()
  await deploy(page, 3)
    .getByText(/^openapi\.yaml:\d+$/)
    .waitFor()
  expect(await titleOf(inTest, 'handbook')).toBe('From an archive')
  await expectAccessibleAndFitting(page)

  await press(page, 'Restore deploy 1')
  await page.getByText('Deploy 1 is live again.').waitFor()
  await page.getByRole('link', { name: 'Deploy 3 failed. Deploy 1 is still live.' }).waitFor()
  // The list says what needs attention, too, and leads to it.
  await page.getByRole('link', { name: 'Projects', exact: true }).first().click()
  await page.getByRole('link', { name: 'Deploy 3 failed. Deploy 1 is still live.' }).click()
  await page.waitForURL('**/projects/handbook/deploys')
  await page.goBack()
  await page.getByRole('link', { name: 'Handbook', exact: true }).click()
  expect(await titleOf(inTest, 'handbook')).toBe('From a folder')

  // Every tab has an address, and its title says project and tab.
  const tabs = page.getByRole('navigation', { name: 'Project', exact: true })
  await tabs.getByRole('link', { name: 'Deploys' }).click()
  await page.waitForURL('**/projects/handbook/deploys')
  await expect.poll(() => page.title()).toBe('Deploys · Handbook · Projects · Animal Store')
  await drop(page, files.docs)
  await page.getByText('Deploy 4 was uploaded.').waitFor()
  await deploy(page, 4).getByText('Live', { exact: true }).waitFor()
  await expectAccessibleAndFitting(page)
  await tabs.getByRole('link', { name: 'Domains' }).click()
  await page.waitForURL('**/projects/handbook/settings/domains')
  await page.getByText('No custom domains yet').waitFor()
  await page.goBack()
  await page.waitForURL('**/projects/handbook/deploys')
  await deploy(page, 4).waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: 'Recent deploys' }).waitFor()

  await page.getByRole('link', { name: 'Project settings' }).click()
  await page.getByRole('link', { name: 'General' }).click()
  await fill(page, { Name: 'Manual', Subdomain: 'manual' })
  await press(page, 'Save')
  await page.waitForURL('**/projects/manual/settings/general')
  await page.getByText('Old subdomains that redirect here: handbook').waitFor()
  expect(await titleOf(inTest, 'manual')).toBe('From a folder')

  await page.getByRole('link', { name: 'Danger zone' }).click()
  await press(page, 'Delete project')
  const dialog = page.getByRole('dialog', { name: 'Delete Manual?' })
  const last = dialog.getByRole('button', { name: 'Delete project' })
  expect(await last.isDisabled()).toBe(true)
  await expectAccessibleAndFitting(page)
  await dialog.getByLabel('Type Manual to confirm').fill('Manual')
  await last.click()
  await page.getByText('No projects yet').waitFor()
  expect(await titleOf(inTest, 'manual')).toBe('Site not found')
  await page.goBack()
  await page.getByText('Page not found').waitFor()
  expect(await page.getByText('Manual', { exact: true }).count()).toBe(0)
  // The error for the empty name, then those for the deleted project.
  expect(complaints.filter((each) => !each.includes('404'))).toEqual([
    expect.stringContaining('400'),
  ])
})
