// What was added last, walked by keyboard alone: each element is reached with Tab, and after each action the focus is
// visible and near what was done. One installation for all of them.
// In npm test: test/dashboard/domains.test.ts.
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { setUpConnect } from '../domain-connect/connect-in-test.ts'
import { target } from '../domains/domains-in-test.ts'
import { ask } from '../edge/clients.ts'
import { eventually } from '../eventually.ts'
import type { Person } from '../publishing/publishing-in-test.ts'
import { cardOf, domainsPath, inLab, startInLab, waitForBadge } from './dashboard-in-lab.ts'
import { expectAccessibleAndFitting, notice, open, soon } from './dashboard-in-test.ts'

const slug = 'handbook'
const files = {
  'index.md': '# Home',
  'first.md': '# First steps',
  'next.md': '# Next steps',
  'old.md': '# Old times',
}
let member: Person
startInLab({ hasConnect: true }, async () => {
  await setUpConnect(inLab)
  const { operator } = inLab
  member = await inLab.member('paid')
  await operator.publish(slug, files, 'Handbook')
})

/** A page of the operator. Every test uses its keyboard only. */
async function at(path: string, person = inLab.operator): Promise<Page> {
  const { page } = await inLab.signedIn(person, '/account')
  await open(page, path)
  return page
}

/** The response to a visitor of the site. */
const visit = (path = '/') => ask(inLab.httpsPort, `${slug}.${target}`, inLab.ca, path)

/** What has the focus, by its accessible name; empty for nothing. */
const focused = (page: Page): Promise<string> =>
  page.evaluate<string>(`{
    const at = document.activeElement
    at === document.body || at === null
      ? ''
      : at.getAttribute('aria-label') ?? at.labels?.[0]?.innerText ?? at.innerText
  }`)

/** Presses Tab until it has the focus, visibly. */
async function tabTo(page: Page, target: Locator, key = 'Tab'): Promise<void> {
  await target.waitFor()
  for (let presses = 0; presses < 120; presses++) {
    if (await hasFocus(target)) {
      await expectVisibleFocus(page)
      return
    }
    await page.keyboard.press(key)
  }
  expect(await focused(page)).toBe(`reaches ${target}`)
}

const hasFocus = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => element === element.ownerDocument.activeElement)

/** Within the window, and marked as focused. */
async function expectVisibleFocus(page: Page): Promise<void> {
  const seen = page.evaluate<string>(`{
    const at = document.activeElement
    const { bottom, top } = at.getBoundingClientRect()
    bottom > 0 && top < innerHeight ? 'visible' : at.outerHTML.slice(0, 200)
  }`)
  expect(await seen).toBe('visible')
  expect(await isMarked(page), await focused(page)).toBe(true)
}

async function press(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.press(key)
}

/** Opens the menu of the button that has the focus, and chooses with the arrow keys. */
async function chooseItem(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Enter')
  const items = page.getByRole('menuitem')
  await items.first().waitFor()
  await soon(() =>
    page.evaluate<boolean>("document.activeElement.matches('[role=menuitem]')"),
  ).toBe(true)
  for (let i = await items.count(); i > 0 && (await focused(page)) !== name; i--)
    await page.keyboard.press('ArrowDown')
  expect(await focused(page)).toBe(name)
  await page.keyboard.press('Enter')
}

/** Once what was done is shown, something on the page has the focus. */
async function expectKeptFocus(page: Page, name?: string | RegExp): Promise<void> {
  if (name === undefined) await soon(() => focused(page)).not.toBe('')
  else await soon(() => focused(page)).toMatch(name)
  await soon(() => isMarked(page)).toBe(true)
}

/** Whether what has the focus is marked, be it a heading that got it because what had it is gone. */
const isMarked = (page: Page): Promise<boolean> =>
  page.evaluate<boolean>(`{
    const at = document.activeElement
    const isField = at.matches('input, select, textarea')
    at.matches(':focus-visible') && (isField || getComputedStyle(at).outlineStyle !== 'none')
  }`)

async function confirm(page: Page, verb: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  await press(page, dialog.getByRole('button', { name: verb, exact: true }))
  await dialog.waitFor({ state: 'detached' })
}

