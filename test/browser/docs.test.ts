// The store's documentation as its readers use it: the published first project on a desktop and a phone, its search,
// each of its pages, and the requests that they send from the reference. One site for all, because it takes seconds to
// render.

import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { cases, isLong } from '../cases.ts'
import { archiveOf } from '../publishing/archive-of.ts'
import {
  type Person,
  type PublishingInTest,
  startPublishing,
} from '../publishing/publishing-in-test.ts'
import { runSample, sampleIn, sampleLanguages, statusIn } from '../run-sample.ts'
import { findAccessibilityProblems } from './axe.ts'
import { type Chromium, desktop, launchChromium, phone, type Visitor } from './chromium.ts'
import { docsOf, type PublishedDocs } from './published-docs.ts'

let browser: Chromium
let publishing: PublishingInTest
let docs: PublishedDocs
let member: Person
beforeAll(async () => {
  ;[publishing, browser] = await Promise.all([
    startPublishing('sqlite', { env: { FIRST_PROJECT: 'on' } }),
    launchChromium(),
  ])
  docs = await docsOf(publishing.store)
  member = await publishing.member('paid')
})
afterAll(async () => {
  await Promise.all([browser?.close(), publishing?.release()])
})

let visitor: Visitor
let page: Page
/** Each test of a describe begins at the home page, and ends without complaints and other hosts. */
function visit(options?: Parameters<Chromium['visitor']>[0]): void {
  beforeEach(async () => {
    visitor = await browser.visitor(options)
    page = visitor.page
    await page.goto(docs.origin)
  })
  afterEach(async () => {
    expect(visitor.complaints).toEqual([])
    expect([...visitor.hosts]).toEqual([new URL(docs.origin).host])
    await page.context().close()
  })
}

/** In the order of the navigation, by its groups. */
const groups: Record<string, Record<string, string>> = {
  'Get started': { '/dashboard': 'Dashboard', '/accounts': 'Accounts', '/lab': 'The lab' },
  Store: { '/api-guide': 'API guide', '/moving-data': 'Moving data', '/webhooks': 'Webhooks' },
  'Documentation sites': {
    '/publishing': 'Publishing',
    '/domains': 'Custom domains',
    '/connect': 'One-click records',
  },
  Installation: {
    '/self-hosting': 'Production deployment',
    '/configuration': 'Configuration',
    '/commands': 'Commands',
    '/operation': 'Operation',
    '/proxies': 'Behind a proxy',
    '/postgresql': 'PostgreSQL and several nodes',
    '/object-storage': 'Object storage',
  },
  'Monitoring and backups': {
    '/monitoring': 'Monitoring',
    '/backups': 'Backups',
    '/runbook': 'Runbook',
    '/log-events': 'Log events',
  },
  'Reliability and security': {
    '/reliability': 'Reliability',
    '/growth': 'Growth',
    '/security': 'Security',
    '/decisions': 'Design decisions',
  },
}
const guides = ['/', ...Object.values(groups).flatMap((group) => Object.keys(group))]

