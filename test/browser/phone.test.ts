// A reader's path through the store's documentation, on a phone in the light theme; first-project.test.ts has the dark
// theme.

import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { findAccessibilityProblems } from './axe.ts'
import { type Chromium, launchChromium, phone, type Visitor } from './chromium.ts'
import { type PublishedDocs, publishDocs } from './published-docs.ts'

let browser: Chromium
let docs: PublishedDocs
beforeAll(async () => {
  ;[docs, browser] = await Promise.all([publishDocs(), launchChromium()])
})
afterAll(async () => {
  await Promise.all([browser?.close(), docs?.release()])
})

describe.each(
  cases([{ colorScheme: 'light' }, { colorScheme: 'light', javaScriptEnabled: false }] as const),
)('a reader with a phone: $colorScheme, scripts $javaScriptEnabled', (options) => {
  const hasScripts = options.javaScriptEnabled !== false
  let visitor: Visitor
  let page: Page
  beforeEach(async () => {
    visitor = await browser.visitor({ ...phone, ...options })
    page = visitor.page
    await page.goto(docs.origin)
  })
  afterEach(async () => {
    expect(visitor.complaints).toEqual([])
    expect([...visitor.hosts]).toEqual([new URL(docs.origin).host])
    await page.context().close()
  })

  const path = () => page.url().slice(docs.origin.length)
  const menu = () => page.getByRole('navigation', { name: 'Pages' })

  it('opens a page from the menu', async () => {
    expect(await menu().isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Menu' }).tap()
    await menu().waitFor()
    if (hasScripts) expect(await findAccessibilityProblems(page)).toEqual([])
    await page.getByRole('button', { name: 'Close the menu' }).tap()
    await menu().waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Menu' }).tap()
    await menu().getByRole('link', { name: 'Moving data' }).tap()
    await page.waitForURL('**/moving-data')
    expect(await menu().isVisible()).toBe(false)
  })

  it('chooses the language of request samples, above the response', async () => {
    await page.goto(`${docs.origin}/reference/create-pet`)
    const languages = page.getByRole('group', { name: 'Language of the example' })
    await languages.getByText('JavaScript').tap()
    const sample = languages.locator('pre:visible')
    expect(await sample.innerText()).toContain('await fetch("http')
    const end = await sample.evaluate((element) => element.getBoundingClientRect().bottom)
    const top = await page
      .locator('.api-answer')
      .evaluate((element) => element.getBoundingClientRect().top)
    expect(top).toBeGreaterThan(end)
  })

  it('opens the table of contents, and goes to a section', async () => {
    await page.goto(`${docs.origin}/webhooks`)
    const contents = page.locator('.toc-inline')
    const link = contents.getByRole('link', { name: 'What you receive' })
    expect(await link.isVisible()).toBe(false)
    await contents.locator('summary').tap()
    await link.tap()
    expect(path()).toBe('/webhooks#what-you-receive')
    const heading = page.getByRole('heading', { name: 'What you receive' })
    await expect.poll(async () => (await heading.boundingBox())?.y).toBeLessThan(160)
  })

  it('unfolds the responses of an operation', async () => {
    await page.goto(`${docs.origin}/reference/create-pet`)
    const refused = page.locator('main details', { hasText: 'Missing or invalid API key' }).last()
    await refused.locator('summary').first().tap()
    await refused.getByText('invalid_api_key').first().waitFor()
  })

  it('has touch targets of at least 24 by 24 pixels', async () => {
    const small: string[] = []
    for (const control of await page.locator('header :is(a, button)').all()) {
      const box = await control.boundingBox()
      if (box && (box.width < 24 || box.height < 24)) small.push(await control.innerText())
    }
    expect(small).toEqual([])
  })

  if (hasScripts)
    it('searches by touch', async () => {
      await page.getByRole('button', { name: 'Search' }).tap()
      const dialog = page.getByRole('dialog', { name: 'Search' })
      await dialog.getByRole('combobox').fill('signature')
      const first = dialog.getByRole('option').first()
      await first.waitFor()
      const { width = 0, x = 0 } = (await dialog.boundingBox()) ?? {}
      expect(x).toBeGreaterThanOrEqual(0)
      expect(x + width).toBeLessThanOrEqual(phone.viewport.width)
      expect(await findAccessibilityProblems(page)).toEqual([])
      await first.tap()
      await page.waitForURL('**/webhooks*')
      await dialog.waitFor({ state: 'hidden' })
    })

  if (hasScripts)
    it('chooses the other theme', async () => {
      const paper = 'getComputedStyle(document.body).backgroundColor'
      const before = await page.evaluate(paper)
      await page.getByRole('button', { name: 'Dark theme' }).tap()
      const after = await page.evaluate(paper)
      expect(after).not.toBe(before)
      await page.reload()
      expect(await page.evaluate(paper)).toBe(after)
    })

  if (!hasScripts)
    it('shows no control that has no effect without scripts', async () => {
      for (const name of ['Search', 'Dark theme', 'Copy']) {
        expect(await page.getByRole('button', { name }).count(), name).toBe(0)
      }
    })
})
