// What readers of a rendered site can do besides reading, in a browser: searches in scripts and for names that other text
// does not have, an answer for the author, the way to the source, and the way back from an address that leads nowhere.
import type { Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dashboard, startForAll } from '../dashboard/dashboard-in-test.ts'
import { findAccessibilityProblems } from './axe.ts'
import { desktop, type Visitor } from './chromium.ts'

const operation = (operationId: string, summary: string) => ({
  operationId,
  summary,
  parameters: [{ name: 'stationId', in: 'query', schema: { type: 'string' } }],
  responses: { 200: { description: 'The stationId of stations.' } },
})

const sources = {
  'site.yaml': 'edit: https://code.example.com/trains/edit/main\nlanguages: [en, de]',
  'de/build.md': '# Einrichtung\n\nSo geht es.',
  'boxes.md':
    '# Boxes\n\n=== "Rails"\n\n    Steel rails.\n\n=== "Roads"\n\n    Black roads.\n\n```mermaid\nflowchart LR\n  Rail --> Wheel\n```\n',
  'guides/installation.md': '# Installation\n\nHow to.',
  'guides/first-steps.md': '# First steps\n\nHow to.',
  'index.md': '# Trains\n\nStart here.\n\n## Sizes\n\n#### Smallest gauge\n\nOf mines.',
  'api.md':
    '# API\n\n## Server\n\nCalls `app.setErrorHandler(fn)` once.\n\n## Errors\n\nAn error has a handler. Set it.',
  'build.md': '# Build\n\nWith `--frozen-lockfile`, `build.outDir` and `Box<T>`.',
  'zh.md': '# 指南\n\n本页面针对文档进行了优化，并且可以进一步配置。',
  'ja.md': '# 案内\n\nこのページは検索機能のドキュメントです。',
  'ko.md': '# 안내\n\n이 문서를 읽어주세요. 전문검색기능도 있습니다.',
  'th.md': '# คู่มือ\n\nหน้านี้อธิบายการค้นหาภาษาไทยในประโยคยาว',
  'openapi.json': JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Trains', version: '1' },
    paths: { '/stations': { get: operation('listStations', 'List stations') } },
  }),
}

let visitor: Visitor
let page: Page
let origin: string

startForAll({}, async () => {
  const { operator, store } = dashboard
  await operator.publish('trains', sources)
  origin = `http://trains.${store.running.config.platformHost}:${store.running.config.httpPort}`
})
beforeEach(async () => {
  visitor = await dashboard.stranger(desktop)
  page = visitor.page
})
afterEach(async () => {
  expect([...visitor.hosts]).toEqual([new URL(origin).host])
  await page.context().close()
})

describe('the search', () => {
  it('finds headings of each level, parts of names, and words of scripts without spaces', async () => {
    await page.goto(origin)
    await page.keyboard.press('/')
    const dialog = page.getByRole('dialog', { name: 'Search' })
    const options = dialog.getByRole('option')
    const cases = {
      'smallest gauge': ['/#smallest-gauge', 'Smallest'],
      setErrorHandler: ['/api#server', 'setErrorHandler'],
      'error handler': ['/api#errors', 'handler'],
      'build.outDir': ['/build', 'build.outDir'],
      outdir: ['/build', 'outDir'],
      '--frozen-lockfile': ['/build', 'frozen-lockfile'],
      'Box<T>': ['/build', 'Box<T'],
      '/stations': ['/reference/list-stations', 'stations'],
      针对文档: ['/zh', '针对文档'],
      优化: ['/zh', '优化'],
      検索機能: ['/ja', '検索機能'],
      문서: ['/ko', '문서'],
      검색기능: ['/ko', '검색기능'],
      ค้นหาภาษา: ['/th', 'ค้นหาภาษา'],
    }
    const found: Record<string, (string | null)[]> = {}
    for (const words of Object.keys(cases)) {
      await dialog.getByRole('combobox').fill('')
      await expect.poll(() => options.count()).toBe(0)
      await dialog.getByRole('combobox').fill(words)
      await dialog
        .getByRole('status')
        .filter({ hasText: /result|Nothing/ })
        .waitFor({ state: 'attached' })
      const first = options.first()
      const isThere = (await options.count()) > 0
      const marks = isThere ? await first.locator('mark').allInnerTexts() : []
      const text = marks.reduce((a, b) => (b.length > a.length ? b : a), '')
      found[words] = [isThere ? await first.getAttribute('href') : '', text]
    }
    expect(found).toEqual(cases)
  })

  it('shows one part of each page of the reference', async () => {
    await page.goto(origin)
    await page.keyboard.press('/')
    await page.getByRole('dialog', { name: 'Search' }).waitFor()
    await page.keyboard.type('stationId')
    const hrefs = () =>
      page.getByRole('option').evaluateAll((all) => all.map((link) => link.getAttribute('href')))
    await expect.poll(hrefs).toEqual(['/reference/list-stations#parameters'])
  })
})