describe('a reader with the dark theme', () => {
  visit({ ...desktop, colorScheme: 'dark' })

  const pages = () => page.getByRole('navigation', { name: 'Pages' })
  const title = () => page.getByRole('heading', { level: 1 }).innerText()
  const path = () => page.url().slice(docs.origin.length)

  it('finds the guides in order, and opens one', async () => {
    expect(await page.title()).toBe('Animal Store')
    const list = pages().locator(':scope > ul > li')
    expect(await list.locator('> a').allInnerTexts()).toEqual(['Overview'])
    const titles = await list.locator('> details > summary').allInnerTexts()
    expect(titles).toEqual([...Object.keys(groups), 'API reference'])
    for (const [title, group] of Object.entries(groups)) {
      const details = list.locator('> details', {
        has: page.locator('summary', { hasText: title }),
      })
      const links = details.getByRole('link')
      expect(await links.allInnerTexts()).toEqual(Object.values(group))
    }
    await pages().getByRole('link', { name: 'Webhooks' }).click()
    expect([path(), await title(), await page.title()]).toEqual([
      '/webhooks',
      'Webhooks',
      'Webhooks · Animal Store',
    ])
    const current = pages().locator('[aria-current="page"]')
    expect(await current.allInnerTexts()).toEqual(['Webhooks'])
    await page.goBack()
    expect([path(), await title()]).toEqual(['/', 'Animal Store'])
    await page.goForward()
    expect(await title()).toBe('Webhooks')
  })

  it('copies a line of code', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const block = page.locator('.code-block', { hasText: 'curl' }).first()
    await block.hover()
    await block.getByRole('button', { name: 'Copy' }).click()
    await block.getByText('Copied').waitFor()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(copied).toBe(await block.locator('pre').innerText())
    expect(copied).toMatch(/^KEY=.*\ncurl -s 'http:\/\/staging\.localhost/)
  })

  if (isLong)
    it('copies the URL of a section, and follows the table of contents', async () => {
      await page.goto(`${docs.origin}/api-guide`)
      const heading = page.getByRole('heading', { name: 'Conditional requests' })
      await heading.hover()
      await page.locator('.heading', { has: heading }).locator('.anchor').click()
      expect(path()).toBe('/api-guide#conditional-requests')
      const contents = page.getByRole('navigation', { name: 'On this page' })
      await contents.getByRole('link', { name: 'Errors' }).click()
      expect(path()).toBe('/api-guide#errors')
      const errors = page.getByRole('heading', { name: 'Errors' })
      await expect.poll(async () => (await errors.boundingBox())?.y).toBeLessThan(160)
      // The fixed header does not cover it.
      expect((await errors.boundingBox())?.y).toBeGreaterThan(56)
      const marked = contents.locator('[aria-current]')
      await expect.poll(() => marked.allInnerTexts()).toEqual(['Errors'])
    })

  if (isLong)
    it('has the contents beside the text, or above it where there is no room', async () => {
      await page.goto(`${docs.origin}/api-guide`)
      const text = page.locator('.prose')
      const contents = page.getByRole('navigation', { name: 'On this page' })
      const folded = page.locator('.toc-inline')
      const end = async () => boxOf(text).then(({ width, x }) => x + width)
      expect((await boxOf(contents)).x).toBeGreaterThan(await end())
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
      expect(await pages().isVisible()).toBe(false)
      const focused = (selector: string) =>
        page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(selector)})`)
      await page.getByRole('button', { name: 'Menu' }).focus()
      await page.keyboard.press('Enter')
      await pages().waitFor()
      await expect.poll(() => focused('.menu-close')).toBe(true)
      // The focus cannot leave it for the page behind it.
      await page.evaluate('document.querySelector("main .prose a").focus()')
      expect(await focused('.menu-close')).toBe(true)
      await page.keyboard.press('Tab')
      expect(await focused('.sidebar a, .sidebar summary')).toBe(true)
      expect(await findAccessibilityProblems(page)).toEqual([])
      await page.keyboard.press('Escape')
      await pages().waitFor({ state: 'hidden' })
      expect(await focused('.menu-button')).toBe(true)
      await page.evaluate('document.querySelector("main .prose a").focus()')
      expect(await focused('main .prose a')).toBe(true)
      await page.keyboard.press('Shift+Tab')
      await page.getByRole('button', { name: 'Menu' }).click()
      await pages().waitFor()
      await page.setViewportSize(desktop.viewport)
      await expect.poll(async () => (await boxOf(pages())).y).toBeGreaterThan(50)
    })

  if (isLong)
    it('sees the font of the site, of which it loads one part', async () => {
      await page.goto(`${docs.origin}/api-guide`)
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

  it('goes to the next page, and back', async () => {
    const next = page.locator('a[rel="next"]')
    const visited = [path()]
    for (const _ of guides) {
      await next.click()
      visited.push(path())
    }
    expect(visited).toEqual([...guides, '/reference/'])
    await page.getByRole('link', { name: /^Previous/ }).click()
    expect(path()).toBe('/decisions')
  })

  it('reads an operation: parameters, responses, an example', async () => {
    await page.goto(`${docs.origin}/reference/`)
    await page
      .getByRole('main')
      .getByRole('link', { name: 'List all animals', exact: true })
      .click()
    expect(path()).toBe('/reference/list-pets')
    const main = page.getByRole('main')
    expect(await main.innerText()).toMatch(/limit\s+integer[\s\S]*Maximum number of animals/)
    const refused = main.locator('details', { hasText: 'Missing or invalid API key' }).last()
    const code = refused.getByText('invalid_api_key').first()
    expect(await code.isVisible()).toBe(false)
    await refused.locator('summary').first().click()
    await code.waitFor()
    // The copied command calls this store.
    const { baseUrl } = docs.store
    expect(await main.locator('pre').first().innerText()).toContain(`${baseUrl.production}/pets`)
  })

  it('chooses the language of request samples by keyboard, which other pages remember', async () => {
    await page.goto(`${docs.origin}/reference/create-pet`)
    const languages = page.getByRole('group', { name: 'Language of the example' })
    const sample = languages.locator('pre:visible')
    expect(await sample.innerText()).toMatch(/^curl -X POST/)
    await languages.getByRole('radio', { name: 'curl' }).focus()
    await page.keyboard.press('ArrowRight')
    expect(await sample.innerText()).toContain('await fetch("http')
    await page.keyboard.press('ArrowRight')
    expect(await sample.innerText()).toContain('import urllib.request')
    expect(await findAccessibilityProblems(page)).toEqual([])
    await page.goto(`${docs.origin}/reference/list-pets`)
    expect(await languages.getByRole('radio', { name: 'Python' }).isChecked()).toBe(true)
    expect(await sample.innerText()).toContain('import urllib.request')
  })

  if (isLong)
    it('has the samples beside the text of an operation, in view wherever it reads', async () => {
      await page.goto(`${docs.origin}/reference/create-pet`)
      const samples = page.getByRole('group', { name: 'Language of the example' })
      const answer = page.locator('.api-answer')
      const text = page.locator('.api-endpoint')
      const { width, x } = await boxOf(text)
      for (const part of [samples, answer]) {
        expect((await boxOf(part)).x).toBeGreaterThan(x + width)
      }
      await page.locator('#responses').scrollIntoViewIfNeeded()
      await page.evaluate('scrollTo(0, document.body.scrollHeight / 2)')
      await expect.poll(async () => (await boxOf(text)).y).toBeLessThan(0)
      const [request, response] = [await boxOf(samples), await boxOf(answer)]
      expect(request.y).toBeGreaterThan(56)
      expect(response.y).toBeGreaterThan(request.y + request.height)
      expect(response.y + response.height).toBeLessThanOrEqual(desktop.viewport.height)
      expect(response.height).toBeGreaterThan(100)
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await page.evaluate('scrollTo(0, 0)')
      await text.getByRole('button', { name: 'Copy' }).click()
      await text.getByText('Copied').waitFor()
      expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe('/pets')
    })

  if (isLong)
    it('sees the stability of an operation', async () => {
      await pages()
        .getByRole('link', { name: /^Get an animal/ })
        .click()
      const main = page.getByRole('main')
      await main.getByText('Deprecated. Removed on 5 December 2030.').waitFor()
      await main.getByRole('link', { name: 'GET /pets' }).click()
      expect(path()).toBe('/reference/list-pets')
      for (const [name, word] of [
        ['update-pet', 'beta'],
        ['place-order', 'experimental'],
      ]) {
        await page.goto(`${docs.origin}/reference/${name}`)
        await main
          .getByText(word as string, { exact: true })
          .first()
          .waitFor()
      }
    })

  it('sees a 404 page in the design of the site', async () => {
    const answer = await page.goto(`${docs.origin}/reference/no-such-operation`)
    expect(answer?.status()).toBe(404)
    // Chromium logs the 404.
    expect(visitor.complaints.splice(0)).toEqual([expect.stringContaining('404')])
    await page.getByRole('heading', { level: 1 }).waitFor()
    await pages().getByRole('link', { name: 'API guide' }).click()
    expect(path()).toBe('/api-guide')
  })

  if (isLong)
    it('prints only the content, dark on light', async () => {
      await page.goto(`${docs.origin}/api-guide`)
      await page.emulateMedia({ media: 'print' })
      expect(await page.getByRole('main').isVisible()).toBe(true)
      for (const beside of ['header', '.sidebar', '.toc', '.page-footer', '.copy']) {
        expect(await page.locator(beside).first().isVisible(), beside).toBe(false)
      }
      const [ink, paper] = await page.evaluate<[string, string]>(
        '[getComputedStyle(document.querySelector(".prose p")).color, getComputedStyle(document.body).backgroundColor]',
      )
      expect(lightness(ink)).toBeLessThan(80)
      expect(lightness(paper)).toBeGreaterThan(200)
    })

  it('selects the other theme, which is kept without a flash', async () => {
    const before = await background(page)
    await page.getByRole('button', { name: 'Dark theme' }).click()
    const after = await background(page)
    expect(lightness(after)).toBeGreaterThan(lightness(before))
    await page.addInitScript({ content: watchTheme })
    await page.reload()
    // The theme is set when the body is created, and does not change afterwards.
    expect(await page.evaluate('themes')).toEqual(['light'])
    expect(await background(page)).toBe(after)
    await pages().getByRole('link', { name: 'Publishing' }).click()
    expect(await background(page)).toBe(after)
  })
})

/** Collects in `themes` the theme at the start of the body, and every change after that. */
const watchTheme = `globalThis.themes = []
  const note = () => {
    const { theme } = document.documentElement.dataset
    if (document.body && (themes.length === 0 || themes.at(-1) !== theme)) themes.push(theme)
  }
  new MutationObserver(note).observe(document, { attributes: true, childList: true, subtree: true })`

/** Of an element that is visible. */
async function boxOf(element: Locator) {
  const box = await element.boundingBox()
  if (!box) throw new Error(`${element} is not visible`)
  return box
}

function background(page: Page): Promise<string> {
  return page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
}

/** The brightness, from 0 to 255, of a colour such as `rgb(253, 252, 249)`. */
function lightness(color: string): number {
  const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map(Number)
  return (red + green + blue) / 3
}

describe.each(
  cases([{ colorScheme: 'light' }, { colorScheme: 'light', javaScriptEnabled: false }] as const),
)('a reader with a phone: $colorScheme, scripts $javaScriptEnabled', (options) => {
  const hasScripts = options.javaScriptEnabled !== false
  visit({ ...phone, ...options })

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

describe('the search, with the keyboard only', () => {
  visit()

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
})

// In both themes and on a phone: no errors, no requests to other hosts, no accessibility problems and no broken links.
describe('every page', () => {
  it('has the guides and the reference in its sitemap', () => {
    const guides = ['/', '/api-guide', '/moving-data', '/webhooks', '/publishing', '/accounts']
    expect(docs.paths).toEqual(
      expect.arrayContaining([...guides, '/self-hosting', '/reference/', '/reference/list-pets']),
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
      const { complaints, hosts, page } = await browser.visitor()
      for (let path = left.shift(); path !== undefined; path = left.shift()) {
        await page.emulateMedia({ colorScheme: 'dark' })
        await page.goto(docs.origin + path)
        // A theme changes only colours.
        const dark = looked.has(path) ? await findAccessibilityProblems(page, ['cat.color']) : []
        await page.emulateMedia({ colorScheme: 'light' })
        await unfold(page)
        const light = looked.has(path) ? await findAccessibilityProblems(page) : []
        const found = [...complaints.splice(0), ...light, ...dark.map((line) => `dark: ${line}`)]
        problems.push(...found.map((problem) => `${path}: ${problem}`))
      }
      expect([...hosts]).toEqual([new URL(docs.origin).host])
    }
    await Promise.all([walk(), walk()])
    expect(problems).toEqual([])
  })

  it('has no accessibility problems in the unfolded parts of an operation, in the dark theme', async () => {
    const { page } = await browser.visitor({ colorScheme: 'dark' })
    await page.goto(`${docs.origin}/reference/import-pets`)
    await unfold(page)
    expect(await findAccessibilityProblems(page)).toEqual([])
  })

  it('fits on a phone: no page is wider than its screen', { timeout: 300_000 }, async () => {
    const { complaints, page } = await browser.visitor(phone)
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

  function unfold(page: Page): Promise<unknown> {
    return page.evaluate(
      'for (const fold of document.querySelectorAll("details")) fold.open = true',
    )
  }
})

// The first project against the store's own staging API, and sites of members against servers that are silent,
// forbid it, or redirect. Keys are never stored.
describe('requests that readers send', () => {
  const form = (page: Page) => page.locator('.api-try')
  const state = (page: Page) => form(page).getByRole('status')
  const body = (page: Page) => form(page).getByRole('group', { name: 'Body of the response' })
  const send = (page: Page, method: string) =>
    form(page)
      .locator('form')
      .getByRole('button', { name: `Send ${method}` })

  it('sends a reader’s requests to staging, by keyboard, and forgets the key', async () => {
    const { complaints, hosts, page } = await browser.visitor({ ...desktop, colorScheme: 'dark' })
    const { keys, baseUrl } = docs.store
    await page.goto(`${docs.origin}/reference/list-pets`)
    await form(page).locator('summary').first().focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    const key = form(page).getByLabel('API key')
    expect(await key.evaluate((field) => field.matches(':focus'))).toBe(true)
    await page.keyboard.type(keys.staging)
    await form(page).getByLabel('limit').fill('1')
    await form(page).getByLabel('status').selectOption('available')
    await page.keyboard.press('Tab')
    expect(await findAccessibilityProblems(page)).toEqual([])
    await send(page, 'GET').focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => state(page).innerText()).toMatch(/^200 OK · \d+ ms$/)
    expect(JSON.parse(await body(page).innerText())).toEqual([
      expect.objectContaining({ status: 'available' }),
    ])
    await form(page)
      .getByText(/^\d+ headers$/)
      .click()
    expect(await form(page).locator('dl').innerText()).toMatch(/content-type\s+application\/json/)
    expect(await findAccessibilityProblems(page)).toEqual([])

    // Nowhere but in the field.
    const traces = await page.evaluate<string>(
      `JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage }) + document.cookie +
        location.href + document.documentElement.outerHTML`,
    )
    expect(traces).not.toContain(keys.staging)
    await page.reload()
    expect(await key.inputValue()).toBe('')
    // Production is for the origins that the operator configures.
    const headers = { origin: docs.origin }
    const allowed = async (ask: typeof docs.store.ask) =>
      (await ask('/pets', { headers })).headers['access-control-allow-origin']
    expect(await allowed(docs.store.askStaging)).toBe(docs.origin)
    expect(await allowed(docs.store.ask)).toBeUndefined()
    expect(complaints).toEqual([])
    expect([...hosts].sort()).toEqual(
      [new URL(docs.origin).host, new URL(baseUrl.staging).host].sort(),
    )
    await page.context().close()
  })

  if (isLong)
    it('asks once before a change, and explains a wrong key, on a phone', async () => {
      const { complaints, page } = await browser.visitor({ ...phone, colorScheme: 'light' })
      const { askStaging, keys } = docs.store
      const animals = async () =>
        Number(
          (await askStaging('/pets', { headers: { prefer: 'count=exact' } })).headers[
            'x-total-count'
          ],
        )
      const before = await animals()
      await page.goto(`${docs.origin}/reference/create-pet`)
      await form(page).locator('summary').first().tap()
      await form(page).getByLabel('API key').fill(keys.staging)
      const text = form(page).getByRole('textbox', { name: /^Body/ })
      expect(JSON.parse(await text.inputValue())).toHaveProperty('name')
      await text.fill('{"name":"Tried","categoryId":1}')
      await send(page, 'POST').tap()
      const dialog = page.getByRole('dialog', { name: 'Send a real POST?' })
      await dialog.getByText(/^This sends a real POST to http:\/\/staging\.localhost/).waitFor()
      expect(await findAccessibilityProblems(page)).toEqual([])
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'hidden' })
      expect(await animals()).toBe(before)
      await send(page, 'POST').tap()
      await dialog.getByRole('button', { name: 'Send POST' }).tap()
      await expect.poll(() => state(page).innerText()).toMatch(/^201 Created/)
      expect(JSON.parse(await body(page).innerText())).toMatchObject({ name: 'Tried' })
      expect(await animals()).toBe(before + 1)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(phone.viewport.width)
      // Asked once only.
      await send(page, 'POST').tap()
      await expect.poll(animals).toBe(before + 2)
      await form(page).getByLabel('API key').fill('sk_wrong')
      await send(page, 'POST').tap()
      await expect
        .poll(() => state(page).innerText())
        .toContain('The server did not accept the key.')
      await form(page).getByLabel('API key').fill('')
      await send(page, 'POST').tap()
      await expect.poll(() => state(page).innerText()).toContain('The server asks for a key.')
      expect(await findAccessibilityProblems(page)).toEqual([])
      // Chromium logs both 401.
      expect(complaints.filter((line) => !line.includes('401'))).toEqual([])
      await page.context().close()
    })

  if (isLong)
    it('explains why there is no response', async () => {
      const servers: ReturnType<typeof createServer>[] = []
      const serve = async (answer: RequestListener) => {
        const server = createServer(answer)
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
        servers.push(server)
        return `http://localhost:${(server.address() as AddressInfo).port}`
      }
      let isLeaked = false
      const elsewhere = await serve((_, response) => {
        isLeaked = true
        response.end()
      })
      const forbidding = await serve((_, response) => response.end('{}'))
      const allow = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }
      const redirecting = await serve((request, response) => {
        if (request.method === 'OPTIONS') response.writeHead(204, allow).end()
        else response.writeHead(302, { ...allow, location: `${elsewhere}/secret` }).end()
      })
      const silent = await serve(() => {})
      const exact = await serve((request, response) => {
        if (request.method === 'OPTIONS') {
          response.writeHead(204, allow).end()
          return
        }
        response.writeHead(200, { ...allow, 'content-type': 'application/json' })
        response.end(
          `{"n":9007199254740993,"sent":${JSON.stringify(request.headers['x-key'] ?? null)},"at":${JSON.stringify(request.url)}}`,
        )
      })
      const closed = await serve(() => {})
      servers.pop()?.close()
      const { httpPort, platformHost } = publishing.store.running.config
      const { page } = await browser.visitor()
      const open = async (slug: string, server: string) => {
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
        await member.create(slug)
        await member.deploy(slug, archiveOf(files))
        await page.goto(`http://${slug}.${platformHost}:${httpPort}/reference/get-thing`)
        await form(page).locator('summary').first().click()
        await form(page).getByLabel('API key').fill('k')
        await send(page, 'GET').click()
      }
      await open('forbidding', forbidding)
      await expect
        .poll(() => state(page).innerText())
        .toMatch(/can be reached, but does not allow requests from http:\/\/forbidding\..*\(CORS\)/)
      await open('redirecting', redirecting)
      await expect.poll(() => state(page).innerText()).toMatch(/redirects to another address/)
      expect(isLeaked).toBe(false)
      await open('closed', closed)
      await expect.poll(() => state(page).innerText()).toMatch(/cannot be reached/)
      await open('silent', silent)
      await form(page).getByRole('button', { name: 'Cancel' }).click()
      await expect.poll(() => state(page).innerText()).toBe('Cancelled.')
      await open('exact', exact)
      await body(page).waitFor()
      // No digit is lost.
      expect(await body(page).innerText()).toBe(
        '{\n  "n": 9007199254740993,\n  "sent": "k",\n  "at": "/things/a%2Fb"\n}',
      )
      await form(page).getByLabel(/^tags/).fill('x, y')
      await send(page, 'GET').click()
      await expect.poll(() => body(page).innerText()).toContain('/things/a%2Fb?tags=x&tags=y')
      await page.context().close()
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
      const page = await docs.fetch(`/reference/${operation}`)
      expect(page.status).toBe(200)
      const statuses: number[] = []
      for (const language of sampleLanguages) {
        const variables = { API_KEY: docs.store.keys.production, TOKEN: docs.store.keys.production }
        const output = await runSample(language, sampleIn(page.text, language), variables)
        statuses.push(statusIn(output, language))
      }
      if (expected) expect(statuses).toEqual(expected)
      else expect(new Set(statuses).size, String(statuses)).toBe(1)
    },
  )
})
