// A live site moves here, through the user interface alone: the dashboard and the registrar's pages in Chromium, while
// visitors ask for the site with verified certificates. No request fails: on one node, and on two at the addresses of the
// platform host. MOVE_REPETITIONS=20 repeats it, with 50 visits a second; name servers are updated at random moments.
// In npm test: test/domains/prepared-domains.test.ts.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import type { DomainSwitch } from '#domains/checks/switch-schema.ts'
import { visitorsRoot } from '../../lab/lab.ts'
import {
  addDomain,
  cardOf,
  type DashboardInLab,
  domainsPath,
  startDashboard,
  waitForBadge,
} from '../dashboard/dashboard-in-lab.ts'
import { expectAccessibleAndFitting } from '../dashboard/screen.ts'
import { type Engine, engines } from '../database.ts'
import { target } from '../domains/domains-in-test.ts'
import { eventually } from '../eventually.ts'
import { expectJson } from '../publishing/publishing-in-test.ts'
import { createRandom, type Random } from '../random.ts'
import { newMarker, startVisitors } from './visitors.ts'

const repetitions = Number(process.env.MOVE_REPETITIONS ?? 0)
const isLong = repetitions > 0
const perSecond = isLong ? 50 : 20
/** Of the lab's time, at each visit: 20 times as fast as real time. */
const passedMs = 20_000 / perSecond
const oldTtlSeconds = 60
const servers = [1, 2, 3, 4].map((n) => `ns${n}.burrow.test`)

const setups: [engine: Engine, nodes: 1 | 2][] = [
  ['sqlite', 1],
  ['postgres', 2],
  // Repetitions only: each takes most of a minute.
  ...(isLong ? [['postgres', 1] as [Engine, 1]] : []),
]
const possible = setups.filter(([engine]) => engines.includes(engine))
/** In turns. */
const moves = Array.from({ length: isLong ? repetitions : possible.length }, (_, i) => {
  const [engine, nodes] = possible[i % possible.length] ?? ['sqlite', 1]
  return { n: i + 1, engine, nodes }
})

it.each(moves)(
  'a live site moves without a failed request: $n, on $engine, nodes: $nodes',
  async ({ engine, n, nodes }) => {
    // A new one each time: a move takes the lab's clock ahead of the authority's.
    const inLab = await startDashboard({ engine, hasSecondNode: nodes === 2 })
    onTestFinished(() => inLab.release())
    const { secondNode, server } = inLab.lab.topology
    const addresses = nodes === 2 ? [server, secondNode] : [server]
    const random = createRandom(Number(process.env.TEST_SEED) + n)
    const owner = await inLab.owner()
    await owner.person.deployFolder(owner.slug, { 'index.html': `<title>${newMarker}</title>` })
    const { complaints, openTab, page } = await inLab.signedIn(
      owner.person,
      domainsPath(owner.slug),
    )
    const registrar = await openTab()
    const zone = `live${n}.example`
    const host = `docs.${zone}`

    // The site of the other platform.
    await registrar.goto(inLab.lab.registrarUrl)
    await registrar.getByLabel('Name', { exact: true }).fill(`live${n}`)
    await registrar.getByRole('button', { name: 'Buy domain' }).click()
    await registrar.getByRole('button', { name: 'A live site moves' }).click()
    await registrar.getByRole('row').filter({ hasText: 'sites.dovecote.test.' }).waitFor()
    const visitors = startVisitors({
      ...{ lab: inLab.lab, host, perSecond, now: () => inLab.store.clock.now },
      onTick: () => inLab.pass(passedMs),
    })
    onTestFinished(visitors.stop)

    // The certificate first.
    await page.bringToFront()
    await addDomain(page, host, async (dialog) => {
      await dialog.getByLabel('Move it without downtime').waitFor()
      expect(await dialog.getByLabel('Move it without downtime').isChecked()).toBe(true)
      await expectAccessibleAndFitting(page)
    })
    await waitForBadge(page, host, 'Prepare certificate')
    await addRecord(registrar, await shownRecord(page, host, '_animal-store.docs'))
    await verify(page, host)
    await cardOf(page, host).getByText('Lets the certificate authority').waitFor()
    await expectAccessibleAndFitting(page)
    await addRecord(registrar, await shownRecord(page, host, '_acme-challenge.docs'))
    await verify(page, host)
    await waitForBadge(page, host, 'Ready to switch')
    expect(visitors.count('new')).toBe(0)

    // The TTL is lowered, and the caches forget the longer one.
    const list = cardOf(page, host).getByRole('list', { name: 'Checklist' })
    await list.getByText('Long TTL').waitFor()
    await editRecord(registrar, host, { ttl: oldTtlSeconds })
    await verify(page, host)
    await list.getByText('Caches have the longer TTL').waitFor()
    inLab.pass(3_600_000)
    await list.getByText('Caches expired').waitFor()
    await cardOf(page, host).getByText('Everything is ready').waitFor()
    const checked = expectJson(await owner.ask(`/${host}/switch`), 200) as DomainSwitch
    const presented = checked.items.find(({ code }) => code === 'presented')
    for (const address of addresses) expect(presented?.detail).toContain(address)
    await expectAccessibleAndFitting(page)

    // The new site before the switch: by the command as it is shown.
    const card = cardOf(page, host)
    await card.getByRole('button', { name: 'See the site before the switch' }).click()
    const command = await card.locator('pre').first().innerText()
    expect(await runInLab(inLab, command.replace('curl', 'curl --silent --show-error'))).toContain(
      `<title>${newMarker}</title>`,
    )

    // The switch, at one name server after the other.
    for (const server of servers) await setDelay(registrar, server, 'held')
    await editRecord(registrar, host, { value: `${target}.` })
    let updatedAt = 0
    for (const [i, server] of shuffled(servers, random).entries()) {
      const visits = visitors.visits.length + random.below(2 * perSecond)
      await eventually(
        async () => visitors.visits.length,
        (count) => count >= visits,
      )
      await setDelay(registrar, server, '0')
      updatedAt = inLab.store.clock.now
      if (i > 0) continue
      await verify(page, host)
      await waitForBadge(page, host, 'Switching')
      await expectAccessibleAndFitting(page)
    }
    await verify(page, host)
    await waitForBadge(page, host, 'Active')
    await cardOf(page, host).getByText('Moved', { exact: true }).waitFor()
    await expectAccessibleAndFitting(page)

    // Everyone sees the new site once caches have forgotten the old record.
    const forgottenAt = updatedAt + oldTtlSeconds * 1000
    await eventually(
      async () => inLab.store.clock.now,
      (now) => now > forgottenAt + 10_000,
    )
    const isOver = 'The TXT record _animal-store.docs can be deleted.'
    await cardOf(page, host).getByText(isOver).waitFor()
    await visitors.stop()
    expect(visitors.failures()).toEqual([])
    expect(visitors.newAddresses()).toEqual(addresses)
    expect(visitors.count('old')).toBeGreaterThan(perSecond)
    expect(visitors.count('new')).toBeGreaterThan(perSecond)
    expect(visitors.firstNew()).toBeLessThan(forgottenAt)
    // A visit that began before may end after.
    expect(visitors.lastOld()).toBeLessThan(forgottenAt + 10 * passedMs)
    expect(complaints).toEqual([])
  },
  300_000,
)