describe('by keyboard', { timeout: 180_000 }, () => {
  it('a member is invited, and the invitation revoked', async () => {
    const page = await at(`/projects/${slug}/settings/members`)
    await press(page, page.getByRole('button', { name: 'Invite' }))
    await expectKeptFocus(page, /^Email/)
    await page.keyboard.type('reader@example.com')
    await page.keyboard.press('Tab')
    await expectKeptFocus(page, /^Role/)
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Tab')
    await expectKeptFocus(page, /^Cancel/)
    await press(page, page.getByRole('dialog').getByRole('button', { name: 'Invite' }))
    const revoke = page.getByRole('button', { name: 'Revoke the invitation of reader@example.com' })
    await revoke.waitFor()
    await page.getByRole('cell', { name: 'Viewer' }).waitFor()
    await expectKeptFocus(page, /^Invite$/)
    await press(page, revoke)
    await confirm(page, 'Revoke')
    await revoke.waitFor({ state: 'detached' })
    await expectKeptFocus(page)
  })

  it('a project is offered to a member, who accepts', async () => {
    await inLab.operator.create('guide', 'Guide')
    await inLab.operator.addMember('guide', member, 'editor')
    const page = await at('/projects/guide/settings/danger')
    await press(page, page.getByRole('button', { name: 'Transfer' }))
    await confirm(page, 'Offer project')
    const revoke = page.getByRole('button', { name: 'Revoke offer' })
    await revoke.waitFor()
    await expectKeptFocus(page)
    // On from there, not from the top.
    await page.keyboard.press('Tab')
    await soon(() => hasFocus(revoke)).toBe(true)

    const other = await at('/projects', member)
    await press(other, other.getByRole('button', { name: 'Accept Guide' }))
    await confirm(other, 'Accept project')
    await other.getByText('You are now the owner of Guide.').waitFor()
    await expectKeptFocus(other)
  })

  it('groups of the navigation are added, renamed, moved and removed, and redirects set', async () => {
    const page = await at(`/projects/${slug}/settings/site`)
    const navigation = page.getByLabel('Navigation order')
    const save = page.getByRole('button', { name: 'Save settings' })
    let number = ''
    /** The text as typed, saved; the navigation of the site that was built with it. */
    const saved = async (text: string): Promise<string> => {
      await tabTo(page, navigation, 'Shift+Tab')
      await page.keyboard.press('ControlOrMeta+a')
      if (text === '') await page.keyboard.press('Delete')
      else await page.keyboard.type(text)
      await press(page, save)
      const announced = notice(page, /^Saved\. Deploy \d+ applies the settings\.$/).last()
      await soon(async () => /\d+/.exec(await announced.innerText())?.[0]).not.toBe(number)
      number = /\d+/.exec(await announced.innerText())?.[0] ?? ''
      await soon(async () => {
        const { json } = await inLab.operator.ask(`/projects/${slug}`)
        return (json as { liveDeploy: { number: number } }).liveDeploy.number
      }).toBe(Number(number))
      await expectKeptFocus(page)
      const { text: html } = await visit()
      return navigationIn(html)
    }
    expect(await saved('index.md\nBasics:\n  first.md\n  next.md\nArchive:\n  old.md')).toMatch(
      /Basics.*First steps.*Next steps.*Archive.*Old times/,
    )
    await expectAccessibleAndFitting(page)
    // Moved to the front, and the other one renamed.
    expect(await saved('index.md\nArchive:\n  old.md\nLearn:\n  next.md\n  first.md')).toMatch(
      /Archive.*Old times.*Learn.*Next steps.*First steps/,
    )
    expect(await saved('index.md\nLearn:\n  next.md')).toMatch(/^(?!.*Archive).*Learn.*Next steps/)
    await page.reload()
    await soon(() => navigation.inputValue()).toBe('index.md\nLearn:\n  next.md')
    expect(await saved('')).not.toMatch(/Learn/)

    // A problem takes the focus to its field.
    await tabTo(page, navigation, 'Shift+Tab')
    await page.keyboard.type('Learn:')
    await press(page, save)
    await page.getByText('The group Learn has no pages.').waitFor()
    await soon(() => hasFocus(navigation)).toBe(true)
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.press('Delete')
    await tabTo(page, page.getByLabel('Redirects'))
    await page.keyboard.type('/ancient  /old  302')
    await press(page, save)
    await notice(page, /^Saved\. Deploy \d+ applies/)
      .last()
      .waitFor()
    await soon(async () => (await visit('/ancient')).headers.location).toBe('/old')
  })

  it('several animals change their status, are deleted, and both is undone', async () => {
    const page = await at('/store/staging/animals?status=available&sort=name')
    const names = () => page.getByRole('rowheader').allInnerTexts()
    const [first = '', second = ''] = await names()
    const bar = page.getByRole('toolbar', { name: 'Selected animals' })
    for (const name of [first, second])
      await press(page, page.getByLabel(`Select ${name}`, { exact: true }), 'Space')
    await bar.getByText('2 selected').waitFor()
    await tabTo(page, bar.getByRole('button', { name: 'Set status' }), 'Shift+Tab')
    await chooseItem(page, 'Sold')
    await notice(page, '2 animals set to sold.').waitFor()
    await expectKeptFocus(page)
    await page.keyboard.press('z')
    await soon(names).toContain(first)
    await expectKeptFocus(page)

    const one = page.getByLabel(`Select ${first}`, { exact: true })
    await press(page, one, 'Space')
    await tabTo(page, bar.getByRole('button', { name: 'Delete' }), 'Shift+Tab')
    await page.keyboard.press('Enter')
    await notice(page, `${first} deleted.`).waitFor()
    await one.waitFor({ state: 'detached' })
    await expectKeptFocus(page)
    await page.keyboard.press('z')
    await one.waitFor()
    await expectKeptFocus(page)
  })

  it('a live site is prepared and switched, with records set at the provider', async () => {
    const owner = await inLab.owner()
    const zone = inLab.buy('burrow')
    const host = `docs.${zone.name}`
    zone.put('docs', 'CNAME', 'sites.dovecote.test.')
    await owner.add(host)
    const page = await at(domainsPath(owner.slug), owner.person)
    const card = cardOf(page, host)
    const connect = page.getByRole('button', { name: 'Connect with Burrow DNS' })
    const setRecords = async (): Promise<void> => {
      await press(page, connect)
      const allow = page.getByRole('button', { name: 'Confirm' })
      await allow.waitFor()
      inLab.settle()
      await press(page, allow)
      await page.waitForURL((url) =>
        url.href.startsWith(`${inLab.origin}${domainsPath(owner.slug)}?`),
      )
      await card.waitFor()
    }
    const typesAtProvider = () =>
      inLab.lab.domains
        .describe(zone.name)
        .records.map(({ name, type }) => `${type} ${name}`)
        .toSorted()
    // The certificate comes first: with one click at the provider, visitors would see errors.
    expect(await connect.getAttribute('data-variant')).toBe('default')
    await press(page, page.getByRole('button', { name: `Prepare certificate for ${host}` }))
    await card.getByText('Create this TXT record').waitFor()
    await expectKeptFocus(page)
    await connect.waitFor()
    await expectAccessibleAndFitting(page)
    await setRecords()
    expect(typesAtProvider()).toEqual(['CNAME docs', 'TXT _animal-store.docs'])
    const challengeOf = ({ records }: Awaited<ReturnType<typeof owner.get>>) =>
      records.find(({ purpose }) => purpose === 'challenge')
    const told = await eventually(
      () => owner.verify(host),
      (domain) => challengeOf(domain) !== undefined,
    )
    const challenge = challengeOf(told)
    // The record of the challenge is set by hand.
    await card.getByText('Lets the certificate authority issue the certificate').waitFor()
    // The elapsed time is updated without a request.
    const waiting = card.getByRole('listitem').filter({ hasText: 'Waiting for the TXT record' })
    const before = await waiting.innerText()
    await soon(() => waiting.innerText()).not.toBe(before)
    zone.put('_acme-challenge.docs', 'TXT', challenge?.value ?? '')
    await eventually(
      () => owner.verify(host),
      ({ badge }) => badge === 'ready_to_switch',
    )
    await waitForBadge(page, host, 'Ready to switch')
    await card.getByText('CNAME sites.dovecote.test', { exact: true }).waitFor()
    await expectAccessibleAndFitting(page)
    expect(await card.getByText('Burrow DNS has set the records.').count()).toBe(0)
    await setRecords()
    await waitForBadge(page, host, 'Active')
    expect(typesAtProvider()).toContain('CNAME docs')
    expect((await ask(inLab.httpsPort, host, inLab.ca)).status).toBe(200)
    await press(page, page.getByRole('button', { name: `Re-verify ${host}` }))
    await notice(page, new RegExp(`^${host} was checked`)).waitFor()
    await expectKeptFocus(page, new RegExp(`^Re-verify ${host}$`))
    await tabTo(page, page.getByRole('button', { name: `Menu of ${host}` }))
    await chooseItem(page, 'Remove')
    const dialog = page.getByRole('dialog')
    await press(page, dialog.getByRole('button', { name: 'Remove' }))
    await dialog.getByText(/^Offline in /).waitFor()
    await expectKeptFocus(page, /^Done$/)
    await page.keyboard.press('Enter')
    await page.getByText('No custom domains yet').waitFor()
    await expectKeptFocus(page)
  })
})

/** The titles in the navigation of a rendered page, in their order. */
function navigationIn(html: string): string {
  const [list = ''] = /<nav class="sidebar".*?<\/nav>/s.exec(html) ?? []
  return list.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
}
