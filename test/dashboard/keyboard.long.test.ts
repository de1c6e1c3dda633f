// Walked by keyboard alone: each element is reached with Tab, and after each action the focus is visible and near what was
// done. One installation for all of them. Animals: store.test.ts; a project that is offered: project-settings.test.ts.
// In npm test: test/dashboard/domains.test.ts.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { setUpConnect } from '../domain-connect/connect-in-test.ts'
import { target } from '../domains/domains-in-test.ts'
import { ask } from '../edge/clients.ts'
import { eventually } from '../eventually.ts'
import type { Person } from '../publishing/publishing-in-test.ts'
import { cardOf, domainsPath, inLab, startInLab, waitForBadge } from './dashboard-in-lab.ts'
import { chooseItem, confirm, expectFocus, hasFocus, pressKey, tabTo } from './keyboard.ts'
import { expectAccessibleAndFitting, notice, open, rowOf, soon } from './screen.ts'

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

describe('by keyboard', { timeout: 180_000 }, () => {
  it('a member is invited, made a viewer and removed; an invitation is revoked', async () => {
    const path = `/projects/${slug}/settings/members`
    const { email } = member.account
    const page = await at(path)
    const revoke = page.getByRole('button', { name: `Revoke the invitation of ${email}` })
    for (const role of ['Viewer', 'Editor']) {
      await pressKey(page, page.getByRole('button', { name: 'Invite' }))
      await expectFocus(page, /^Email/)
      await page.keyboard.type(email)
      await page.keyboard.press('Tab')
      await expectFocus(page, /^Role/)
      if (role === 'Viewer') await page.keyboard.press('ArrowUp')
      await page.keyboard.press('Tab')
      await expectFocus(page, /^Cancel/)
      await expectAccessibleAndFitting(page)
      await pressKey(page, page.getByRole('dialog').getByRole('button', { name: 'Invite' }))
      await revoke.waitFor()
      await page.getByRole('cell', { name: role }).waitFor()
      await expectFocus(page, /^Invite$/)
      if (role !== 'Viewer') continue
      await pressKey(page, revoke)
      await confirm(page, 'Revoke')
      await revoke.waitFor({ state: 'detached' })
      await expectFocus(page)
    }
    const [invitation] = await member.received()
    expect((await member.answer(invitation?.id, 'accept')).status).toBe(204)
    await open(page, path)
    const row = rowOf(page, email)
    const more = row.getByRole('button', { name: `More for ${email}` })
    await tabTo(page, more)
    await chooseItem(page, 'Make viewer')
    await row.getByText('Viewer').waitFor()
    await expectAccessibleAndFitting(page)
    await tabTo(page, more)
    await chooseItem(page, 'Remove')
    await confirm(page, 'Remove')
    await row.waitFor({ state: 'detached' })
    await expectFocus(page)
    expect((await member.ask(`/projects/${slug}`)).status).toBe(404)
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
      await pressKey(page, save)
      const announced = notice(page, /^Saved\. Deploy \d+ applies the settings\.$/).last()
      await soon(async () => /\d+/.exec(await announced.innerText())?.[0]).not.toBe(number)
      number = /\d+/.exec(await announced.innerText())?.[0] ?? ''
      await soon(async () => {
        const { json } = await inLab.operator.ask(`/projects/${slug}`)
        return (json as { liveDeploy: { number: number } }).liveDeploy.number
      }).toBe(Number(number))
      await expectFocus(page)
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
    await pressKey(page, save)
    await page.getByText('The group Learn has no pages.').waitFor()
    await soon(() => hasFocus(navigation)).toBe(true)
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.press('Delete')
    await tabTo(page, page.getByLabel('Redirects'))
    await page.keyboard.type('/ancient  /old  302')
    await pressKey(page, save)
    await notice(page, /^Saved\. Deploy \d+ applies/)
      .last()
      .waitFor()
    await soon(async () => (await visit('/ancient')).headers.location).toBe('/old')
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
      await pressKey(page, connect)
      const allow = page.getByRole('button', { name: 'Confirm' })
      await allow.waitFor()
      inLab.settle()
      await pressKey(page, allow)
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
    await pressKey(page, page.getByRole('button', { name: `Prepare certificate for ${host}` }))
    await card.getByText('Create this TXT record').waitFor()
    await expectFocus(page)
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
    await pressKey(page, page.getByRole('button', { name: `Re-verify ${host}` }))
    await notice(page, new RegExp(`^${host} was checked`)).waitFor()
    await expectFocus(page, new RegExp(`^Re-verify ${host}$`))
    await tabTo(page, page.getByRole('button', { name: `Menu of ${host}` }))
    await chooseItem(page, 'Remove')
    const dialog = page.getByRole('dialog')
    await pressKey(page, dialog.getByRole('button', { name: 'Remove' }))
    await dialog.getByText(/^Offline in /).waitFor()
    await expectFocus(page, /^Done$/)
    await page.keyboard.press('Enter')
    await page.getByText('No custom domains yet').waitFor()
    await expectFocus(page)
  })
})

/** The titles in the navigation of a rendered page, in their order. */
function navigationIn(html: string): string {
  const [list = ''] = /<nav class="sidebar".*?<\/nav>/s.exec(html) ?? []
  return list.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
}
