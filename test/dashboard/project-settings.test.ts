// The settings of a project: the preview of its site, what is not saved yet, what files of the deploy set, its members, and
// its tokens. The commands that are shown with a token are run as they are printed.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { press } from '../accounts/page-visitors.ts'
import { findAccessibilityProblems } from '../browser/axe.ts'
import { phone } from '../browser/chromium.ts'
import { isLong } from '../cases.ts'
import { archiveOf } from '../publishing/archive-of.ts'
import { dashboard, enter, startForAll } from './dashboard-in-test.ts'
import { confirm, expectFocus, hasFocus, pressKey } from './keyboard.ts'
import { endDialog, expectAccessibleAndFitting, notice, open, rowOf, soon } from './screen.ts'

startForAll({}, () => dashboard.operator.create('handbook', 'Handbook'))

/** Colours of a link in the text, of the page in the navigation that is open, and of the mark beside the title. */
interface Shown {
  link: string
  current: string
  background: string
  mark: string
}
const look = (link: string, current: string, mark: string) => `((root) => {
  const styleOf = (selector) => getComputedStyle(root.querySelector(selector))
  const { backgroundColor: background, color: current } = styleOf('${current}')
  return { link: styleOf('${link}').color, current, background, mark: styleOf('${mark}').backgroundColor }
})`
const shownInPictures = `[...document.querySelectorAll('figure')].map(
  ${look('[data-part="link"]', '[data-part="current"]', '[class*="_logo_"]')})`
const shownOnPage = `${look('.prose p > a', '.sidebar [aria-current="page"]', '.brand-mark')}(document)`

