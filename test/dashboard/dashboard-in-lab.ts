// The dashboard in Chromium, served by the program in this process, in a lab with a certificate authority.
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import type { Visitor } from '../browser/chromium.ts'
import type { Engine } from '../database.ts'
import { type DomainsOptions, startDomains } from '../domains/domains-in-test.ts'
import type { Person } from '../publishing/publishing-in-test.ts'
import { withBrowsers } from './dashboard-in-test.ts'

export type DashboardInLab = Awaited<ReturnType<typeof startDashboard>>

export async function startDashboard({
  engine = 'sqlite',
  ...options
}: DomainsOptions & { engine?: Engine } = {}) {
  const inTest = await withBrowsers(startDomains(engine, { hasAuthority: true, ...options }))
  return {
    ...inTest,
    /** What visitors of the sites trust: only the authority's root. */
    ca: (await inTest.lab.authority?.root()) ?? '',
    httpsPort: inTest.store.running.config.httpsPort ?? 0,
    /** A signed-in browser, at `path`, until the test has finished. */
    async signedIn(
      person: Person,
      path: string,
      options?: BrowserContextOptions,
    ): Promise<Visitor> {
      const visitor = await inTest.visitor(options, person)
      onTestFinished(() => visitor.page.context().close())
      await visitor.page.goto(path)
      return visitor
    },
    /** Advances the clock far enough for another check and an expired resolver cache. */
    settle() {
      inTest.pass(11_000)
      inTest.lab.dns.resolver.clear()
    },
  }
}

/** That of the test file. */
export let inLab: DashboardInLab

/** Starts it before all tests of a file, and releases it after them. */
export function startInLab(options?: DomainsOptions, prepare?: () => Promise<unknown>): void {
  beforeAll(async () => {
    inLab = await startDashboard(options)
    await prepare?.()
  })
  afterAll(() => inLab?.release())
}

export const domainsPath = (slug: string): string => `/projects/${slug}/settings/domains`

/** The card of one domain. */
export const cardOf = (page: Page, host: string): Locator =>
  page.getByRole('article', { name: host, exact: true })

/** Waits until the card shows a badge, without a reload. */
export async function waitForBadge(page: Page, host: string, badge: string): Promise<void> {
  await cardOf(page, host).getByText(badge, { exact: true }).waitFor()
}

/** With the button, the field and the dialog's button. `also` runs in the dialog before it is submitted. */
export async function addDomain(
  page: Page,
  typed: string,
  also?: (dialog: Locator) => Promise<void>,
): Promise<void> {
  await page.getByRole('button', { name: 'Add domain' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add domain' })
  await dialog.getByLabel('Domain or subdomain').fill(typed)
  await also?.(dialog)
  await dialog.getByRole('button', { name: 'Add domain' }).click()
  await dialog.waitFor({ state: 'hidden' })
}

export async function chooseInMenu(page: Page, host: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `Menu of ${host}` }).click()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

/** Adds a record with the registrar's own form, in another tab. */
export async function atRegistrar(
  { lab }: DashboardInLab,
  tab: Page,
  zone: string,
  { remove, add }: { remove?: string; add?: { name: string; value: string } },
): Promise<void> {
  await tab.goto(`${lab.registrarUrl}/#${zone}`)
  await tab.getByRole('heading', { level: 1, name: zone }).waitFor()
  if (remove) {
    const button = tab.getByRole('button', { name: `Delete the ${remove}` })
    await button.click()
    await button.waitFor({ state: 'hidden' })
  }
  if (add) {
    await tab.getByLabel('Name', { exact: true }).fill(add.name)
    await tab.getByLabel('Value').fill(add.value)
    await tab.getByRole('button', { name: 'Add record' }).click()
    await tab.getByRole('row').filter({ hasText: add.value }).waitFor()
  }
}
