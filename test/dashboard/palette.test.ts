// The palette of the dashboard, by keyboard only.

import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { desktop, phone } from '../browser/chromium.ts'
import { isLong } from '../cases.ts'
import type { Person } from '../publishing/publishing-in-test.ts'
import { dashboard, enter, startForAll } from './dashboard-in-test.ts'
import { expectAccessibleAndFitting, open, soon } from './screen.ts'

let member: Person
startForAll({}, async () => {
  const { operator } = dashboard
  member = await dashboard.member('paid')
  await member.create('handbook', 'Handbook')
  await member.create('zurich', 'Zürich')
  await operator.create('secret-plans', 'Secret plans')
  const body = { name: 'Handsome Rex', categoryId: 1 }
  await operator.post('/store/production/pets', body)
  await operator.post('/store/production/orders', { petId: 1 })
})

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Search' })
const selectedOf = (page: Page) => dialogOf(page).locator('[aria-selected="true"]')

/** Opens it, and types. */
async function search(page: Page, text = ''): Promise<void> {
  await page.keyboard.press('Control+k')
  await dialogOf(page).locator('[role="combobox"]:focus').waitFor()
  await page.keyboard.type(text)
}

it('finds projects, records, members, settings and actions, and opens them', async () => {
  const page = await enter('/account')
  const dialog = dialogOf(page)
  const field = dialog.getByRole('combobox')
  const options = dialog.getByRole('option')
  const selected = () => selectedOf(page).innerText()
  const find = async (text: string, first: RegExp): Promise<void> => {
    await search(page, text)
    await soon(selected).toMatch(first)
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
  }
  await page.keyboard.press('Control+k')
  await dialog.getByRole('group', { name: 'Pages' }).waitFor()
  await expectAccessibleAndFitting(page)
  // The field keeps the focus; the arrow keys go round.
  const begin = await selected()
  await page.keyboard.press('ArrowUp')
  expect(await selected()).toBe(await options.last().innerText())
  await page.keyboard.press('ArrowDown')
  expect(await selected()).toBe(begin)
  expect(await field.getAttribute('aria-activedescendant')).toBe(
    await options.first().getAttribute('id'),
  )
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })

  await find('handb', /^Handbook/)
  await page.waitForURL('**/projects/handbook')
  await find('HANDS', /^Handsome Rex/)
  await page.waitForURL('**/store/production/animals?id=1')
  await search(page, '1')
  await dialog.getByRole('option', { name: 'Order 1' }).click()
  await page.waitForURL('**/store/production/orders?petId=1')
  await find(member.account.email, new RegExp(member.account.email))
  await page.waitForURL(/members\?text=/)
  await soon(() => page.getByRole('rowheader').count()).toBe(1)
  await find('system', /^System/)
  await page.waitForURL('**/system')
  await find('add animal', /^Add animal/)
  const addAnimal = page.getByRole('dialog', { name: 'Add animal' })
  await addAnimal.getByLabel('Name').waitFor()
  await page.keyboard.press('Escape')
  await addAnimal.waitFor({ state: 'detached' })
  await search(page, 'no such thing')
  await dialog.getByText('Nothing matches “no such thing”.').waitFor()
  await expectAccessibleAndFitting(page)
})

if (isLong)
  it('finds only what the account can see, on a phone, too', async () => {
    const visitor = await dashboard.visitor({ ...phone, colorScheme: 'dark' }, member)
    const { page } = visitor
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await open(page, '/')
    const dialog = dialogOf(page)
    await page.getByRole('button', { name: 'Search' }).click()
    await dialog.getByRole('combobox').waitFor()
    await page.keyboard.type('secret')
    await dialog.getByText('Nothing matches “secret”.').waitFor()
    await expectAccessibleAndFitting(page)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Search' }).click()
    await dialog.locator('[role="combobox"]:focus').waitFor()
    await page.keyboard.type('hand')
    await dialog.getByRole('option', { name: 'Handbook' }).waitFor()
    expect(asked.filter((path) => /store|accounts/.test(path))).toEqual([])
    // Typing quickly asks for the last text only.
    expect(asked.filter((path) => path === '/api/search').length).toBeLessThan(6)
    await dashboard.leave(visitor)
  })