describe('beside the text', () => {
  it('answers whether a page was helpful, by keyboard', async () => {
    await page.goto(`${origin}/guides/installation`)
    expect(await findAccessibilityProblems(page)).toEqual([])
    const question = page.getByRole('group', { name: 'Was this page helpful?' })
    await question.getByRole('button', { name: 'Yes' }).focus()
    const request = page.waitForRequest('**/_site/helpful?*')
    await page.keyboard.press('Enter')
    const { searchParams } = new URL((await request).url())
    expect([...searchParams]).toEqual([
      ['answer', 'yes'],
      ['page', '/guides/installation'],
    ])
    const thanks = page.getByText('Thank you for your answer.')
    expect(await thanks.evaluate((element) => element.matches(':focus'))).toBe(true)
    expect(await findAccessibilityProblems(page)).toEqual([])
  })

  it('leads to the source of the page', async () => {
    await page.goto(`${origin}/guides/installation`)
    const link = page.getByRole('link', { name: 'Edit this page' })
    const source = 'https://code.example.com/trains/edit/main/guides/installation.md'
    expect(await link.getAttribute('href')).toBe(source)
    await page.goto(`${origin}/reference/list-stations`)
    expect(await link.count()).toBe(0)
  })

  it.each([
    ['/guides/instalation', ['/guides/installation']],
    ['/docs/v1/Guides/FirstSteps.html', ['/guides/first-steps']],
    ['/guides/install/', ['/guides/installation']],
    ['/list_stations', ['/reference/list-stations']],
    ['/%E0%A4%A/zzzzzz', []],
  ])('proposes the nearest pages for %s', async (path, expected) => {
    await page.goto(origin + path)
    const nearest = page.getByRole('navigation', { name: 'Nearest pages' })
    const links = () => nearest.getByRole('link').allInnerTexts()
    if (expected.length > 0) await nearest.waitFor()
    expect(await links()).toEqual(expected)
    expect(await findAccessibilityProblems(page)).toEqual([])
  })

  it('has none of this without scripts, and a page that says so', async () => {
    await page.context().close()
    visitor = await dashboard.stranger({ ...desktop, javaScriptEnabled: false })
    page = visitor.page
    await page.goto(`${origin}/guides/instalation`)
    await page.getByText('It may have moved').waitFor()
    expect(await page.getByText('Did you mean').count()).toBe(0)
    await page.goto(`${origin}/guides/installation`)
    expect(await page.getByText('Was this page helpful?').isVisible()).toBe(false)
    await page.getByRole('link', { name: 'Edit this page' }).waitFor()
  })
})

describe('languages and boxes, by keyboard', () => {
  it('shows the same page in another language, whose search finds its pages only', async () => {
    await page.goto(`${origin}/build`)
    await page.getByRole('button', { name: 'Language: English' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Deutsch' }).waitFor()
    expect(await findAccessibilityProblems(page)).toEqual([])
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/de/build')
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
    await page.keyboard.press('/')
    const search = page.getByRole('dialog', { name: 'Search' }).getByRole('combobox')
    await search.fill('Einrichtung')
    const hrefs = () =>
      page.getByRole('option').evaluateAll((all) => all.map((link) => link.getAttribute('href')))
    await expect.poll(hrefs).toEqual(['/de/build'])
    await search.fill('gauge')
    await page.getByText('Nothing found').waitFor()
  })

  it('selects tabs with arrows, keeps the choice, and prints all of them', async () => {
    await page.goto(`${origin}/boxes`)
    const [rails, roads] = [page.getByText('Steel rails.'), page.getByText('Black roads.')]
    await page.getByRole('radio', { name: 'Rails' }).focus()
    await page.keyboard.press('ArrowRight')
    await roads.waitFor()
    expect(await rails.isVisible()).toBe(false)
    await page.reload()
    await roads.waitFor()
    expect(await rails.isVisible()).toBe(false)
    await page.emulateMedia({ media: 'print' })
    expect([await rails.isVisible(), await roads.isVisible()]).toEqual([true, true])
  })

  it('draws diagrams, again in the other theme', async () => {
    await page.goto(`${origin}/boxes`)
    const image = page.getByRole('img', { name: 'Diagram' })
    const drawn = () =>
      image.evaluate(
        (img) => Number(Reflect.get(img, 'naturalWidth')) > 40 && img.getAttribute('src'),
      )
    await expect.poll(drawn, { timeout: 60_000 }).toContain('Rail')
    const light = await drawn()
    await page.getByRole('button', { name: 'Dark theme' }).click()
    await expect.poll(drawn, { timeout: 60_000 }).not.toBe(light)
  })
})
