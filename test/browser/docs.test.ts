// The store's documentation as its readers use it: the published first project on a desktop and a phone, its search,
// each of its pages, and the requests that they send from the reference. One site for all, because it takes seconds to
// render.

import { readFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { join } from 'node:path'
import { load } from 'js-yaml'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { cases, isLong } from '../cases.ts'
import { dashboard, startForAll } from '../dashboard/dashboard-in-test.ts'
import { listenOnFreePort } from '../listen.ts'
import { runSample, sampleIn, sampleLanguages, statusIn } from '../run-sample.ts'
import { findAccessibilityProblems } from './axe.ts'
import { desktop, phone, type Visitor } from './chromium.ts'
import { docsOf, type PublishedDocs } from './published-docs.ts'

let docs: PublishedDocs
startForAll({ env: { FIRST_PROJECT: 'on' } }, async () => {
  docs = await docsOf(dashboard.store)
})

let visitor: Visitor
let page: Page
/** Each test of a describe begins at the home page, and ends without complaints and other hosts. */
function visit(options?: BrowserContextOptions): void {
  beforeEach(async () => {
    visitor = await dashboard.stranger(options)
    page = visitor.page
    await go('/')
  })
  afterEach(async () => {
    expect(visitor.complaints).toEqual([])
    expect([...visitor.hosts]).toEqual([new URL(docs.origin).host])
    await page.context().close()
  })
}

const go = (path: string) => page.goto(docs.origin + path)
const path = () => page.url().slice(docs.origin.length)
const main = () => page.getByRole('main')
const menu = () => page.getByRole('navigation', { name: 'Pages' })
const button = (name: string) => page.getByRole('button', { name })
const languages = () => page.getByRole('group', { name: 'Language of the example' })
const sample = () => languages().locator('pre:visible').innerText()
const isFocused = (selector: string) =>
  page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(selector)})`)
const readCopied = () => page.evaluate<string>('navigator.clipboard.readText()')
const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')

/** Of an element that is visible. */
async function boxOf(element: Locator) {
  const box = await element.boundingBox()
  if (!box) throw new Error(`${element} is not visible`)
  return { ...box, right: box.x + box.width, bottom: box.y + box.height }
}

/** The brightness, from 0 to 255, of a colour such as `rgb(253, 252, 249)`. */
function lightness(color: string): number {
  const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map(Number)
  return (red + green + blue) / 3
}

/** The groups of the navigation, each with its pages. */
const settings = load(readFileSync(join(import.meta.dirname, '../../docs/site.yaml'), 'utf8')) as {
  navigation: { title: string; pages: string[] }[]
}
const groups = settings.navigation.slice(1)
const addressesOf = (files: string[]) => files.map((file) => `/${file.replace(/\.md$/, '')}`)
const guides = ['/', ...groups.flatMap(({ pages }) => addressesOf(pages))]

describe('a reader with the dark theme', () => {
  visit({ ...desktop, colorScheme: 'dark' })

  const title = () => page.getByRole('heading', { level: 1 }).innerText()

  it('finds the guides in order, opens one, and goes to the next page, and back', async () => {
    expect(await page.title()).toBe('Animal Store')
    const list = menu().locator(':scope > ul > li')
    expect(await list.locator('> a').allInnerTexts()).toEqual(['Overview'])
    const titles = await list.locator('> details > summary').allInnerTexts()
    expect(titles).toEqual([...groups.map(({ title }) => title), 'API reference'])
    for (const { title, pages } of groups) {
      const summary = page.locator('summary', { hasText: title })
      const links = list.locator('> details', { has: summary }).getByRole('link').all()
      const addresses = (await links).map((link) => link.getAttribute('href'))
      expect(await Promise.all(addresses)).toEqual(addressesOf(pages))
    }
    await menu().getByRole('link', { name: 'Webhooks' }).click()
    const seen = [path(), await title(), await page.title()]
    expect(seen).toEqual(['/webhooks', 'Webhooks', 'Webhooks · Animal Store'])
    const current = menu().locator('[aria-current="page"]')
    expect(await current.allInnerTexts()).toEqual(['Webhooks'])
    await page.goBack()
    expect([path(), await title()]).toEqual(['/', 'Animal Store'])

    const visited = [path()]
    for (const _ of guides) {
      await page.locator('a[rel="next"]').click()
      visited.push(path())
    }
    expect(visited).toEqual([...guides, '/reference/'])
    await page.getByRole('link', { name: /^Previous/ }).click()
    expect(path()).toBe(guides.at(-1))
  })

  it('copies a line of code', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const block = page.locator('.code-block', { hasText: 'curl' }).first()
    await block.hover()
    await block.getByRole('button', { name: 'Copy' }).click()
    await block.getByText('Copied').waitFor()
    const copied = await readCopied()
    expect(copied).toBe(await block.locator('pre').innerText())
    expect(copied).toMatch(/^KEY=.*\ncurl -s 'http:\/\/staging\.localhost/)
  })

  if (isLong)
    it('copies the URL of a section, and follows the contents beside or above the text', async () => {
      await go('/api-guide')
      const heading = page.getByRole('heading', { name: 'Conditional requests' })
      await heading.hover()
      await page.locator('.heading', { has: heading }).locator('.anchor').click()
      expect(path()).toBe('/api-guide#conditional-requests')
      const contents = page.getByRole('navigation', { name: 'On this page' })
      await contents.getByRole('link', { name: 'Errors' }).click()
      expect(path()).toBe('/api-guide#errors')
      const errors = page.getByRole('heading', { name: 'Errors' })
      await expect.poll(async () => (await boxOf(errors)).y).toBeLessThan(160)
      // The fixed header does not cover it.
      expect((await boxOf(errors)).y).toBeGreaterThan(56)
      const marked = contents.locator('[aria-current]')
      await expect.poll(() => marked.allInnerTexts()).toEqual(['Errors'])

      const text = page.locator('.prose')
      const folded = page.locator('.toc-inline')
      expect((await boxOf(contents)).x).toBeGreaterThan((await boxOf(text)).right)
      expect(await folded.isVisible()).toBe(false)
      await page.setViewportSize({ width: 2560, height: 1440 })
      const { width, x } = await boxOf(text)
      // About 70 characters of 8 pixels, in the middle.
      expect(width).toBeLessThan(620)
      expect(Math.abs(x + width / 2 - 1280)).toBeLessThan(60)
      await page.setViewportSize({ width: 1100, height: 800 })
      expect(await contents.isVisible()).toBe(false)
      expect((await boxOf(folded)).y).toBeLessThan((await boxOf(text)).y)
    })

  if (isLong)
    it('opens the navigation by keyboard on a tablet, where it is a drawer', async () => {
      await page.setViewportSize({ width: 768, height: 1024 })
      expect(await menu().isVisible()).toBe(false)
      await button('Menu').focus()
      await page.keyboard.press('Enter')
      await menu().waitFor()
      await expect.poll(() => isFocused('.menu-close')).toBe(true)
      // The focus cannot leave it for the page behind it.
      await page.evaluate('document.querySelector("main .prose a").focus()')
      expect(await isFocused('.menu-close')).toBe(true)
      await page.keyboard.press('Tab')
      expect(await isFocused('.sidebar a, .sidebar summary')).toBe(true)
      expect(await findAccessibilityProblems(page)).toEqual([])
      await page.keyboard.press('Escape')
      await menu().waitFor({ state: 'hidden' })
      expect(await isFocused('.menu-button')).toBe(true)
      await page.evaluate('document.querySelector("main .prose a").focus()')
      expect(await isFocused('main .prose a')).toBe(true)
      await page.keyboard.press('Shift+Tab')
      await button('Menu').click()
      await menu().waitFor()
      await page.setViewportSize(desktop.viewport)
      await expect.poll(async () => (await boxOf(menu())).y).toBeGreaterThan(50)
    })

  if (isLong)
    it('sees the font of the site, of which it loads one part', async () => {
      await go('/api-guide')
      const fonts = `document.fonts.ready.then(() => [
      [...document.fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family),
      performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.endsWith('.woff2')),
    ])`
      const [families, files] = await page.evaluate<[string[], string[]]>(fonts)
      expect(families).toContain('Geist')
      expect(files).toEqual([expect.stringMatching(/\/_site\/geist-latin-[0-9a-f]+\.woff2$/)])
      const { headers } = await docs.fetch(new URL(files[0] as string).pathname)
      expect(headers).toMatchObject({
        'cache-control': 'public, max-age=31536000, immutable',
        'content-type': 'font/woff2',
      })
    })

  it('reads an operation: parameters, responses, an example', async () => {
    await go('/reference/')
    await main().getByRole('link', { name: 'List all animals', exact: true }).click()
    expect(path()).toBe('/reference/list-pets')
    expect(await main().innerText()).toMatch(/limit\s+integer[\s\S]*Maximum number of animals/)
    const refused = main().locator('details', { hasText: 'Missing or invalid API key' }).last()
    const code = refused.getByText('invalid_api_key').first()
    expect(await code.isVisible()).toBe(false)
    await refused.locator('summary').first().click()
    await code.waitFor()
    // The copied command calls this store.
    const { production } = docs.store.baseUrl
    expect(await main().locator('pre').first().innerText()).toContain(`${production}/pets`)
  })

  it('chooses the language of request samples by keyboard, which other pages remember', async () => {
    await go('/reference/create-pet')
    expect(await sample()).toMatch(/^curl -X POST/)
    await languages().getByRole('radio', { name: 'curl' }).focus()
    await page.keyboard.press('ArrowRight')
    expect(await sample()).toContain('await fetch("http')
    await page.keyboard.press('ArrowRight')
    expect(await sample()).toContain('import urllib.request')
    expect(await findAccessibilityProblems(page)).toEqual([])
    await go('/reference/list-pets')
    expect(await languages().getByRole('radio', { name: 'Python' }).isChecked()).toBe(true)
    expect(await sample()).toContain('import urllib.request')
  })

  if (isLong)
    it('has the samples beside the text of an operation, in view wherever it reads', async () => {
      await go('/reference/create-pet')
      const answer = page.locator('.api-answer')
      const text = page.locator('.api-endpoint')
      const { right } = await boxOf(text)
      for (const part of [languages(), answer]) {
        expect((await boxOf(part)).x).toBeGreaterThan(right)
      }
      await page.locator('#responses').scrollIntoViewIfNeeded()
      await page.evaluate('scrollTo(0, document.body.scrollHeight / 2)')
      await expect.poll(async () => (await boxOf(text)).y).toBeLessThan(0)
      const [request, response] = [await boxOf(languages()), await boxOf(answer)]
      expect(request.y).toBeGreaterThan(56)
      expect(response.y).toBeGreaterThan(request.bottom)
      expect(response.bottom).toBeLessThanOrEqual(desktop.viewport.height)
      expect(response.height).toBeGreaterThan(100)
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await page.evaluate('scrollTo(0, 0)')
      await text.getByRole('button', { name: 'Copy' }).click()
      await text.getByText('Copied').waitFor()
      expect(await readCopied()).toBe('/pets')
    })

  if (isLong)
    it('sees the stability of an operation', async () => {
      await menu()
        .getByRole('link', { name: /^Get an animal/ })
        .click()
      await main().getByText('Deprecated. Removed on 5 December 2030.').waitFor()
      await go('/reference/update-pet')
      await main().getByText('beta', { exact: true }).first().waitFor()
    })

  it('sees a 404 page in the design of the site', async () => {
    const response = await go('/reference/no-such-operation')
    expect(response?.status()).toBe(404)
    // Chromium logs the 404.
    expect(visitor.complaints.splice(0)).toEqual([expect.stringContaining('404')])
    expect(await title()).toBe('Page not found')
    await menu().getByRole('link', { name: 'API guide' }).click()
    expect(path()).toBe('/api-guide')
  })

  if (isLong)
    it('prints only the content, dark on light', async () => {
      await go('/api-guide')
      await page.emulateMedia({ media: 'print' })
      expect(await main().isVisible()).toBe(true)
      for (const beside of ['header', '.sidebar', '.toc', '.page-footer', '.copy']) {
        expect(await page.locator(beside).first().isVisible(), beside).toBe(false)
      }
      const ink = 'getComputedStyle(document.querySelector(".prose p")).color'
      expect(lightness(await page.evaluate<string>(ink))).toBeLessThan(80)
      expect(lightness(await background())).toBeGreaterThan(200)
    })

  it('selects the other theme, which is kept without a flash', async () => {
    const before = await background()
    await button('Dark theme').click()
    const after = await background()
    expect(lightness(after)).toBeGreaterThan(lightness(before))
    await page.addInitScript({ content: watchTheme })
    await page.reload()
    // The theme is set when the body is created, and does not change afterwards.
    expect(await page.evaluate('themes')).toEqual(['light'])
    await menu().getByRole('link', { name: 'Publishing' }).click()
    expect(await background()).toBe(after)
  })
})

/** Collects in `themes` the theme at the start of the body, and every change after that. */
const watchTheme = `globalThis.themes = []
  const note = () => {
    const { theme } = document.documentElement.dataset
    if (document.body && (themes.length === 0 || themes.at(-1) !== theme)) themes.push(theme)
  }
  new MutationObserver(note).observe(document, { attributes: true, childList: true, subtree: true })`

describe.each(
  cases([{ colorScheme: 'light' }, { colorScheme: 'light', javaScriptEnabled: false }] as const),
)('a reader with a phone: $colorScheme, scripts $javaScriptEnabled', (options) => {
  const hasScripts = options.javaScriptEnabled !== false
  visit({ ...phone, ...options })

  it('opens a page from the menu', async () => {
    expect(await menu().isVisible()).toBe(false)
    await button('Menu').tap()
    await menu().waitFor()
    if (hasScripts) expect(await findAccessibilityProblems(page)).toEqual([])
    await button('Close the menu').tap()
    await menu().waitFor({ state: 'hidden' })
    await button('Menu').tap()
    await menu().getByRole('link', { name: 'Moving data' }).tap()
    await page.waitForURL('**/moving-data')
    expect(await menu().isVisible()).toBe(false)
  })

  it('chooses the language of request samples, above the response, and unfolds one', async () => {
    await go('/reference/create-pet')
    await languages().getByText('JavaScript').tap()
    expect(await sample()).toContain('await fetch("http')
    const { bottom } = await boxOf(languages())
    expect((await boxOf(page.locator('.api-answer'))).y).toBeGreaterThan(bottom)
    const refused = main().locator('details', { hasText: 'Missing or invalid API key' }).last()
    await refused.locator('summary').first().tap()
    await refused.getByText('invalid_api_key').first().waitFor()
  })

  it('opens the table of contents, and goes to a section', async () => {
    await go('/webhooks')
    const contents = page.locator('.toc-inline')
    const link = contents.getByRole('link', { name: 'What you receive' })
    expect(await link.isVisible()).toBe(false)
    await contents.locator('summary').tap()
    await link.tap()
    expect(path()).toBe('/webhooks#what-you-receive')
    const heading = page.getByRole('heading', { name: 'What you receive' })
    await expect.poll(async () => (await boxOf(heading)).y).toBeLessThan(160)
  })

  it('has touch targets of at least 24 by 24 pixels, none without an effect', async () => {
    const small: string[] = []
    for (const control of await page.locator('header :is(a, button)').all()) {
      const box = await control.boundingBox()
      if (box && (box.width < 24 || box.height < 24)) small.push(await control.innerText())
    }
    expect(small).toEqual([])
    for (const name of ['Search', 'Dark theme', 'Copy']) {
      expect((await button(name).count()) > 0, name).toBe(hasScripts)
    }
  })

  if (hasScripts)
    it('searches by touch', async () => {
      await button('Search').tap()
      const dialog = page.getByRole('dialog', { name: 'Search' })
      await dialog.getByRole('combobox').fill('signature')
      const first = dialog.getByRole('option').first()
      await first.waitFor()
      const { right, x } = await boxOf(dialog)
      expect(x).toBeGreaterThanOrEqual(0)
      expect(right).toBeLessThanOrEqual(phone.viewport.width)
      expect(await findAccessibilityProblems(page)).toEqual([])
      await first.tap()
      await page.waitForURL('**/webhooks*')
      await dialog.waitFor({ state: 'hidden' })
    })
})

describe('the search, with the keyboard only', () => {
  visit()

  const dialog = () => page.getByRole('dialog', { name: 'Search' })
  const input = () => dialog().getByRole('combobox')
  const options = () => dialog().getByRole('option')
  const hrefOf = (option: Locator) => option.getAttribute('href')
  const selected = () => hrefOf(dialog().locator('[role="option"][aria-selected="true"]'))

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
    const first = await selected()
    await page.keyboard.press('ArrowDown')
    const second = await selected()
    expect(second).not.toBe(first)
    const active = await input().getAttribute('aria-activedescendant')
    expect(await hrefOf(page.locator(`[id="${active}"]`))).toBe(second)
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    // From the first result to the last.
    expect(await selected()).toBe(await hrefOf(options().nth(count - 1)))
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
    const results: Record<string, string | null> = {}
    for (const words of Object.keys(wanted)) {
      await input().fill('')
      await expect.poll(() => options().count()).toBe(0)
      await input().fill(words)
      results[words] = await hrefOf(options().first())
    }
    expect(results).toEqual(wanted)
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

  it('opens with Control+K and a slash, which is text in the field, starts with the last query, and restores the focus', async () => {
    await button('Search').focus()
    await page.keyboard.press('Control+k')
    await dialog().waitFor()
    await page.keyboard.type('/pets')
    expect(await input().inputValue()).toBe('/pets')
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'hidden' })
    expect(await isFocused('[data-site-search]')).toBe(true)
    await page.keyboard.press('/')
    expect(await input().inputValue()).toBe('/pets')
    await page.keyboard.type('cursor')
    expect(await input().inputValue()).toBe('cursor')
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
})

// In both themes and on a phone: no errors, no requests to other hosts, no accessibility problems and no broken links.
describe('every page', () => {
  it('has the guides and the reference in its sitemap', () => {
    expect(docs.paths).toEqual(
      expect.arrayContaining([...guides, '/reference/', '/reference/list-pets']),
    )
    expect(docs.paths.length).toBeGreaterThan(30)
  })

  it('opens each without errors, foreign requests or accessibility problems, light and dark', {
    timeout: 300_000,
  }, async () => {
    const left = [...cases(docs.paths, isSample)]
    const looked = examined(docs.paths)
    const problems: string[] = []
    const walk = async () => {
      const { complaints, hosts, page } = await dashboard.stranger()
      for (let path = left.shift(); path !== undefined; path = left.shift()) {
        await page.emulateMedia({ colorScheme: 'dark' })
        await page.goto(docs.origin + path)
        // A theme changes only colours.
        const dark = looked.has(path) ? await findAccessibilityProblems(page, ['cat.color']) : []
        await page.emulateMedia({ colorScheme: 'light' })
        await unfold(page)
        const light = looked.has(path) ? await findAccessibilityProblems(page) : []
        const lines = [...complaints.splice(0), ...light, ...dark.map((line) => `dark: ${line}`)]
        problems.push(...lines.map((problem) => `${path}: ${problem}`))
      }
      expect([...hosts]).toEqual([new URL(docs.origin).host])
    }
    await Promise.all([walk(), walk()])
    expect(problems).toEqual([])
  })

  it('has no accessibility problems in the unfolded parts of an operation, in the dark theme', async () => {
    const { page } = await dashboard.stranger({ colorScheme: 'dark' })
    await page.goto(`${docs.origin}/reference/import-pets`)
    await unfold(page)
    expect(await findAccessibilityProblems(page)).toEqual([])
  })

  it('fits on a phone: no page is wider than its screen', { timeout: 300_000 }, async () => {
    const { complaints, page } = await dashboard.stranger(phone)
    const problems: string[] = []
    for (const path of cases(docs.paths, isSample)) {
      await page.goto(docs.origin + path)
      await unfold(page)
      const width = await page.evaluate('document.documentElement.scrollWidth')
      if (width !== phone.viewport.width) problems.push(`${path} is ${width} wide`)
    }
    expect([...problems, ...complaints]).toEqual([])
  })

  it('has no links to missing pages or sections', async () => {
    const html = new Map<string, string>()
    for (const path of docs.paths) html.set(path, (await docs.fetch(path)).text)
    const problems: string[] = []
    const others = new Map<string, number>()
    for (const [path, text] of html) {
      for (const [, address = ''] of text.matchAll(/\b(?:href|src)="([^"]*)"/g)) {
        const { hash, href, origin, pathname } = new URL(
          address.replaceAll('&amp;', '&'),
          docs.origin + path,
        )
        if (origin !== docs.origin) continue
        const target = html.get(pathname)
        if (target === undefined && !others.has(pathname)) {
          others.set(pathname, (await docs.fetch(pathname)).status)
        }
        const status = target === undefined ? others.get(pathname) : 200
        if (status !== 200) problems.push(`${path} links to ${href}: ${status}`)
        const id = decodeURIComponent(hash.slice(1))
        const isThere = id === '' || target?.includes(` id="${id}"`)
        if (!isThere) problems.push(`${path} links to ${href}, which has no such part`)
      }
    }
    expect(problems).toEqual([])
    expect(others.size).toBeGreaterThan(docs.paths.length / 2)
  })

  /** One page of each kind: for the short tier. */
  function isSample(path: string): boolean {
    return ['/', '/webhooks', '/reference/', '/reference/list-pets'].includes(path)
  }

  /** Pages of operations have the same structure, so every fourth is enough. */
  function examined(paths: string[]): Set<string> {
    const isOperation = (path: string): boolean => /^\/reference\/./.test(path)
    const some = paths.filter(isOperation).filter((_, i) => i % 4 === 0)
    return new Set([...paths.filter((path) => !isOperation(path)), ...some])
  }

  const unfold = (page: Page) =>
    page.evaluate('for (const fold of document.querySelectorAll("details")) fold.open = true')
})

// The first project against the store's own staging API, and sites of members against servers that are silent,
// forbid it, or redirect. Keys are never stored.
describe('requests that readers send', () => {
  const form = () => page.locator('.api-try')
  const fold = () => form().locator('summary').first()
  const state = () => form().getByRole('status').innerText()
  const body = () => form().getByRole('group', { name: 'Body of the response' })
  const field = (label: string | RegExp) => form().getByLabel(label)
  const send = (method: string) =>
    form()
      .locator('form')
      .getByRole('button', { name: `Send ${method}` })
  const open = async (options?: BrowserContextOptions) => {
    visitor = await dashboard.stranger(options)
    page = visitor.page
  }
  afterEach(() => page.context().close())

  it('sends a reader’s requests to staging, by keyboard, and forgets the key', async () => {
    await open({ ...desktop, colorScheme: 'dark' })
    const { keys, baseUrl } = docs.store
    await go('/reference/list-pets')
    await fold().focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await field('API key').evaluate((key) => key.matches(':focus'))).toBe(true)
    await page.keyboard.type(keys.staging)
    await field('limit').fill('1')
    await field('status').selectOption('available')
    await page.keyboard.press('Tab')
    expect(await findAccessibilityProblems(page)).toEqual([])
    await send('GET').focus()
    await page.keyboard.press('Enter')
    await expect.poll(state).toMatch(/^200 OK · \d+ ms$/)
    expect(JSON.parse(await body().innerText())).toEqual([
      expect.objectContaining({ status: 'available' }),
    ])
    await form()
      .getByText(/^\d+ headers$/)
      .click()
    expect(await form().locator('dl').innerText()).toMatch(/content-type\s+application\/json/)
    expect(await findAccessibilityProblems(page)).toEqual([])

    // Nowhere but in the field.
    const traces = await page.evaluate<string>(
      `JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage }) + document.cookie +
        location.href + document.documentElement.outerHTML`,
    )
    expect(traces).not.toContain(keys.staging)
    await page.reload()
    expect(await field('API key').inputValue()).toBe('')
    // Production is for the origins that the operator configures.
    const headers = { origin: docs.origin }
    const allowed = async (ask: typeof docs.store.ask) =>
      (await ask('/pets', { headers })).headers['access-control-allow-origin']
    expect(await allowed(docs.store.askStaging)).toBe(docs.origin)
    expect(await allowed(docs.store.ask)).toBeUndefined()
    expect(visitor.complaints).toEqual([])
    const hosts = [docs.origin, baseUrl.staging].map((url) => new URL(url).host)
    expect([...visitor.hosts].sort()).toEqual(hosts.sort())
  })

  if (isLong)
    it('asks once before a change, and explains a wrong key, on a phone', async () => {
      await open({ ...phone, colorScheme: 'light' })
      const { askStaging, keys } = docs.store
      const animals = async () => {
        const { headers } = await askStaging('/pets', { headers: { prefer: 'count=exact' } })
        return Number(headers['x-total-count'])
      }
      const before = await animals()
      await go('/reference/create-pet')
      await fold().tap()
      await field('API key').fill(keys.staging)
      const text = form().getByRole('textbox', { name: /^Body/ })
      expect(JSON.parse(await text.inputValue())).toHaveProperty('name')
      await text.fill('{"name":"Tried","categoryId":1}')
      await send('POST').tap()
      const dialog = page.getByRole('dialog', { name: 'Send a real POST?' })
      await dialog.getByText(/^This sends a real POST to http:\/\/staging\.localhost/).waitFor()
      expect(await findAccessibilityProblems(page)).toEqual([])
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'hidden' })
      expect(await animals()).toBe(before)
      await send('POST').tap()
      await dialog.getByRole('button', { name: 'Send POST' }).tap()
      await expect.poll(state).toMatch(/^201 Created/)
      expect(JSON.parse(await body().innerText())).toMatchObject({ name: 'Tried' })
      expect(await animals()).toBe(before + 1)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(phone.viewport.width)
      // Asked once only.
      await send('POST').tap()
      await expect.poll(animals).toBe(before + 2)
      for (const [key, explanation] of [
        ['sk_wrong', 'The server did not accept the key.'],
        ['', 'The server asks for a key.'],
      ] as const) {
        await field('API key').fill(key)
        await send('POST').tap()
        await expect.poll(state).toContain(explanation)
      }
      expect(await findAccessibilityProblems(page)).toEqual([])
      // Chromium logs both 401.
      expect(visitor.complaints.filter((line) => !line.includes('401'))).toEqual([])
    })

  if (isLong)
    it('explains why there is no response', async () => {
      const member = await dashboard.member('paid')
      const servers: Server[] = []
      const serve = async (answer: RequestListener) => {
        const server = createServer(answer)
        servers.push(server)
        return `http://localhost:${await listenOnFreePort(server)}`
      }
      const allow = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }
      const allowing = (answer: RequestListener) =>
        serve((request, response) => {
          if (request.method === 'OPTIONS') response.writeHead(204, allow).end()
          else answer(request, response)
        })
      let isLeaked = false
      const elsewhere = await serve((_, response) => {
        isLeaked = true
        response.end()
      })
      const closed = await serve(() => {})
      servers.pop()?.close()
      await open()
      const { httpPort, platformHost } = dashboard.store.running.config
      const ask = async (slug: string, server: string) => {
        const document = {
          openapi: '3.1.0',
          info: { title: 'Tried', version: '1' },
          servers: [{ url: server }],
          components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
          paths: {
            '/things/{id}': {
              get: {
                operationId: 'getThing',
                security: [{ key: [] }],
                parameters: [
                  { name: 'id', in: 'path', required: true, example: 'a/b' },
                  { name: 'tags', in: 'query', schema: { type: 'array', items: {} } },
                ],
                responses: { 200: { description: 'Here.' } },
              },
            },
          },
        }
        const files = {
          'openapi.json': JSON.stringify(document),
          'site.yaml': `tryIt: { server: ${server} }`,
        }
        await member.publish(slug, files)
        await page.goto(`http://${slug}.${platformHost}:${httpPort}/reference/get-thing`)
        await fold().click()
        await field('API key').fill('k')
        await send('GET').click()
      }
      await ask('forbidding', await serve((_, response) => response.end('{}')))
      await expect
        .poll(state)
        .toMatch(/can be reached, but does not allow requests from http:\/\/forbidding\..*\(CORS\)/)
      const location = `${elsewhere}/secret`
      const redirect: RequestListener = (_, response) =>
        response.writeHead(302, { ...allow, location }).end()
      await ask('redirecting', await allowing(redirect))
      await expect.poll(state).toMatch(/redirects to another address/)
      expect(isLeaked).toBe(false)
      await ask('closed', closed)
      await expect.poll(state).toMatch(/cannot be reached/)
      await ask('silent', await serve(() => {}))
      await form().getByRole('button', { name: 'Cancel' }).click()
      await expect.poll(state).toBe('Cancelled.')
      const echo: RequestListener = ({ headers, url }, response) => {
        const sent = JSON.stringify(headers['x-key'] ?? null)
        response.writeHead(200, { ...allow, 'content-type': 'application/json' })
        response.end(`{"n":9007199254740993,"sent":${sent},"at":${JSON.stringify(url)}}`)
      }
      await ask('exact', await allowing(echo))
      await body().waitFor()
      // No digit is lost.
      expect(await body().innerText()).toBe(
        '{\n  "n": 9007199254740993,\n  "sent": "k",\n  "at": "/things/a%2Fb"\n}',
      )
      await field(/^tags/).fill('x, y')
      await send('GET').click()
      await expect.poll(() => body().innerText()).toContain('/things/a%2Fb?tags=x&tags=y')
      for (const server of servers) {
        server.closeAllConnections()
        server.close()
      }
    })
})

// As printed, against the store, in each language.
describe('request samples', () => {
  const samples: [string, number[]?][] = [
    ['list-pets', [200, 200, 200]],
    ['create-pet', [201, 201, 201]],
    ['create-category', [201, 201, 201]],
    ['place-order'],
    ['update-pet'],
    ['import-pets'],
    ['delete-pet', [204, 404, 404]],
  ]

  it.each(cases(samples, ([name]) => ['list-pets', 'create-pet', 'delete-pet'].includes(name)))(
    '%s runs in each language',
    async (operation, expected) => {
      const { text } = await docs.fetch(`/reference/${operation}`)
      const { production: key } = docs.store.keys
      const statuses: number[] = []
      for (const language of sampleLanguages) {
        const variables = { API_KEY: key, TOKEN: key }
        const output = await runSample(language, sampleIn(text, language), variables)
        statuses.push(statusIn(output, language))
      }
      if (expected) expect(statuses).toEqual(expected)
      else expect(new Set(statuses).size, String(statuses)).toBe(1)
    },
  )
})
