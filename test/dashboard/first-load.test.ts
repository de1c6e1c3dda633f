// What a browser loads: little at first, compressed, cached permanently, under a strict content security policy.

import { afterAll, expect, it } from 'vitest'
import {
  closeBrowser,
  fill,
  password,
  press,
  startWithPages,
  visitor,
  waitForHeading,
} from '../accounts/page-visitors.ts'
import { isLong } from '../cases.ts'
import { ask } from '../running-store.ts'

afterAll(closeBrowser)

interface Loaded {
  name: string
  /** On the wire, without headers; 0 from the cache. */
  encodedBodySize: number
  transferSize: number
}

/** Latin of all weights; the only one on these pages. */
const fontBytes = 30_000
const maxBytes = 250_000 + fontBytes
/** Of the sign-in page, most of which the dashboard needs, too. */
const maxSignInBytes = 125_000 + fontBytes
const bytesOf = (all: Loaded[]): number =>
  all.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)
const loadedFonts =
  "Array.from(document.fonts).filter((font) => font.status === 'loaded').map((font) => font.family)"
const loaded = "performance.getEntriesByType('resource').map((entry) => entry.toJSON())"

it('is below 250 KB and a font, and nothing is loaded twice', {
  timeout: 120_000,
}, async () => {
  const { page } = await visitor()
  const { operator, origin } = await startWithPages()
  await operator('/projects', { body: { name: 'Handbook', slug: 'handbook' } })
  await page.goto(`${origin}/sign-in`)
  await waitForHeading(page, 'Sign in')
  expect(bytesOf(await page.evaluate<Loaded[]>(loaded))).toBeLessThan(maxSignInBytes)
  await fill(page, { Email: 'olga@example.com', Password: password })
  // The font is the program's own, so that all users see the same one.
  expect(await page.evaluate<string[]>(loadedFonts)).toEqual(['Geist Variable'])
  await press(page, 'Sign in')
  await waitForHeading(page, 'Projects')
  await page.getByText('Next steps').waitFor()
  const first = await page.evaluate<Loaded[]>(loaded)
  const assets = first.filter(({ name }) => name.startsWith(`${origin}/assets/`))
  expect(assets.length).toBeGreaterThan(3)
  expect(bytesOf(first)).toBeLessThan(maxBytes)
  await page.reload()
  await page.getByText('Next steps').waitFor()
  const again = (await page.evaluate<Loaded[]>(loaded)).filter(({ name }) =>
    name.startsWith(`${origin}/assets/`),
  )
  expect(again.length).toBe(assets.length)
  expect(again.filter(({ transferSize }) => transferSize > 0)).toEqual([])

  // The largest pages, opened first.
  const { cookies } = await page.context().storageState()
  for (const [section, text] of [
    ['domains', 'No custom domains yet'],
    ['site', 'They apply from the first deploy on.'],
  ] as const) {
    const other = await visitor()
    await other.page.context().addCookies(cookies)
    await other.page.goto(`${origin}/projects/handbook/settings/${section}`)
    await other.page.getByText(text).waitFor()
    expect(bytesOf(await other.page.evaluate<Loaded[]>(loaded)), section).toBeLessThan(maxBytes)
  }
})

it('shows a skeleton in the chosen appearance until the first page is rendered', {
  timeout: 120_000,
}, async () => {
  const { operator, origin } = await startWithPages()
  /** `</script>` and more in a name. */
  const hostile = '</script><script>document.title="taken"</script> & "$&" %NONCE%'
  await operator('/projects', { body: { name: hostile, slug: 'handbook' } })
  for (const [scheme, background] of [
    ['light', 'rgb(253, 252, 249)'],
    ['dark', 'rgb(19, 22, 20)'],
  ]) {
    const { complaints, page } = await visitor()
    await page.context().request.post(`${origin}/api/session`, {
      data: { email: 'olga@example.com', password },
      headers: { origin },
    })
    await page.addInitScript(`localStorage.setItem('animal-store:appearance', '${scheme}')`)
    await page.route('**/assets/*.js', (route) => route.abort())
    await page.goto(`${origin}/projects/handbook`)
    const skeleton = page.locator('.skeleton')
    expect(await skeleton.locator('div').first().boundingBox()).toMatchObject({ height: 56 })
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(background)
    await page.unroute('**/assets/*.js')
    complaints.length = 0
    await page.reload()
    await waitForHeading(page, hostile)
    expect(await skeleton.count()).toBe(0)
    expect(await page.title()).toBe(`Overview · ${hostile} · Projects · Animal Store`)
    expect(complaints).toEqual([])
  }
})

if (isLong)
  it('sends immutable compressed assets, and each page with a new nonce', async () => {
    const { store } = await startWithPages()
    const { dashboardUrl, httpPort } = store.running.config
    const get = (path: string, headers = {}) =>
      ask(httpPort, dashboardUrl, '', path, { key: null, headers })
    const pages = [await get(''), await get('projects/x/settings/domains')]
    const nonces = pages.map(({ headers, text }) => {
      const policy = headers['content-security-policy'] ?? ''
      expect(policy).not.toContain('unsafe')
      expect(policy).toMatch(
        /^default-src 'none'; script-src 'self' 'sha256-[^']{44}'; style-src 'self' 'nonce-/,
      )
      const [, nonce = 'none'] = /'nonce-([^']+)'/.exec(policy) ?? []
      expect(text).toContain(`nonce="${nonce}"`)
      expect(headers['cache-control']).toBe('no-store')
      return nonce
    })
    expect(new Set(nonces).size).toBe(2)
    const [, script = ''] =
      /<script type="module" crossorigin src="\/(assets\/[^"]+\.js)"/.exec(pages[0]?.text ?? '') ??
      []
    for (const encoding of ['br', 'gzip']) {
      const { headers } = await get(script, { 'accept-encoding': encoding })
      expect(headers).toMatchObject({
        'content-encoding': encoding,
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'public, max-age=31536000, immutable',
        vary: expect.stringMatching(/accept-encoding/i),
      })
    }
    const [, font = ''] =
      /rel="preload" href="\/(assets\/[^"]+\.woff2)"/.exec(pages[0]?.text ?? '') ?? []
    const sent = await get(font, { 'accept-encoding': 'br, gzip' })
    expect(sent.headers).toMatchObject({
      'content-type': 'font/woff2',
      'cache-control': 'public, max-age=31536000, immutable',
    })
    expect(sent.headers).not.toHaveProperty('content-encoding')
    expect((await get('assets/nothing.js')).status).toBe(404)
  })