/** Of the front page of a site, which is accessible in the light and the dark theme. */
async function publishedColours(slug: string): Promise<Shown[]> {
  const { page } = await dashboard.stranger()
  const shown: Shown[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.goto(`${dashboard.origin.replace('//', `//${slug}.docs.`)}/`)
    shown.push(await page.evaluate<Shown>(shownOnPage))
    expect(await findAccessibilityProblems(page)).toEqual([])
  }
  await page.context().close()
  return shown
}

it('the preview follows what is typed, as the site will be', async () => {
  const { operator } = dashboard
  await operator.create('preview', 'Preview')
  const files = {
    'index.md': '# Front page\n\n[First steps](guides/first.md)',
    'guides/first.md': '# First steps',
  }
  await operator.deploy('preview', archiveOf(files))
  const page = await enter('/projects/preview/settings/site', { refused: [400] })
  const preview = page.getByRole('region', { name: 'Preview' })
  const pictures = preview.locator('figure')
  await pictures.first().waitFor()
  const colour = page.getByRole('textbox', { name: 'Colour', exact: true })
  const title = page.getByRole('textbox', { name: 'Title' })
  const bar = page.getByText(/^Not saved: /)

  await title.fill('Field guide')
  await colour.fill('#c2410c')
  await bar.getByText('Not saved: Title, Colour').waitFor()
  for (const each of await pictures.all()) await each.getByText('Field guide').first().waitFor()
  await expectAccessibleAndFitting(page)
  const shown = await page.evaluate<Shown[]>(shownInPictures)
  // As the page that is built with it.
  await press(page, 'Save settings')
  const saved = notice(page, /^Saved\. Deploy \d+ applies the settings\.$/)
  await saved.waitFor()
  await bar.waitFor({ state: 'detached' })
  await operator.finished('preview', Number(/\d+/.exec(await saved.innerText())?.[0]))
  expect(await publishedColours('preview')).toEqual(shown)

  // What the renderer would refuse is said at once, with the colour that the preview shows instead.
  await colour.fill('#ffcb3d')
  await page.getByText(/^#ffcb3d has a contrast of [\d.]+ in the light theme/).waitFor()
  const instead = await pictures.first().locator('figcaption').innerText()
  await page.getByText(`Use ${/#\w+/.exec(instead)?.[0]} instead.`).waitFor()
  // With the problems of all other fields.
  await title.fill('W'.repeat(500))
  await press(page, 'Save settings')
  await soon(() => title.getAttribute('aria-invalid')).toBe('true')
  expect(await colour.getAttribute('aria-invalid')).toBe('true')
  await press(page, 'Discard')
  expect(await colour.inputValue()).toBe('#c2410c')
})

if (isLong)
  it('changes that are not saved are not lost without asking', async () => {
    await dashboard.operator.create('unsaved', 'Unsaved')
    const page = await enter('/projects/unsaved/settings/site')
    const description = page.getByRole('textbox', { name: 'Description' })
    await description.fill('All about it.')
    await page.getByText('Not saved: Description').waitFor()
    const leave = () => page.getByRole('link', { name: 'Members', exact: true }).last().click()
    const dialog = page.getByRole('dialog')
    await leave()
    await dialog.getByText('Leave without saving?').waitFor()
    await expectAccessibleAndFitting(page)
    await dialog.getByRole('button', { name: 'Cancel' }).press('Enter')
    await dialog.waitFor({ state: 'detached' })
    expect(await description.inputValue()).toBe('All about it.')
    expect(new URL(page.url()).pathname).toBe('/projects/unsaved/settings/site')
    // Leaving the dashboard: the browser asks.
    const asked = page.waitForEvent('dialog')
    const closing = page.close({ runBeforeUnload: true })
    const question = await asked
    expect(question.type()).toBe('beforeunload')
    await question.dismiss()
    await closing
    await leave()
    await dialog.getByRole('button', { name: 'Discard changes' }).press('Enter')
    await page.waitForURL('**/settings/members')
    await page.getByRole('button', { name: 'Invite' }).waitFor()
    await page.goBack()
    await description.waitFor()
    expect(await description.inputValue()).toBe('')
  })

it('what site.yaml sets is shown, its navigation as a tree, and can be taken over', async () => {
  await dashboard.operator.create('tree', 'Tree')
  const pages = {
    'index.md': '# Home\n\n[First steps](guides/first.md)',
    'guides/first.md': '# First steps',
  }
  const colours = 'colour: { light: "#7a1f5c", dark: "#ffb3e6" }\n'
  const navigation = 'navigation:\n  - index.md\n  - title: Guides\n    pages: [guides/first.md]\n'
  await dashboard.operator.deploy(
    'tree',
    archiveOf({ ...pages, 'site.yaml': colours + navigation }),
  )
  const page = await enter('/projects/tree/settings/site')
  await page.locator('figure').first().waitFor()
  expect(await page.evaluate<Shown[]>(shownInPictures)).toEqual(await publishedColours('tree'))
  const tree = page.getByRole('group', { name: 'Navigation order' })
  expect(await tree.getByRole('listitem').allInnerTexts()).toEqual([
    'index.md',
    expect.stringMatching(/^Guides\s+guides\/first\.md$/),
    'guides/first.md',
  ])
  await tree.getByText('To set it here, remove navigation from it and deploy again.').waitFor()
  await expectAccessibleAndFitting(page)
  // The card of the site has its colour, too.
  await open(page, '/projects/tree')
  const colour = "getComputedStyle(document.querySelector('[data-published]')).backgroundColor"
  await soon(() => page.evaluate(colour)).toBe('rgb(122, 31, 92)')
  await open(page, '/projects/tree/settings/site')
  await dashboard.operator.deploy('tree', archiveOf(pages))
  await page.reload()
  await page.getByRole('textbox', { name: 'Navigation order' }).waitFor()
})

it('on a phone, tabs fade where there are more of them, and the open one is in view', async () => {
  await dashboard.operator.create('tabs', 'Tabs')
  const page = await enter('/projects/tabs', phone)
  /** Before the first and after the last tab. */
  const faded = () =>
    page.evaluate<string>(`{
      const row = document.querySelector('nav[aria-label="Project"]')
      const { left, right } = row.getBoundingClientRect()
      const places = [...row.children].map((tab) => tab.getBoundingClientRect())
      const edges = [places[0].left < left + 15, places.at(-1).right > right - 15]
      getComputedStyle(row).maskImage === 'none' ? 'none' : edges.join()
    }`)
  await soon(faded).toBe('false,true')
  await open(page, '/projects/tabs/settings/danger')
  await soon(faded).toBe('true,false')
  const inView = async (name: string): Promise<boolean> => {
    const { width = 0, x = -1 } =
      (await page.getByRole('link', { name, exact: true }).boundingBox()) ?? {}
    return x >= 0 && x + width <= phone.viewport.width
  }
  await soon(() => inView('Project settings')).toBe(true)
  await soon(() => inView('Danger zone')).toBe(true)
  // The navigation covers the page until a page is chosen.
  await page.getByRole('button', { name: 'Open the navigation' }).click()
  await page.getByRole('navigation', { name: 'Main' }).getByText('Account').click()
  await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor()
  await page.getByRole('button', { name: 'Open the navigation' }).waitFor()
})

it('accept an invitation, see what they may change, and leave', async () => {
  const member = await dashboard.member()
  const body = { email: member.account.email, role: 'viewer' }
  await dashboard.operator.post('/projects/handbook/invitations', body)
  const page = await enter('/projects', { person: member })
  await expectAccessibleAndFitting(page)
  await page.getByRole('button', { name: 'Accept Handbook' }).press('Enter')
  await page.getByText('You are a viewer').waitFor()
  await open(page, '/projects/handbook/deploys')
  expect(await page.getByRole('button', { name: 'Deploy' }).count()).toBe(0)
  await open(page, '/projects/handbook/settings/general')
  await page.getByText('Only the owner and editors of Handbook can').waitFor()
  await open(page, '/projects/handbook/settings/members')
  await page.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
  await page.getByText('You left Handbook').waitFor()
  expect((await member.ask('/projects/handbook')).status).toBe(404)
})

it('become the owner of a project that is offered to them', async () => {
  const member = await dashboard.member()
  const { email } = member.account
  await dashboard.operator.create('guide', 'Guide')
  const page = await enter('/projects/guide/settings/danger', { colorScheme: 'light' })
  await page.getByText('This project has no members.').waitFor()
  await expectAccessibleAndFitting(page)
  await dashboard.operator.addMember('guide', member, 'editor')
  await page.reload()
  await pressKey(page, page.getByRole('button', { name: 'Transfer' }))
  await page.getByRole('dialog').getByText(`${email} finds the offer under Projects`).waitFor()
  await expectAccessibleAndFitting(page)
  await confirm(page, 'Offer project')
  await page.getByText('The offer expires').waitFor()
  await expectAccessibleAndFitting(page)
  await expectFocus(page)
  // On from there, not from the top.
  await page.keyboard.press('Tab')
  await soon(() => hasFocus(page.getByRole('button', { name: 'Revoke offer' }))).toBe(true)

  const heir = await enter('/projects', { ...phone, colorScheme: 'dark', person: member })
  await heir.getByText('offers you the project Guide').waitFor()
  await expectAccessibleAndFitting(heir)
  await pressKey(heir, heir.getByRole('button', { name: 'Accept Guide' }))
  await heir.getByRole('dialog').getByText('count towards your plan').waitFor()
  await expectAccessibleAndFitting(heir)
  await confirm(heir, 'Accept project')
  await heir.getByText('You are now the owner of Guide.').waitFor()
  await expectFocus(heir)
  const { role } = await member.read<{ role: string }>('/projects/guide')
  expect(role).toBe('owner')
})

/** Runs commands as a user pastes them, in a folder with `docs`. */
async function run(commands: string, docs: Record<string, string>) {
  const cwd = await mkdtemp(join(tmpdir(), 'snippet-'))
  await mkdir(join(cwd, 'docs'))
  for (const [name, content] of Object.entries(docs))
    await writeFile(join(cwd, 'docs', name), content)
  const env = { PATH: process.env.PATH, NO_PROXY: '*' }
  const shell = spawn('bash', ['-c', commands], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = once(shell, 'exit')
  const [stdout, stderr] = await Promise.all([text(shell.stdout), text(shell.stderr)])
  return { status: (await exited)[0] as number, stdout, stderr }
}

it('tokens are named, created, and deploy with the commands as they are printed', async () => {
  const page = await enter('/projects/handbook/settings/tokens', { refused: [400] })
  const dialog = page.getByRole('dialog')
  await page.getByRole('heading', { name: 'No deploy tokens yet' }).waitFor()
  await page.keyboard.press('n')
  // A token is named before it is created.
  await dialog.getByRole('button', { name: 'Create token' }).click()
  const name = dialog.getByLabel('Name')
  await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true')
  await name.fill('GitHub Actions')
  await dialog.getByRole('button', { name: 'Create token' }).click()
  const token = await dialog.locator('[data-secret]').innerText()
  await expectAccessibleAndFitting(page)
  const snippet = async (tool: string): Promise<string> => {
    await dialog.getByRole('tab', { name: tool }).click()
    return await dialog.getByRole('tabpanel').locator('pre').innerText()
  }

  const curl = await snippet('curl')
  const done = await run(curl, { 'index.md': '# Deployed by curl' })
  expect(done).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('"live"') })
  expect((await dashboard.visit('handbook')).text).toContain('Deployed by curl')
  // A deploy that fails fails the pipeline, and says why. So does a token that is refused.
  const broken = await run(curl, { 'index.md': '# A', 'openapi.yaml': 'openapi: [' })
  expect(broken.status).toBe(1)
  expect(broken.stderr).toContain('"file":"openapi.yaml"')
  const refused = await run(curl.replace(token, `${token}x`), { 'index.md': '# A' })
  expect(refused.status).toBe(1)
  expect(refused.stderr).toContain('"invalid_token"')

  // What a runner of GitHub and of GitLab executes: the block below `run: |` and `script: - |`.
  for (const [tool, start] of [
    ['GitHub Actions', 'run: |'],
    ['GitLab CI', '- |'],
  ] as const) {
    const file = await snippet(tool)
    expect(file).not.toContain(token)
    const block = file.slice(file.indexOf(`${start}\n`) + start.length + 1)
    const script = block.replaceAll(/^ +/gm, '')
    const made = await run(`export ANIMAL_STORE_TOKEN=${token}\n${script}`, {
      'index.md': `# By ${tool}`,
    })
    expect(made).toMatchObject({ status: 0, stderr: '' })
    expect((await dashboard.visit('handbook')).text).toContain(`By ${tool}`)
  }

  await dialog.getByRole('button', { name: 'Copy the deploy token' }).click()
  await endDialog(page)
  expect(await page.content()).not.toContain(token)
  await open(page, '/account')
  const row = rowOf(page, 'GitHub Actions')
  expect(await row.innerText()).toMatch(/project:deploy\s+Handbook\s+(just now|\d+ seconds ago)/)
  await row.getByRole('link', { name: 'Handbook' }).click()
  await page.getByRole('heading', { level: 1, name: 'Handbook' }).waitFor()
  await page.getByRole('button', { name: 'Revoke GitHub Actions' }).click()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await notice(page, 'GitHub Actions is revoked.').waitFor()
  expect((await dashboard.anonymous('/projects/handbook/deploys', { token })).status).toBe(401)
})

if (isLong)
  it('site tokens open a members-only site for programs, with the command as it is printed', async () => {
    await dashboard.operator.deploy('handbook', archiveOf({ 'index.html': 'for members' }))
    const path = '/projects/handbook/visibility'
    await dashboard.operator.put(path, { visibility: 'members' })
    for (const [colorScheme, device] of [
      ['light', {}],
      ['dark', phone],
    ] as const) {
      const page = await enter('/projects/handbook/settings/site', { ...device, colorScheme })
      const dialog = page.getByRole('dialog')
      await page.getByRole('link', { name: 'site token' }).press('Enter')
      await page.getByRole('heading', { name: 'No site tokens yet' }).waitFor()
      await expectAccessibleAndFitting(page)
      await page.getByRole('button', { name: 'Create site token' }).press('Enter')
      await dialog.getByLabel('Name').fill('Link checker')
      await dialog.getByLabel('Name').press('Enter')
      const token = await dialog.locator('[data-secret]').innerText()
      const command = await dialog.locator('pre').last().innerText()
      expect(command).toContain(token)
      await expectAccessibleAndFitting(page)
      const done = await run(command.replace('curl ', 'curl -sS '), {})
      expect(done).toMatchObject({ status: 0, stderr: '', stdout: 'for members' })
      await dialog.getByRole('button', { name: 'Copy the site token' }).click()
      await endDialog(page)
      await page.reload()
      const row = rowOf(page, 'Link checker')
      expect(await row.innerText()).not.toContain('Never')
      await page.getByRole('button', { name: 'Revoke Link checker' }).click()
      await dialog.getByRole('button', { name: 'Revoke' }).click()
      await notice(page, 'Link checker is revoked.').waitFor()
      const refused = await run(command.replace('curl ', 'curl -sS -f '), {})
      expect(refused.stderr).toContain('401')
    }
  })
