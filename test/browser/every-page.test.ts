// Every page of the published first project, in both themes and on a phone: no errors, no requests to other hosts, no
// accessibility problems and no broken links.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { findAccessibilityProblems } from './axe.ts'
import { type Chromium, launchChromium, phone } from './chromium.ts'
import { type PublishedDocs, publishDocs } from './published-docs.ts'

let browser: Chromium
let docs: PublishedDocs
beforeAll(async () => {
  ;[docs, browser] = await Promise.all([publishDocs(), launchChromium()])
})
afterAll(async () => {
  await Promise.all([browser?.close(), docs?.release()])
})

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
  return page.evaluate('for (const fold of document.querySelectorAll("details")) fold.open = true')
}
