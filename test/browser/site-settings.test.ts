// A deployed site with a colour, a logo and an icon in site.yaml, in both themes.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { archiveOf } from '../publishing/archive-of.ts'
import { type PublishingInTest, startPublishing } from '../publishing/publishing-in-test.ts'
import { findAccessibilityProblems } from './axe.ts'
import { type Chromium, desktop, launchChromium, phone } from './chromium.ts'

let browser: Chromium
let publishing: PublishingInTest
beforeAll(async () => {
  ;[publishing, browser] = await Promise.all([startPublishing('sqlite'), launchChromium()])
})
afterAll(async () => {
  await Promise.all([browser?.close(), publishing?.release()])
})

const mark = (fill: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" fill="${fill}"/></svg>`
const settings = 'colour: "#7a1f5c"\nlogo: images/logo.svg\nfavicon: images/icon.svg\n'
const site = {
  'site.yaml': `title: Branded\n${settings}`,
  'index.md': '# Welcome\n\nRead [the guide](guide.md).\n',
  'guide.md': '# Guide\n\nBack to [the start](index.md).\n',
  'images/logo.svg': mark('#7a1f5c'),
  'images/icon.svg': mark('#1f5c7a'),
}

it('has them on every page, and stays readable', async () => {
  await publishing.operator.create('branded')
  await publishing.operator.deploy('branded', archiveOf(site))
  const { httpPort, platformHost } = publishing.store.running.config
  const origin = `http://branded.${platformHost}:${httpPort}`
  const colours: string[] = []
  for (const [colorScheme, device] of [
    ['light', desktop],
    ['dark', phone],
  ] as const) {
    const { complaints, page } = await browser.visitor({ ...device, colorScheme })
    for (const path of ['/', '/guide']) {
      await page.goto(`${origin}${path}`)
      const logo = "document.querySelector('header img').naturalWidth"
      await page.locator('header img').first().waitFor()
      expect(await page.evaluate(logo)).toBeGreaterThan(0)
      expect(await page.locator('link[rel="icon"]').getAttribute('href')).toContain('icon')
      expect(await findAccessibilityProblems(page)).toEqual([])
    }
    colours.push(await page.evaluate("getComputedStyle(document.querySelector('main p a')).color"))
    expect(complaints).toEqual([])
    await page.context().close()
  }
  // The given one, and a lighter form of it for the dark theme.
  expect(colours[0]).toBe('rgb(122, 31, 92)')
  expect(colours[1]).not.toBe(colours[0])
})
