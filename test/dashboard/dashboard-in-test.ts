// The dashboard in Chromium, in front of the whole program: visitors who have signed in, and what each page
// has to show whatever it is about.
import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import { findBarriers } from '../browser/axe.ts'
import { type Chromium, launchChromium, type Visitor } from '../browser/chromium.ts'
import {
  type Person,
  type PublishingInTest,
  password,
  startPublishing,
} from '../publishing/publishing-in-test.ts'
import type { StartOptions } from '../running-store.ts'

export interface DashboardInTest extends PublishingInTest {
  origin: string
  /** Somebody who has signed in, the operator unless it is said, with a browser of his own. */
  visitor(options?: BrowserContextOptions, person?: Person): Promise<Visitor>
  /** Nobody has signed in here. */
  stranger(options?: BrowserContextOptions): Promise<Visitor>
  /**
   * Ends a visit: throws for requests to other hosts, and for what the browser complained of beside the
   * answers that were meant to be refused, by their status.
   */
  leave(visitor: Visitor, refused?: number[]): Promise<void>
}

/** With SQLite, at the time of the machine, which is that of the browser. */
export async function startDashboard(options: StartOptions = {}): Promise<DashboardInTest> {
  const [publishing, browser] = await Promise.all([
    startPublishing('sqlite', { now: Date.now(), ...options }),
    launchChromium(),
  ])
  return dashboardOf(publishing, browser)
}

function dashboardOf(publishing: PublishingInTest, browser: Chromium): DashboardInTest {
  const origin = `http://localhost:${publishing.store.running.config.httpPort}`
  const stranger = (options: BrowserContextOptions = {}): Promise<Visitor> =>
    browser.visitor({ baseURL: origin, ...options })
  return {
    ...publishing,
    origin,
    stranger,
    async visitor(options, person = publishing.operator) {
      const visitor = await stranger(options)
      const { email } = person.account
      const answer = await visitor.page
        .context()
        .request.post('/api/session', { data: { email, password }, headers: { origin } })
      expect(answer.status()).toBe(201)
      return visitor
    },
    async leave({ complaints, hosts, page }, refused = []) {
      const meant = refused.map((status) => expect.stringContaining(`a status of ${status} `))
      expect(complaints).toEqual(meant)
      expect([...hosts]).toEqual([new URL(origin).host])
      await page.context().close()
    },
    async release() {
      await browser.close()
      await publishing.release()
    },
  }
}

/** Opens a page and waits until what it shows is there. */
export async function open(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
}

/** Nothing keeps anybody from using what is shown, and it is not wider than the window. */
export async function expectUsable(page: Page): Promise<void> {
  expect(await findBarriers(page)).toEqual([])
  const overhang = 'document.documentElement.scrollWidth - innerWidth'
  expect(await page.evaluate<number>(overhang)).toBeLessThanOrEqual(0)
}

/** The row of a table of records that has this text. */
export const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

/** The notice in the corner. */
export const notice = (page: Page, text: string | RegExp) =>
  page.getByRole('status').getByText(text)

/** Expects it of what is shown in a while, on a machine that others use, too. */
export const soon = <Value>(shown: () => Value | Promise<Value>) =>
  expect.poll(shown, { timeout: 10_000 })

/** Ends a dialog by its button, and waits until it is gone. */
export async function endDialog(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Done' }).click()
  await dialog.waitFor({ state: 'detached' })
}
