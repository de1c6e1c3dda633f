// Browsers at the account pages of the real program, and the links to those pages.
import type { BrowserContextOptions, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { type Chromium, launchChromium } from '../browser/chromium.ts'
import {
  expectJson,
  type People,
  type Person,
  password,
  peopleAt,
} from '../publishing/publishing-in-test.ts'
import { storeForTest } from '../store-for-test.ts'

export { password }

/** What a browser's console shows for an API error. */
export const refused = (status: number): string =>
  `Failed to load resource: the server responded with a status of ${status}`

export type StoreWithPages = Awaited<ReturnType<typeof startWithPages>>

let browser: Promise<Chromium> | undefined

/** To be called after all tests of a file. The next file, which may share this process, starts another browser. */
export async function closeBrowser(): Promise<void> {
  const open = browser
  browser = undefined
  await (await open)?.close()
}

/** Everything is stopped and removed when the test has finished. */
export async function startWithPages() {
  const store = await storeForTest('sqlite')
  const { dashboardUrl, httpPort } = store.running.config
  const { origin } = dashboardUrl
  let people: Promise<People> | undefined

  /** The first operator; the first call creates the account. */
  async function operator(): Promise<Person> {
    people ??= peopleAt(httpPort, store.setUpToken ?? '')
    return (await people).operator
  }

  async function linkOf(path: string, body?: object): Promise<string> {
    const made = await (await operator()).post(path, body)
    return (expectJson(made, 201) as { link: string }).link
  }

  return {
    store,
    origin,
    setUpLink: `${origin}/set-up#${store.setUpToken}`,
    operator,
    /** The link of a new invitation, by default for max@example.com. */
    invite: (body: object = {}) => linkOf('/invitations', { email: 'max@example.com', ...body }),
    /** A password reset link of the operator. */
    passwordLink: async () =>
      await linkOf(`/accounts/${(await operator()).account.id}/password-link`),
  }
}

/** A browser at the account pages of a program. */
export async function visitPages(options?: BrowserContextOptions) {
  return { ...(await visitor(options)), ...(await startWithPages()) }
}

/** A browser with an empty profile. */
export async function visitor(options: BrowserContextOptions = {}) {
  browser ??= launchChromium()
  const opened = await (await browser).visitor(options)
  const { complaints, page } = opened
  /** The address and the Referer of each request. */
  const addresses: string[] = []
  page.context().on('request', async (request) => {
    addresses.push(request.url())
    addresses.push((await request.allHeaders().catch(() => ({ referer: '' }))).referer ?? '')
  })
  onTestFinished(() => page.context().close())
  return { page, complaints, addresses }
}

/** Fills the form's fields by their labels. */
export async function fill(page: Page, values: Record<string, string>): Promise<void> {
  for (const [label, value] of Object.entries(values))
    await page.getByLabel(label, { exact: true }).fill(value)
}

export async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click()
}

/** Waits for the view with this heading. */
export async function waitForHeading(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
}

/** A field's accessible description: its hint or its error. */
export async function descriptionOf(page: Page, label: string): Promise<string> {
  const field = page.getByLabel(label, { exact: true })
  const ids = (await field.getAttribute('aria-describedby')) ?? ''
  const texts = ids.split(' ').map((id) => page.locator(`[id="${id}"]`).allTextContents())
  return (await Promise.all(texts)).flat().join(' ')
}

/** The signed-in account according to the dashboard's account menu. */
export async function signedInAs(page: Page): Promise<string[]> {
  await page.getByRole('button', { name: /account of/ }).click()
  const menu = page.getByRole('menu')
  await menu.waitFor()
  const lines = await menu.locator('p').allTextContents()
  await page.keyboard.press('Escape')
  await menu.waitFor({ state: 'hidden' })
  return lines
}

/** With the dashboard's account menu. */
export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /account of/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
}

/** All error messages of fields. */
export function errors(page: Page): Promise<string[]> {
  return page.locator('.mantine-InputWrapper-error').allTextContents()
}

/** Creates an account by an invitation. */
export async function acceptInvitation(page: Page, link: string, name: string): Promise<void> {
  await page.goto(link)
  await fill(page, { 'Your name': name, Password: password })
  await press(page, 'Create account')
  await waitForHeading(page, 'Projects')
}

/** Simulates returning to the tab. */
export async function returnToTab(page: Page): Promise<void> {
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))")
}