/** The output of a shell command on a machine that resolves names as the lab does, and trusts its roots. */
async function runInLab({ lab }: DashboardInLab, command: string): Promise<string> {
  const { browserProxyUrl: proxy, folder } = lab
  const roots = join(folder, visitorsRoot)
  const env = { ...process.env, http_proxy: proxy, https_proxy: proxy, CURL_CA_BUNDLE: roots }
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { env, timeout: 20_000 })
  return stdout
}

interface TypedRecord {
  name: string
  value: string
}

/** A TXT record as the card shows it. */
async function shownRecord(page: Page, host: string, wanted: string): Promise<TypedRecord> {
  await page.bringToFront()
  const table = cardOf(page, host).getByRole('table').filter({ hasText: wanted })
  await table.waitFor()
  const [, name = '', value = ''] = await table.locator('code').allInnerTexts()
  return { name, value }
}

async function addRecord(tab: Page, { name, value }: TypedRecord): Promise<void> {
  await tab.getByLabel('Type').selectOption('TXT')
  await tab.getByLabel('Name', { exact: true }).fill(name)
  await tab.getByLabel('Value').fill(value)
  await tab.getByRole('button', { name: 'Add record' }).click()
  await tab.getByRole('row').filter({ hasText: value }).waitFor()
}

/** The page also checks automatically every 15 seconds: the long form waits for that. */
async function verify(page: Page, host: string): Promise<void> {
  if (isLong) return
  await page.bringToFront()
  await page.getByRole('button', { name: new RegExp(`^(V|Re-v)erify ${host}$`) }).click()
}

async function editRecord(
  tab: Page,
  host: string,
  { ttl, value }: { ttl?: number; value?: string },
): Promise<void> {
  await tab.getByRole('button', { name: `Edit the CNAME record of ${host}` }).click()
  if (ttl !== undefined) await tab.getByLabel('TTL in seconds').fill(String(ttl))
  if (value !== undefined) await tab.getByLabel('Value').fill(value)
  await tab.getByRole('button', { name: 'Save record' }).click()
  await tab.getByRole('button', { name: 'Add record' }).waitFor()
}

async function setDelay(tab: Page, server: string, delay: string): Promise<void> {
  await tab.getByLabel(`Changes reach ${server}`).selectOption(delay)
}

function shuffled<T>(list: readonly T[], random: Random): T[] {
  return list
    .map((item) => ({ item, order: random.below(1000) }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ item }) => item)
}
