// The search of the store's documentation, with the keyboard only.
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { findAccessibilityProblems } from './axe.ts'
import { type Chromium, launchChromium, type Visitor } from './chromium.ts'
import { type PublishedDocs, publishDocs } from './published-docs.ts'

let browser: Chromium
let docs: PublishedDocs
let visitor: Visitor
let page: Page
beforeAll(async () => {
  ;[docs, browser] = await Promise.all([publishDocs(), launchChromium()])
})
afterAll(async () => {
  await Promise.all([browser?.close(), docs?.release()])
})
beforeEach(async () => {
  visitor = await browser.visitor()
  page = visitor.page
  await page.goto(docs.origin)
})
afterEach(async () => {
  expect(visitor.complaints).toEqual([])
  expect([...visitor.hosts]).toEqual([new URL(docs.origin).host])
  await page.context().close()
})

const path = () => page.url().slice(docs.origin.length)
const dialog = () => page.getByRole('dialog', { name: 'Search' })
const options = () => dialog().getByRole('option')
const selected = () => dialog().locator('[role="option"][aria-selected="true"]')

async function search(words: string): Promise<void> {
  await page.keyboard.press('/')
  await dialog().waitFor()
  await page.keyboard.type(words)
}

it('opens with a key, selects with the arrows and opens a result with Enter', async () => {
  await search('idempotency')
  await options().first().waitFor()
  const count = await options().count()
  expect(count).toBeGreaterThan(2)
  const first = await selected().getAttribute('href')
  await page.keyboard.press('ArrowDown')
  const second = await selected().getAttribute('href')
  expect(second).not.toBe(first)
  const input = dialog().getByRole('combobox')
  const active = await input.getAttribute('aria-activedescendant')
  expect(await page.locator(`[id="${active}"]`).getAttribute('href')).toBe(second)
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  // From the first result to the last.
  expect(await selected().getAttribute('href')).toBe(
    await options()
      .nth(count - 1)
      .getAttribute('href'),
  )
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(docs.origin + first)
  expect(await dialog().isVisible()).toBe(false)
})

it('ranks the expected page first', async () => {
  const wanted = {
    'webhook signature': '/webhooks#what-you-receive',
    'dry run': '/moving-data',
    'list animals': '/reference/list-pets',
    placeOrder: '/reference/place-order',
    // Where it is returned; the list of all codes comes after.
    invalid_cursor: '/reference/list-pets#responses',
    postgres: '/postgresql',
    // Misspelled, incomplete, and with more words than any section has.
    prometeus: '/monitoring#metrics',
    'access tok': '/accounts#access-tokens',
    'how do I remove an animal': '/reference/delete-pet',
  }
  await search('')
  const input = dialog().getByRole('combobox')
  const found: Record<string, string | null> = {}
  for (const words of Object.keys(wanted)) {
    await input.fill('')
    await expect.poll(() => options().count()).toBe(0)
    await input.fill(words)
    found[words] = await options().first().getAttribute('href')
  }
  expect(found).toEqual(wanted)
})

it('shows when nothing is found, and never renders the query as markup', async () => {
  await search('<img src=x onerror=zzzz>')
  const status = dialog().getByRole('status')
  await expect
    .poll(() => status.innerText())
    .toMatch(/^Nothing found for “<img src=x onerror=zzzz>”/)
  expect(await dialog().locator('img').count()).toBe(0)
  expect(await options().count()).toBe(0)
  await page.keyboard.press('Enter')
  expect(path()).toBe('/')
})

it('closes with Escape and restores the focus', async () => {
  await page.getByRole('button', { name: 'Search' }).focus()
  await page.keyboard.press('Enter')
  await dialog().waitFor()
  await page.keyboard.press('Escape')
  await dialog().waitFor({ state: 'hidden' })
  expect(await page.evaluate('document.activeElement.matches("[data-site-search]")')).toBe(true)
})

it('opens with Control+K, treats a slash in the field as text, and starts with the last query', async () => {
  await page.keyboard.press('Control+k')
  await dialog().waitFor()
  await page.keyboard.type('/pets')
  const input = dialog().getByRole('combobox')
  expect(await input.inputValue()).toBe('/pets')
  await page.keyboard.press('Escape')
  await page.keyboard.press('/')
  expect(await input.inputValue()).toBe('/pets')
  await page.keyboard.type('cursor')
  expect(await input.inputValue()).toBe('cursor')
})

it.each(['light', 'dark'] as const)(
  'has no accessibility problems, with and without results: %s',
  async (scheme) => {
    await page.emulateMedia({ colorScheme: scheme })
    await search('limit')
    await options().first().waitFor()
    expect(await findAccessibilityProblems(page)).toEqual([])
    await page.keyboard.type('qqqqzzzz')
    await dialog().getByText('Nothing found').waitFor()
    expect(await findAccessibilityProblems(page)).toEqual([])
  },
)
