// What a browser loads: little at first, and nothing twice.

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

it('is below 250 KB and a font, and nothing is loaded twice', async () => {
  const { page } = await visitor()
  const { operator, origin } = await startWithPages()
  await (await operator()).create('handbook', 'Handbook')
  const signIn = await page.goto(`${origin}/sign-in`)
  await waitForHeading(page, 'Sign in')
  // Each page has a policy of its own, whose nonce is in it; what is no asset has none.
  const policy = signIn?.headers()['content-security-policy'] ?? ''
  expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-/)
  expect(policy).not.toContain('unsafe')
  expect(await signIn?.text()).toContain(`nonce="${/'nonce-([^']+)'/.exec(policy)?.[1]}"`)
  const absent = await page.context().request.get(`${origin}/assets/nothing.js`)
  expect(absent.status()).toBe(404)
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

it('shows a skeleton in the chosen appearance until the first page is rendered', async () => {
  const { operator, origin } = await startWithPages()
  /** `</script>` and more in a name. */
  const hostile = '</script><script>document.title="taken"</script> & "$&" %NONCE%'
  await (await operator()).create('handbook', hostile)
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
