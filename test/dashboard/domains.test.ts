// The custom domain procedure of the specification, only through the user interface: the dashboard in Chromium, the
// record at the lab's registrar, certificates by Pebble, and a client that trusts only Pebble's root.

import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { phone } from '../browser/chromium.ts'
import { isLong } from '../cases.ts'
import { target } from '../domains/domains-in-test.ts'
import { ask, handshakeFault } from '../edge/clients.ts'
import {
  addDomain,
  atRegistrar,
  cardOf,
  chooseInMenu,
  domainsPath,
  inLab,
  startInLab,
  waitForBadge,
} from './dashboard-in-lab.ts'
import { expectAccessibleAndFitting } from './screen.ts'

startInLab()

/** The owner of a published project, at its Domains page. */
async function atDomains(options = {}) {
  const owner = await inLab.owner()
  const visitor = await inLab.signedIn(owner.person, domainsPath(owner.slug), options)
  await visitor.page.getByRole('heading', { level: 2, name: 'Domains', exact: true }).waitFor()
  const zone = inLab.buy()
  return { owner, zone, host: `docs.${zone.name}`, ...visitor }
}

/** Verifies with the button, and waits for the badge. */
async function verify(page: Page, host: string, badge?: string): Promise<void> {
  inLab.settle()
  await page.getByRole('button', { name: `Verify ${host}` }).click()
  if (badge) await waitForBadge(page, host, badge)
}

/** Each step with its state. */
const progressOf = (page: Page, host: string): Promise<string[]> =>
  cardOf(page, host)
    .getByRole('list', { name: 'Progress' })
    .getByRole('listitem')
    .evaluateAll((items) => items.map((item) => item.innerText.replaceAll(/\s+/g, ' ').trim()))

const readClipboard = (page: Page): Promise<string> =>
  page.evaluate<string>('navigator.clipboard.readText()')

