// What a browser loads: little at first, compressed, cached permanently, under a strict content security policy.

import { afterAll, expect, it } from 'vitest'
import { pageFrames } from '../../dashboard/platform/page-frames.ts'
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
  expect(await page.evaluate<string[]>(loadedFonts)).toEqual(['Geist'])
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

it('paints the page before its script runs, for those with a session', {
  timeout: 120_000,
}, async () => {
  const { operator, origin, store } = await startWithPages()
  const { page } = await visitor()
  await operator('/account')
  const signedIn = await page.context().request.post(`${origin}/api/session`, {
    data: { email: 'olga@example.com', password },
    headers: { origin },
  })
  expect(signedIn.status()).toBe(201)
  await page.route('**/assets/*.js', (route) => route.abort())
  await page.goto(`${origin}/members`)
  const frame = page.locator('#frame')
  await frame.getByText('Operators see and change everything.').waitFor()
  expect(await frame.locator('h1').innerText()).toBe('Members')
  expect(await page.title()).toBe('Members · Animal Store')
  // In the font and the appearance of the page that replaces it.
  expect(await page.evaluate<string[]>(loadedFonts)).toEqual(['Geist'])
  expect(await page.locator('html').getAttribute('data-mantine-color-scheme')).toBe('light')
  await page.unroute('**/assets/*.js')
  await page.reload()
  await waitForHeading(page, 'Members')
  expect(await frame.count()).toBe(0)

  const { dashboardUrl, httpPort } = store.running.config
  const answer = await ask(httpPort, dashboardUrl, '', 'members', { key: null })
  expect(answer.text).not.toContain('id="frame"')
})

/** `</script>` and more in the names of what is on the page. */
const hostile = '</script><script>document.title="taken"</script> & "$&" %NONCE%'

it('starts with what the page requests, and only what its session may read', {
  timeout: 120_000,
}, async () => {
  const { invite, operator, origin, store } = await startWithPages()
  const { complaints, page } = await visitor()
  await operator('/projects', { body: { name: hostile, slug: 'handbook' } })
  const animal = { name: `${hostile}\u2028`, categoryId: '9007199254740993' }
  await operator('/store/production/animals', {
    body: `{"name":${JSON.stringify(animal.name)},"categoryId":${animal.categoryId}}`,
  })
  const signIn = (email: string) =>
    page.context().request.post(`${origin}/api/session`, {
      data: { email, password },
      headers: { origin },
    })
  expect((await signIn('olga@example.com')).status()).toBe(201)

  const requests: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (pathname.startsWith('/api/')) requests.push(pathname.slice(4) + search)
  })
  // No project is new, whose list would be polled.
  await page.clock.setFixedTime(Date.now() + 600_000)
  for (const frame of pageFrames) {
    const path = filled(frame.path)
    requests.length = 0
    await page.goto(`${origin}${path}`)
    await page.locator('#frame').waitFor({ state: 'detached' })
    await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
    // Domains are fetched again once the event stream is open.
    const given = ['/session', ...(frame.requests ?? []).map(filled)].filter(
      (each) => !each.endsWith('/domains'),
    )
    expect(
      requests.filter((each) => given.includes(each)),
      path,
    ).toEqual([])
  }
  await page.goto(`${origin}/store/production/animals`)
  await page.getByRole('row').filter({ hasText: '</script>' }).waitFor()
  expect(await page.getByRole('row').filter({ hasText: animal.categoryId }).count()).toBe(1)
  await page.goto(`${origin}/projects/handbook`)
  await waitForHeading(page, hostile)
  expect(complaints).toEqual([])

  // Another account reads what its own requests of the API would give.
  const { dashboardUrl, httpPort } = store.running.config
  const token = (await invite({ email: 'mia@example.com' })).split('#')[1]
  const accepted = await ask(httpPort, new URL('/api', dashboardUrl), '', '/invitations/accept', {
    key: null,
    headers: { origin },
    body: { token, name: 'Mia', email: 'mia@example.com', password },
  })
  expect(accepted.status).toBe(201)
  const cookie = accepted.headers['set-cookie']?.split(';')[0] ?? ''
  for (const path of ['projects/handbook', 'store/production/animals', 'members', '']) {
    const { headers, text } = await ask(httpPort, dashboardUrl, '', path, {
      key: null,
      headers: { cookie },
    })
    expect(headers['cache-control']).toBe('no-store')
    expect(text).toContain('"email":"mia@example.com"')
    expect(text).not.toContain('taken')
    expect(text).not.toContain('olga@example.com')
  }
  // A page of another site makes the browser open this one.
  const crossSite = { cookie, 'sec-fetch-site': 'cross-site' }
  const opened = await ask(httpPort, dashboardUrl, '', 'projects', {
    key: null,
    headers: crossSite,
  })
  expect(opened.text).not.toContain('mia@example.com')
})

const filled = (pattern: string): string =>
  pattern
    .replaceAll(':slug', 'handbook')
    .replaceAll(':environment', 'production')
    .replaceAll(':section', 'general')

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
        /^default-src 'none'; script-src 'self'(?: 'sha256-[^']{44}'){2}; style-src 'self' 'nonce-/,
      )
      const [, nonce = 'none'] = /'nonce-([^']+)'/.exec(policy) ?? []
      expect(text).toContain(`nonce="${nonce}"`)
      expect(headers['cache-control']).toBe('no-store')
      return nonce
    })
    expect(new Set(nonces).size).toBe(2)
    const [, script = ''] = /src: "\/(assets\/[^"]+\.js)"/.exec(pages[0]?.text ?? '') ?? []
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
