// One click at the DNS provider, in Chromium: from the button to Active without typing, at both providers of the lab. The
// consent pages are another site than the dashboard, as in reality: the session cookie does not come along there.

import type { Page } from 'playwright-core'
import { afterEach, describe, expect, it } from 'vitest'
import type { ProviderId } from '../../lab/network/topology.ts'
import { noQuirks } from '../../lab/registrar/connect/connect-state.ts'
import { phone } from '../browser/chromium.ts'
import { cases, isLong } from '../cases.ts'
import { setQuirks, setUpConnect } from '../domain-connect/connect-in-test.ts'
import { ask } from '../edge/clients.ts'
import { cardOf, domainsPath, inLab, startInLab, waitForBadge } from './dashboard-in-lab.ts'
import { expectAccessibleAndFitting } from './screen.ts'

startInLab({ hasConnect: true }, () => setUpConnect(inLab))
afterEach(async () => {
  for (const id of ['burrow', 'pigeon'] as const) await setQuirks(inLab, id, noQuirks)
})

const titles: Record<ProviderId, string> = { burrow: 'Burrow DNS', pigeon: 'Plain Pigeon' }

/** The owner of a project with an added subdomain, at its card. */
async function atCard(provider: ProviderId, prepare?: (name: string) => void, options = {}) {
  const owner = await inLab.owner()
  const zone = inLab.buy(provider)
  prepare?.(zone.name)
  const host = `docs.${zone.name}`
  await owner.add(host)
  const visitor = await inLab.signedIn(owner.person, domainsPath(owner.slug), options)
  const card = cardOf(visitor.page, host)
  return { ...visitor, owner, zone, host, card }
}

const button = (page: Page, provider: ProviderId) =>
  page.getByRole('button', { name: `Connect with ${titles[provider]}` })
const backAtDashboard = (page: Page, slug: string) =>
  page.waitForURL((url) => url.href.startsWith(`${inLab.origin}${domainsPath(slug)}?domain=`))

describe('one click', () => {
  it.each(cases(['burrow', 'pigeon'] as const))(
    'from the button to Active at %s',
    async (provider) => {
      const { card, complaints, host, owner, page, zone } = await atCard(provider, (name) => {
        inLab.lab.domains.addRecord(name, {
          ...{ name: 'docs', type: 'A', value: '192.0.2.7', ttlSeconds: 300 },
        })
      })
      await card.getByText(`${titles[provider]} deletes these conflicting records`).waitFor()
      await card.getByText('A 192.0.2.7', { exact: true }).waitFor()
      // Never instead of the record.
      await card.getByText('or create the record yourself:').waitFor()
      await card.getByText('docs.animal-store.test', { exact: true }).first().waitFor()
      await expectAccessibleAndFitting(page)
      await button(page, provider).click()
      await page
        .getByRole('heading', { level: 1, name: `Connect ${host} to Acorn Docs?` })
        .waitFor()
      expect(new URL(page.url()).hostname).toBe('127.0.0.1')
      await page.getByRole('heading', { name: 'These records are deleted' }).waitFor()
      await expectAccessibleAndFitting(page)
      inLab.settle()
      await page.getByRole('button', { name: 'Confirm' }).click()
      await backAtDashboard(page, owner.slug)
      await waitForBadge(page, host, 'Active')
      expect((await ask(inLab.httpsPort, host, inLab.ca)).status).toBe(200)
      expect(inLab.lab.domains.describe(zone.name).records.map(({ type }) => type)).toEqual([
        'CNAME',
      ])
      await page.goBack()
      expect(page.url()).not.toContain(`${inLab.origin}/connect/`)
      expect(complaints).toEqual([])
    },
  )

  if (isLong)
    it('cancelled, then the record by hand', async () => {
      const { card, complaints, host, owner, page, zone } = await atCard('burrow', undefined, phone)
      await button(page, 'burrow').waitFor()
      await expectAccessibleAndFitting(page)
      await button(page, 'burrow').click()
      inLab.settle()
      await page.getByRole('button', { name: 'Cancel' }).click()
      await backAtDashboard(page, owner.slug)
      await card.getByText('You cancelled at Burrow DNS. Nothing was changed in DNS.').waitFor()
      await expectAccessibleAndFitting(page)
      zone.put('docs', 'CNAME', 'docs.animal-store.test.')
      inLab.settle()
      await page.getByRole('button', { name: `Verify ${host}` }).click()
      await waitForBadge(page, host, 'Active')
      expect(complaints).toEqual([])
    })

  if (isLong)
    it('a success that is none, mail at the name, and a link that was used', async () => {
      const { card, owner, page } = await atCard(
        'burrow',
        (name) => {
          inLab.lab.domains.addRecord(name, {
            ...{ name: 'docs', type: 'MX', value: '10 mail.example.net.', ttlSeconds: 300 },
          })
        },
        { colorScheme: 'dark' },
      )
      await setQuirks(inLab, 'burrow', { confirm: 'false_success' })
      await card.getByText(/^Mail to addresses at .* will no longer be delivered\.$/).waitFor()
      await expectAccessibleAndFitting(page)
      await button(page, 'burrow').click()
      inLab.settle()
      const returned = page.waitForRequest(
        (request) => request.url().includes('/connect/') && request.url().startsWith(inLab.origin),
      )
      await page.getByRole('button', { name: 'Confirm' }).click()
      await backAtDashboard(page, owner.slug)
      await card.getByText(/Your name servers do not have them yet/).waitFor()
      await page.goto((await returned).url())
      await page.getByText(/^This return from a DNS provider was already used/).waitFor()
      await expectAccessibleAndFitting(page)
    })

  if (isLong)
    it('tells after two minutes that the provider keeps the browser, until DNS has the record', async () => {
      await setQuirks(inLab, 'burrow', { confirm: 'no_return' })
      const { card, complaints, host, owner, page } = await atCard('burrow')
      const back = () => page.goto(`${inLab.origin}${domainsPath(owner.slug)}`)
      await button(page, 'burrow').click()
      await page.getByRole('button', { name: 'Confirm' }).waitFor()
      await back()
      await card.getByText(/^Waiting for the confirmation at Burrow DNS\./).waitFor()
      await expectAccessibleAndFitting(page)
      inLab.pass(120_000)
      await page.reload()
      await card.getByText(/^Burrow DNS has not sent the browser back/).waitFor()
      await card.getByText('or create the record yourself:').waitFor()
      await button(page, 'burrow').click()
      await page.getByRole('button', { name: 'Confirm' }).click()
      await page.getByRole('heading', { name: 'The records are set' }).waitFor()
      await back()
      inLab.settle()
      await page.getByRole('button', { name: `Verify ${host}` }).click()
      await waitForBadge(page, host, 'Active')
      expect(complaints).toEqual([])
    })

  it.each(
    cases([
      ['error', /status 500/],
      ['slow', /no answer within 3 s/],
    ] as const),
  )('says why it is not offered, with the record to create: %s', async (settings, reason) => {
    await setQuirks(inLab, 'burrow', { settings })
    const { card, page } = await atCard('burrow')
    await card.getByText(reason).waitFor()
    await card.getByText(/^connect\.burrow\.test does not respond as expected now/).waitFor()
    expect(await button(page, 'burrow').count()).toBe(0)
    await card.getByText('Create this DNS record').waitFor()
  })
})