describe('the procedure in the dashboard', { timeout: 180_000 }, () => {
  it('shows each missing precondition with its own sentence', async () => {
    const person = await inLab.member('free')
    await person.create('bare')
    const { page } = await inLab.signedIn(person, domainsPath('bare'))
    await page.getByText('No custom domains yet').waitFor()
    await page.getByRole('button', { name: 'Add domain' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add domain' })
    await dialog.getByText('Upgrade required').waitFor()
    await dialog.getByText(/^Custom domains need the paid plan\./).waitFor()
    await dialog.getByText('Deploy required').waitFor()
    await dialog.getByText(/^Nothing is published of this project yet\./).waitFor()
    expect(await dialog.getByLabel('Domain or subdomain').count()).toBe(0)
    await expectAccessibleAndFitting(page)
    await dialog.getByRole('link', { name: 'Deploy the project' }).click()
    await page.getByRole('heading', { level: 1, name: 'bare' }).waitFor()
  })

  it('a subdomain: a conflict is explained and fixed at the registrar, and the domain becomes active', async () => {
    const { complaints, host, openTab, owner, page, zone } = await atDomains()
    zone.put('docs', 'A', '192.0.2.7')
    await page.evaluate('globalThis.isSamePage = true')
    await addDomain(page, ` HTTPS://Docs.${zone.name}/guide `)
    const card = cardOf(page, host)
    for (const text of ['CNAME', 'docs', target, '3600']) {
      await card.getByText(text, { exact: true }).first().waitFor()
    }
    await card.getByText(/^DNS propagation can take up to 48 hours, but usually/).waitFor()
    await verify(page, host, 'Fix DNS')
    await card.getByText('The A record 192.0.2.7 conflicts').first().waitFor()
    await card.getByText('Found', { exact: true }).waitFor()
    await card.getByText('192.0.2.7', { exact: true }).waitFor()
    await card.getByText('Expected', { exact: true }).waitFor()
    expect(await progressOf(page, host)).toEqual([
      'DNS Failed: Conflicting record',
      'Ownership Pending: Automatic',
      'Certificate Pending: Automatic',
      'Live Pending: Automatic',
    ])
    // Where another site may be live, its certificate is prepared first.
    const prepare = card.getByRole('button', { name: `Prepare certificate for ${host}` })
    expect(await prepare.getAttribute('data-variant')).toBe('filled')
    const topOf = async (each: Locator): Promise<number> => (await each.boundingBox())?.y ?? 0
    expect(await topOf(prepare)).toBeLessThan(await topOf(card.getByText('What to do').first()))
    // With broken DNSSEC nobody knows the records, so none is required.
    inLab.lab.domains.breakDnssec(zone.name, true)
    await verify(page, host)
    await card.getByText(`DNSSEC of ${zone.name} is broken`).first().waitFor()
    expect((await progressOf(page, host)).slice(0, 2)).toEqual([
      'DNS Failed: Fix required',
      'Ownership Pending: After DNS',
    ])
    expect(await prepare.count()).toBe(0)
    inLab.lab.domains.breakDnssec(zone.name, false)
    await verify(page, host)
    await card.getByText('The A record 192.0.2.7 conflicts').first().waitFor()
    // Codes and name servers are behind Details, which can be copied for the support.
    expect(await card.getByText('D10').count()).toBe(0)
    await card.getByRole('button', { name: 'Details', exact: true }).click()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await card.getByRole('button', { name: 'Copy as text' }).click()
    const link = `${inLab.origin}${domainsPath(owner.slug)}?domain=${host}`
    const copied = await readClipboard(page)
    expect(copied).toContain(`${host}: Fix DNS\n`)
    expect(copied).toContain(`Link: ${link}\n\nD10: The A record 192.0.2.7 conflicts`)
    expect(copied).toContain('Found:    192.0.2.7\nExpected: ')
    await card.getByRole('button', { name: 'Copy link' }).click()
    expect(await readClipboard(page)).toBe(link)
    await expectAccessibleAndFitting(page)
    await card.getByRole('button', { name: 'Hide details' }).click()

    const other = await openTab()
    await other.emulateMedia({ reducedMotion: 'no-preference' })
    await other.goto(inLab.origin + domainsPath(owner.slug))
    await waitForBadge(other, host, 'Fix DNS')
    const tab = await openTab()
    await atRegistrar(inLab, tab, zone.name, { remove: `A record of ${host}` })
    await tab.getByLabel('Type').selectOption('CNAME')
    await atRegistrar(inLab, tab, zone.name, { add: { name: 'docs', value: `${target}.` } })
    await page.bringToFront()
    await verify(page, host, 'Active')
    // The other tab is updated automatically.
    await waitForBadge(other, host, 'Active')
    expect(await page.evaluate('globalThis.isSamePage')).toBe(true)
    await card.getByText(`${host} is live`).waitFor()
    await cardOf(other, host).getByText(`${host} is live`).waitFor()
    await card.getByText(/^Renews automatically on /).waitFor()
    // A moment of joy where it happens, and not for those who asked for less motion or open the page later.
    const motions = (tab: Page): Promise<string[]> =>
      tab.evaluate<string[]>(`{
        const live = [...document.querySelectorAll('[role=status]')].find((each) =>
          each.innerText.includes('is live'),
        )
        const moved = [live, ...live.querySelectorAll('span, path')]
        moved.map((each) => getComputedStyle(each).animationName)
      }`)
    const quiet = ['none', 'none', 'none']
    expect((await motions(page)).slice(0, 3)).toEqual(quiet)
    expect((await motions(other)).slice(0, 3)).toEqual([
      expect.stringContaining('settle'),
      expect.stringContaining('spread'),
      expect.stringContaining('draw'),
    ])
    await other.reload()
    await cardOf(other, host).getByText(`${host} is live`).waitFor()
    expect((await motions(other)).slice(0, 3)).toEqual(quiet)
    expect(await progressOf(page, host)).toEqual([
      'DNS Done: Points to us',
      'Ownership Done: Proven',
      expect.stringMatching(/^Certificate Done: Until /),
      'Live Done: Over HTTPS',
    ])
    await expectAccessibleAndFitting(page)
    expect(await card.getByText('Issued by').count()).toBe(0)
    await card.getByRole('button', { name: 'Details', exact: true }).click()
    await card.getByText('Issued by').waitFor()
    await expectAccessibleAndFitting(page)

    const served = await ask(inLab.httpsPort, host, inLab.ca)
    expect([served.status, served.text]).toEqual([200, `<title>${owner.slug}</title>`])

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      card.getByRole('link', { name: 'Download the evidence' }).click(),
    ])
    expect(download.suggestedFilename()).toBe(`evidence-${host}.json`)
    expect(JSON.parse(await readFile(await download.path(), 'utf8'))).toMatchObject({
      format: 1,
    })
    expect(complaints).toEqual([])
  })

  if (isLong)
    it('an apex with its www pair: redirected by the menu and by JSON, made primary, and reverted', async () => {
      const { complaints, page, zone } = await atDomains()
      const [apex, www] = [zone.name, `www.${zone.name}`]
      const shown: boolean[] = []
      await addDomain(page, apex, async (dialog) => {
        await dialog.getByText('Apex domain: requires an ALIAS or ANAME record').waitFor()
        const both = dialog.getByLabel(`${apex}, and ${www} redirects to it`)
        await both.waitFor()
        expect(await both.isChecked()).toBe(true)
        await expectAccessibleAndFitting(page)
        // The choices stay until the domains are configured.
        await page.route('**/domain-configuration', async (route) => {
          if (route.request().method() === 'PUT') shown.push(await both.isVisible())
          await route.continue()
        })
      })
      expect(shown).toEqual([true])
      await page.unroute('**/domain-configuration')
      await cardOf(page, www).getByText(`301 to ${apex}`).waitFor()
      await cardOf(page, apex).getByText('ALIAS', { exact: true }).waitFor()
      await cardOf(page, apex).getByText('@', { exact: true }).waitFor()
      zone.put('@', 'ALIAS', target).put('www', 'CNAME', target)
      for (const host of [apex, www]) {
        await verify(page, host, 'Active')
      }
      await chooseInMenu(page, www, 'Make primary')
      await cardOf(page, www).getByText('Primary', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Undo' }).click()
      await cardOf(page, www).getByText('Primary', { exact: true }).waitFor({ state: 'hidden' })
      await chooseInMenu(page, www, 'Make primary')
      await cardOf(page, www).getByText('Primary', { exact: true }).waitFor()

      await chooseInMenu(page, apex, 'Redirect')
      const dialog = page.getByRole('dialog', { name: `Redirect ${apex}` })
      await expectAccessibleAndFitting(page)
      await dialog.getByLabel('Status').selectOption('302')
      await dialog.getByRole('button', { name: 'Redirect' }).click()
      await cardOf(page, apex).getByText(`302 to ${www}`).waitFor()
      const moved = await ask(inLab.httpsPort, apex, inLab.ca, '/guide/?page=2')
      expect([moved.status, moved.headers.location]).toEqual([302, `https://${www}/guide/?page=2`])

      await page.getByRole('tab', { name: 'Configuration' }).click()
      const text = page.getByLabel('Configuration', { exact: true }).last()
      const save = page.getByRole('button', { name: 'Save' })
      const redirectTo = (to: string, status: number) =>
        JSON.stringify({ primary: www, redirects: [{ from: apex, to, status }] })
      await text.fill('{"primary":')
      await page.getByText('Invalid JSON').waitFor()
      await text.fill('[]')
      await page.getByText('must be an object with primary and redirects').waitFor()
      await text.fill(redirectTo(apex, 301))
      await page.getByText(`redirects[0].to is in a loop: ${apex} → ${apex}.`).waitFor()
      expect(await save.isDisabled()).toBe(true)
      await expectAccessibleAndFitting(page)
      await text.fill(redirectTo(www, 303))
      await save.click()
      await page.getByText(/redirects\[0\]\.status must be/).waitFor()
      await text.fill(redirectTo(www, 308))
      await save.click()
      await page.getByText('Saved.').waitFor()
      expect((await ask(inLab.httpsPort, apex, inLab.ca)).status).toBe(308)
      await page.getByRole('tab', { name: 'History' }).click()
      await page.getByText(/^Redirects to .* \(308\)/).waitFor()
      await expectAccessibleAndFitting(page)
      // Of the status that was refused.
      expect(complaints).toEqual([expect.stringContaining('400')])
    })

  it('Remove: confirmed, tested, refused afterwards, with the record to delete', async () => {
    const { host, page, zone } = await atDomains()
    await addDomain(page, host)
    zone.put('docs', 'CNAME', target)
    await verify(page, host, 'Active')
    await chooseInMenu(page, host, 'Remove')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('It stops serving traffic immediately').waitFor()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await dialog.getByText(/^Offline in \d+\.\d\d s$/).waitFor()
    await dialog.getByText(/^All connections closed/).waitFor()
    await dialog.getByText('A TLS handshake for the name was refused.').waitFor()
    await dialog.getByText('Delete this DNS record now').waitFor()
    await dialog.getByText(new RegExp(`CNAME ${target}`)).waitFor()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await dialog.getByRole('button', { name: 'Copy for support' }).click()
    const proof = await readClipboard(page)
    expect(proof).toMatch(new RegExp(`^${host} was removed\\nRemoved: \\d{4}-.*\\nOffline after: `))
    expect(proof).toContain('TLS handshake: refused\n')
    expect(proof).toContain(`DNS record to delete: ${host} CNAME ${target}`)
    expect(await handshakeFault(inLab.httpsPort, host)).toMatch(/UNRECOGNIZED_NAME/)
    await expectAccessibleAndFitting(page)
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByText('No custom domains yet').waitFor()
    await page.getByRole('button', { name: 'Add domain' }).waitFor()
  })

  if (isLong)
    it('Re-verify: CAA blocks it, the exact line is shown, fixed, and issuance continues', async () => {
      const { host, page, zone } = await atDomains({ colorScheme: 'dark' })
      zone.put('@', 'CAA', '0 issue "other-ca.example"')
      await addDomain(page, host)
      zone.put('docs', 'CNAME', target)
      await verify(page, host, 'Needs attention')
      const card = cardOf(page, host)
      await card.getByText(`CAA at ${zone.name} allows only other-ca.example`).first().waitFor()
      // Of the finding before, too, while it is closed.
      await card.getByText('What to do').first().waitFor()
      await expectAccessibleAndFitting(page)
      zone.clear('@')
      inLab.settle()
      await page.getByRole('button', { name: `Re-verify ${host}` }).click()
      await waitForBadge(page, host, 'Active')
      await expectAccessibleAndFitting(page)
    })

  if (isLong)
    it('tells why Verify has no new result; an event stays when an older response arrives', async () => {
      const { host, page, zone } = await atDomains()
      await addDomain(page, host)
      await page.getByRole('button', { name: `Verify ${host}` }).click()
      await page
        .getByText(/was checked a moment ago. You can verify it again in \d+ seconds?\./)
        .waitFor()
      const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>()
      await page.route('**/verify', async (route) => {
        const response = await route.fetch()
        await mayGoOn
        await route.fulfill({ response })
      })
      zone.put('docs', 'CNAME', target)
      await verify(page, host, 'Active')
      goOn()
      await page
        .getByText(`${host} was checked. Verified. The certificate is being issued`)
        .waitFor()
      expect(await cardOf(page, host).getByText('Active', { exact: true }).count()).toBe(1)
    })

  if (isLong)
    it('asks before a plan is changed that suspends domains', async () => {
      const { host, owner, page, zone } = await atDomains()
      await addDomain(page, host)
      zone.put('docs', 'CNAME', target)
      await verify(page, host, 'Active')
      const { page: members } = await inLab.signedIn(inLab.operator, '/members')
      const { email, name } = owner.person.account
      const plan = members.getByRole('row').filter({ hasText: email }).getByLabel(`Plan of ${name}`)
      await plan.selectOption('free')
      const dialog = members.getByRole('dialog', { name: `Set ${name} to the free plan?` })
      await dialog.getByText(host).waitFor()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      expect(await plan.inputValue()).toBe('paid')
      await plan.selectOption('free')
      await dialog.getByRole('button', { name: 'Suspend 1 domain' }).click()
      await members.getByText(`${name} is now on the free plan.`).waitFor()
      expect(await plan.inputValue()).toBe('free')
    })

  if (isLong)
    it('shows live changes, shows a lost connection, and catches up', async () => {
      const { owner, page, zone } = await atDomains()
      const [first, second] = [`a.${zone.name}`, `b.${zone.name}`]
      await addDomain(page, first)
      // By another client.
      await owner.add(second)
      await cardOf(page, second).waitFor()
      await page.route('**/*', (route) => route.abort())
      await page.evaluate('stop()')
      const banner = page.getByText('The server does not respond. Reconnecting…')
      await banner.waitFor()
      await owner.remove(second)
      await page.unroute('**/*')
      await cardOf(page, second).waitFor({ state: 'hidden' })
      await banner.waitFor({ state: 'hidden' })

      // A page that cannot be loaded is loaded when the server responds.
      await page.route('**/*', (route) => route.abort())
      const main = page.getByRole('navigation', { name: 'Main' })
      await main.getByRole('link', { name: 'Projects' }).click()
      await banner.waitFor()
      expect(await page.getByText('A new version is available').count()).toBe(0)
      await page.unroute('**/*')
      await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor()
      expect(await banner.count()).toBe(0)
    })

  if (isLong)
    it('lists the primary first, and has a search from ten domains on', async () => {
      const { owner, page, zone } = await atDomains()
      const search = page.getByLabel('Search by name or status')
      const hosts = Array.from({ length: 10 }, (_, i) => `s${i + 1}.${zone.name}`)
      for (const host of hosts.slice(1)) await owner.add(host)
      await page.getByText('9 domains').waitFor()
      expect(await search.count()).toBe(0)
      await owner.add(`s1.${zone.name}`)
      await search.waitFor()
      await chooseInMenu(page, `s7.${zone.name}`, 'Make primary')
      const shown = () =>
        page.getByRole('article').evaluateAll((all) => all.map((each) => each.ariaLabel))
      await expect
        .poll(shown)
        .toEqual([`s7.${zone.name}`, ...hosts.filter((host) => !host.startsWith('s7'))])
      await page.keyboard.press('/')
      await page.keyboard.type('S3.')
      await page.getByText('1 of 10 domains').waitFor()
      expect(await shown()).toEqual([`s3.${zone.name}`])
      await expectAccessibleAndFitting(page)
      // What needs attention is counted, and is one line that leads to all of them.
      await page.getByRole('link', { name: 'Overview' }).click()
      await page.getByRole('link', { name: '10 domains need a DNS record' }).click()
      await page.getByText('10 domains', { exact: true }).waitFor()
      expect(await search.inputValue()).toBe('Add DNS record')
      // A link to the last of them shows it below the header, also when what is above it gets its height later.
      await page.addInitScript({
        content: `const style = new CSSStyleSheet()
          style.replaceSync('article:not(:last-of-type) { display: none }')
          document.adoptedStyleSheets = [style]`,
      })
      await page.goto(`${page.url().split('?')[0]}?domain=s10.${zone.name}`)
      const linked = page.getByRole('button', { name: `s10.${zone.name}`, expanded: true })
      await linked.waitFor()
      await page.evaluate('document.adoptedStyleSheets = []')
      await expect
        .poll(async () => {
          const { y } = (await linked.boundingBox()) ?? { y: -1 }
          return y > 56 && y < 800
        })
        .toBe(true)
    })

  if (isLong)
    it('can be completed with the keyboard only', async () => {
      const { host, page, zone } = await atDomains()
      zone.put('docs', 'A', inLab.lab.topology.otherPlatform)
      await page.getByText('No custom domains yet').waitFor()
      await page.keyboard.press('n')
      const dialog = page.getByRole('dialog', { name: 'Add domain' })
      await dialog.waitFor()
      await expect
        .poll(() => page.locator(':focus').getAttribute('placeholder'))
        .toBe('docs.example.com')
      await page.keyboard.press('Enter')
      await dialog.getByText('Enter a domain, such as docs.example.com.').waitFor()
      await page.keyboard.type('localhost')
      await page.keyboard.press('Enter')
      await dialog.locator('.mantine-InputWrapper-error').waitFor()
      await page.keyboard.press('Control+A')
      await page.keyboard.type(host)
      await page.keyboard.press('Enter')
      // Although nobody has waited for it: another site responds there now.
      await dialog.getByRole('radio', { name: 'Move it without downtime' }).waitFor()
      await page.keyboard.press('Tab')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await dialog.waitFor({ state: 'hidden' })
      await cardOf(page, host).waitFor()
      const verifying = page.getByRole('button', { name: `Verify ${host}` })
      await verifying.waitFor()
      const isThere = () => verifying.and(page.locator(':focus')).count()
      for (let i = 0; i < 40 && (await isThere()) === 0; i++) await page.keyboard.press('Tab')
      expect(await isThere()).toBe(1)
      zone.clear('docs').put('docs', 'CNAME', target)
      inLab.settle()
      await page.keyboard.press('Enter')
      await waitForBadge(page, host, 'Active')
    })

  if (isLong)
    it.each(['light', 'dark'] as const)('fits on a phone, %s', async (colorScheme) => {
      const { complaints, page, zone } = await atDomains({ ...phone, colorScheme })
      const long = `guides-and-references.documentation-of-everything.${zone.name}`
      await expectAccessibleAndFitting(page)
      await addDomain(page, long)
      zone.put('guides-and-references.documentation-of-everything', 'A', '192.0.2.7')
      await verify(page, long, 'Fix DNS')
      await expectAccessibleAndFitting(page)
      await page.getByRole('button', { name: `Menu of ${long}` }).click()
      await page.getByRole('menu').waitFor()
      // A dialog or menu over the page is outside its landmarks.
      await expectAccessibleAndFitting(page, '[role=menu]')
      await page.keyboard.press('Escape')
      // The path of the specification: Project settings, Domains, Add domain.
      await page.getByRole('link', { name: 'Project settings' }).click()
      await page.getByRole('navigation', { name: 'Project settings' }).getByText('Domains').click()
      await page.getByRole('button', { name: 'Add domain' }).waitFor()
      expect(complaints).toEqual([])
    })
})