if (isLong)
  it('matches letters in their order, without diacritics, and marks them', async () => {
    const page = await enter('/')
    const dialog = dialogOf(page)
    const marked = () => selectedOf(page).locator('mark').allInnerTexts()
    await search(page, 'cakey')
    await dialog.getByRole('group', { name: 'Similar' }).getByText('Create API key').waitFor()
    await soon(marked).toEqual(['C', 'A', 'key'])
    // Of the list of projects that the page has loaded: the server compares the letters themselves.
    await dialog.getByRole('combobox').fill('zuri')
    await dialog.getByRole('option', { name: 'Zürich' }).waitFor()
    await soon(marked).toEqual(['Züri'])
    await dialog.getByRole('status').getByText('1 result', { exact: true }).waitFor()
    await expectAccessibleAndFitting(page)
    // The key closes it, too.
    await page.keyboard.press('Control+k')
    await dialog.waitFor({ state: 'detached' })
  })

if (isLong)
  it('keeps what is selected when later results arrive', async () => {
    const visitor = await dashboard.visitor()
    const { page } = visitor
    const dialog = dialogOf(page)
    const answered = Promise.withResolvers<void>()
    // Every search of the server: projects and domains, the store, and members.
    await page.route(/\/api\/(search|accounts|store\/\w+\/search)\?.*text=/, async (route) => {
      await answered.promise
      await route.continue()
    })
    await open(page, '/projects/handbook/settings/general')
    await search(page, 's')
    const options = () => dialog.getByRole('option').allInnerTexts()
    const selected = () => selectedOf(page).innerText()
    await dialog.getByRole('option', { name: 'Switch to staging' }).waitFor()
    const before = await options()
    expect(before.join()).not.toContain('Secret plans')
    const wanted = (await dialog.getByRole('option').nth(2).innerText()).trim()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    expect(await selected()).toBe(wanted)
    answered.resolve()
    await dialog.getByRole('option', { name: 'Secret plans' }).waitFor()
    await soon(() => dialog.getByRole('status').innerText()).toMatch(/results$/)
    expect(await selected()).toBe(wanted)
    expect((await options()).slice(0, before.length)).toEqual(before)
    // Further down and up, in steps.
    await page.keyboard.press('PageDown')
    expect(await selected()).not.toBe(wanted)
    await page.keyboard.press('PageUp')
    expect(await selected()).toBe(wanted)
    await page.keyboard.press('Escape')
    await dashboard.leave(visitor)
  })

if (isLong)
  it('lists what was opened last first, until its account signs out', async () => {
    const page = await enter('/account', { ...desktop, person: member })
    const dialog = dialogOf(page)
    const recent = dialog.getByRole('group', { name: 'Recent' })
    await search(page)
    expect(await recent.count()).toBe(0)
    await page.keyboard.type('handbook')
    await dialog.getByRole('option', { name: 'Handbook' }).click()
    await page.waitForURL('**/projects/handbook')
    await search(page, 'danger')
    await dialog.getByRole('option', { name: 'Danger zone', selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/projects/handbook/settings/danger')
    await page.reload()
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.keyboard.press('Control+k')
    await recent.waitFor()
    await soon(() => recent.getByRole('option').allInnerTexts()).toEqual([
      expect.stringMatching(/^Danger zone/),
      expect.stringMatching(/^Handbook/),
    ])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/projects/handbook')
    const stored = "localStorage.getItem('animal-store:recent')"
    expect(await page.evaluate<string>(stored)).toContain('Danger zone')
    await search(page, 'sign out')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/sign-in?after=left')
    expect(await page.evaluate<string | null>(stored)).toBe(null)
  })
