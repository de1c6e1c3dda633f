// The dashboard in Chromium with the whole program: signed-in visitors, and what every visit must not do. What is on the screen:
// screen.ts.
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { launchChromium, type Visitor } from '../browser/chromium.ts'
import {
  type Person,
  type PublishingInTest,
  password,
  startPublishing,
} from '../publishing/publishing-in-test.ts'
import type { StartOptions } from '../running-store.ts'
import { open } from './screen.ts'

export interface Browsers {
  origin: string
  /** A signed-in user, by default the operator, with a new browser profile. */
  visitor(options?: BrowserContextOptions, person?: Person): Promise<Visitor>
  /** A visitor without a session. */
  stranger(options?: BrowserContextOptions): Promise<Visitor>
  /**
   * Ends a visit. Throws for requests to other hosts, and for console messages other than the expected error
   * statuses.
   */
  leave(visitor: Visitor, refused?: number[]): Promise<void>
}

export type DashboardInTest = PublishingInTest & Browsers

/** With SQLite and the machine's clock, which the browser uses, too. */
export async function startDashboard(options: StartOptions = {}): Promise<DashboardInTest> {
  return await withBrowsers(startPublishing('sqlite', { now: Date.now(), ...options }))
}

/** Adds browsers to a program that is starting. */
export async function withBrowsers<
  InTest extends Pick<PublishingInTest, 'store' | 'operator' | 'release'>,
>(starting: Promise<InTest>): Promise<InTest & Browsers> {
  const [inTest, browser] = await Promise.all([starting, launchChromium()])
  const origin = `http://localhost:${inTest.store.running.config.httpPort}`
  const stranger = (options: BrowserContextOptions = {}): Promise<Visitor> =>
    browser.visitor({ baseURL: origin, ...options })
  return {
    ...inTest,
    origin,
    stranger,
    async visitor(options, person = inTest.operator) {
      const visitor = await stranger(options)
      const { email } = person.account
      const response = await visitor.page
        .context()
        .request.post('/api/session', { data: { email, password }, headers: { origin } })
      expect(response.status()).toBe(201)
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
      await inTest.release()
    },
  }
}

/** That of the test file. */
export let dashboard: DashboardInTest

/** Starts it before all tests of a file, and releases it after them. */
export function startForAll(
  options: StartOptions | (() => StartOptions) = {},
  prepare?: () => Promise<unknown>,
): void {
  beforeAll(async () => {
    dashboard = await startDashboard(typeof options === 'function' ? options() : options)
    await prepare?.()
  })
  afterAll(() => dashboard?.release())
}

interface EnterOptions extends BrowserContextOptions {
  /** By default the operator. */
  person?: Person
  /** The error statuses that the test expects from the server. */
  refused?: number[]
}

/** A page of a signed-in user. The visit ends when the test has finished. */
export async function enter(
  path: string,
  { person, refused, ...options }: EnterOptions = {},
): Promise<Page> {
  const visitor = await dashboard.visitor(options, person)
  onTestFinished(() => dashboard.leave(visitor, refused))
  await open(visitor.page, path)
  return visitor.page
}
