// The settings of a project: the preview of its site, what is not saved yet, what files of the deploy set, and its members.
import { expect, it } from 'vitest'
import { press } from '../accounts/page-visitors.ts'
import { phone } from '../browser/chromium.ts'
import { isLong } from '../cases.ts'
import { archiveOf } from '../publishing/archive-of.ts'
import {
  dashboard,
  enter,
  expectAccessibleAndFitting,
  notice,
  open,
  rowOf,
  soon,
  startForAll,
} from './dashboard-in-test.ts'

const atMost = { timeout: 120_000 }
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

/** Of the front page of a site, in the light and the dark theme. */
async function publishedColours(slug: string): Promise<Shown[]> {
  const { page } = await dashboard.stranger()
  const shown: Shown[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.goto(`${dashboard.origin.replace('//', `//${slug}.docs.`)}/`)
    shown.push(await page.evaluate<Shown>(shownOnPage))
  }
  await page.context().close()
  return shown
}

it('the preview follows what is typed, as the site will be', atMost, async () => {
  const visitor = await dashboard.visitor()
  const { page } = visitor
  const { operator } = dashboard
  await operator.create('preview', 'Preview')
  const files = {
    'index.md': '# Front page\n\n[First steps](guides/first.md)',
    'guides/first.md': '# First steps',
  }
  await operator.deploy('preview', archiveOf(files))
  await open(page, '/projects/preview/settings/site')
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
  await dashboard.leave(visitor, [400])
})

if (isLong)
  it('changes that are not saved are not lost without asking', atMost, async () => {
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

it(
  'what site.yaml sets is shown, its navigation as a tree, and can be taken over',
  atMost,
  async () => {
    await dashboard.operator.create('tree', 'Tree')
    const pages = {
      'index.md': '# Home\n\n[First steps](guides/first.md)',
      'guides/first.md': '# First steps',
    }
    const colours = 'colour: { light: "#7a1f5c", dark: "#ffb3e6" }\n'
    const navigation =
      'navigation:\n  - index.md\n  - title: Guides\n    pages: [guides/first.md]\n'
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
  },
)

it(
  'on a phone, tabs fade where there are more of them, and the open one is in view',
  atMost,
  async () => {
    const visitor = await dashboard.visitor(phone)
    const { page } = visitor
    await dashboard.operator.create('tabs', 'Tabs')
    /** Before the first and after the last tab. */
    const faded = () =>
      page.evaluate<string>(`{
      const row = document.querySelector('nav[aria-label="Project"]')
      const { left, right } = row.getBoundingClientRect()
      const places = [...row.children].map((tab) => tab.getBoundingClientRect())
      const edges = [places[0].left < left + 15, places.at(-1).right > right - 15]
      getComputedStyle(row).maskImage === 'none' ? 'none' : edges.join()
    }`)
    await open(page, '/projects/tabs')
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
    await dashboard.leave(visitor)
  },
)

if (isLong)
  it('are invited, made viewers and removed', async () => {
    const member = await dashboard.member()
    const { email } = member.account
    const { page } = await dashboard.visitor()
    const dialog = page.getByRole('dialog')
    await open(page, '/projects/handbook/settings/members')
    await page.getByRole('button', { name: 'Invite' }).click()
    await dialog.getByLabel('Email').fill(email)
    await expectAccessibleAndFitting(page)
    await dialog.getByRole('button', { name: 'Invite' }).click()
    await page.getByRole('heading', { name: 'Invitations' }).waitFor()

    const received = await member.ask('/account/project-invitations')
    const { items } = received.json as { items: { id: string }[] }
    const path = `/account/project-invitations/${items[0]?.id}/accept`
    expect((await member.ask(path, { method: 'POST' })).status).toBe(204)
    await open(page, '/projects/handbook/settings/members')
    const row = rowOf(page, email)
    await row.getByRole('button', { name: `More for ${email}` }).click()
    await page.getByRole('menuitem', { name: 'Make viewer' }).click()
    await row.getByText('Viewer').waitFor()
    await expectAccessibleAndFitting(page)
    await row.getByRole('button', { name: `More for ${email}` }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await row.waitFor({ state: 'detached' })
    expect((await member.ask('/projects/handbook')).status).toBe(404)
  })

it('accept an invitation, see what they may change, and leave', async () => {
  const member = await dashboard.member()
  const body = { email: member.account.email, role: 'viewer' }
  await dashboard.operator.ask('/projects/handbook/invitations', { body })
  const { page } = await dashboard.visitor({}, member)
  await open(page, '/projects')
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
  const owner = await dashboard.visitor({ colorScheme: 'light' })
  const { page } = owner
  await open(page, '/projects/guide/settings/danger')
  await page.getByText('This project has no members.').waitFor()
  await expectAccessibleAndFitting(page)
  await dashboard.operator.addMember('guide', member, 'editor')
  await page.reload()
  await page.getByRole('button', { name: 'Transfer' }).press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByText(`${email} finds the offer under Projects`).waitFor()
  await expectAccessibleAndFitting(page)
  await dialog.getByRole('button', { name: 'Offer project' }).click()
  await page.getByText('The offer expires').waitFor()
  await expectAccessibleAndFitting(page)

  const heir = await dashboard.visitor({ ...phone, colorScheme: 'dark' }, member)
  await open(heir.page, '/projects')
  await heir.page.getByText('offers you the project Guide').waitFor()
  await expectAccessibleAndFitting(heir.page)
  await heir.page.getByRole('button', { name: 'Accept Guide' }).click()
  await heir.page.getByRole('dialog').getByText('count towards your plan').waitFor()
  await expectAccessibleAndFitting(heir.page)
  await heir.page.getByRole('button', { name: 'Accept project' }).click()
  await heir.page.getByText('You are now the owner of Guide.').waitFor()
  const { role } = (await member.ask('/projects/guide')).json as { role: string }
  expect(role).toBe('owner')
  await dashboard.leave(owner)
  await dashboard.leave(heir)
})
