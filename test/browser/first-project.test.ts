// A reader's path through the store's documentation, on a desktop in the dark theme; phone.test.ts has the light theme.

import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { isLong } from '../cases.ts'
import { findAccessibilityProblems } from './axe.ts'
import { type Chromium, desktop, launchChromium, type Visitor } from './chromium.ts'
import { type PublishedDocs, publishDocs } from './published-docs.ts'

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

let browser: Chromium
let docs: PublishedDocs
beforeAll(async () => {
  ;[docs, browser] = await Promise.all([publishDocs(), launchChromium()])
})
afterAll(async () => {
  await Promise.all([browser?.close(), docs?.release()])
})

describe('a reader with the dark theme', () => {
  let visitor: Visitor
  let page: Page
  beforeEach(async () => {
    visitor = await browser.visitor({ ...desktop, colorScheme: 'dark' })
    page = visitor.page
    await page.goto(docs.origin)
  })
  afterEach(async () => {
    expect(visitor.complaints).toEqual([])
    expect([...visitor.hosts]).toEqual([new URL(docs.origin).host])
    await page.context().close()
  })

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
