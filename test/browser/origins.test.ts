// Isolation of published sites from the dashboard, from each other and from the next one at their address, in a signed-in
// browser: a malicious site and the documentation. The server's log shows which requests arrived.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { dashboard, startForAll } from '../dashboard/dashboard-in-test.ts'
import { eventually } from '../eventually.ts'
import type { Visitor } from './chromium.ts'
import { docsOf } from './published-docs.ts'

/** The requests in the server's log. */
interface Arrival {
  host: string
  target: string
  cookie: string | undefined
}

let origin: string
let docs: string
let hostile: string
let visitor: Visitor
let page: Page
const arrivals: Arrival[] = []

const note = (message: unknown): void => {
  const { request } = message as { request: IncomingMessage }
  const { cookie, host = '' } = request.headers
  arrivals.push({ host, target: request.url ?? '', cookie })
}

startForAll({ env: { FIRST_PROJECT: 'on' } }, async () => {
  const { operator, store } = dashboard
  ;({ origin } = dashboard)
  docs = (await docsOf(store)).origin
  hostile = origin.replace('//', '//hostile.docs.')
  await operator.publish('hostile', hostileSite())
  subscribe('http.server.request.start', note)
})
afterAll(() => unsubscribe('http.server.request.start', note))

beforeEach(async () => {
  visitor = await dashboard.visitor()
  page = visitor.page
  arrivals.length = 0
})
afterEach(async () => {
  // The reader is still signed in.
  await page.goto(`${origin}/`)
  expect(await page.evaluate('fetch("/api/session").then(({ status }) => status)')).toBe(200)
  await page.context().close()
})

it.each(['documentation', 'hostile site'])(
  'the %s can neither read nor call the dashboard',
  async (name) => {
    await page.goto(name === 'documentation' ? docs : hostile)
    const session = JSON.stringify(`${origin}/api/session`)
    const attempt = (options: object) =>
      page.evaluate<string>(
        `fetch(${session}, ${JSON.stringify({ credentials: 'include', ...options })})
        .then(async (answer) => answer.type + await answer.text(), (error) => error.name)`,
      )
    expect(await attempt({})).toBe('TypeError')
    expect(await attempt({ method: 'DELETE' })).toBe('TypeError')
    expect(await attempt({ mode: 'no-cors' })).toBe('TypeError')
    expect(await attempt({ mode: 'no-cors', method: 'POST', body: '{}' })).toBe('TypeError')
    const tried = arrivals.filter(({ host }) => host === new URL(origin).host)
    // The content security policy of the documentation allows no requests to other hosts.
    expect(tried.length).toBe(name === 'documentation' ? 0 : 4)
    for (const { cookie, host } of arrivals) expect([host, cookie]).toEqual([host, undefined])
  },
)

it('a form of a site is sent to the dashboard without the cookie, and is refused', async () => {
  await page.goto(hostile)
  const answered = page.waitForResponse(`${origin}/api/projects`)
  await page.getByRole('button', { name: 'Win' }).click()
  expect((await answered).status()).toBe(403)
  const sent = arrivals.filter(({ target }) => target === '/api/projects')
  expect(sent).toEqual([expect.objectContaining({ cookie: undefined })])
})

it('sends no cookie of the dashboard to a site, and none of a site to the dashboard', async () => {
  await page.goto(docs)
  expect(await page.evaluate('document.cookie')).toBe('')
  await page.goto(hostile)
  for (const domain of ['localhost', 'docs.localhost']) {
    await page.evaluate(`document.cookie = 'animal-store=stolen; domain=${domain}; path=/'`)
  }
  expect(arrivals.length).toBeGreaterThan(2)
  for (const { cookie, host } of arrivals) expect([host, cookie]).toEqual([host, undefined])
  arrivals.length = 0
  // Not even when a site redirects there; only a direct visit is signed in.
  await page.evaluate(`location.href = '${origin}/'`)
  await page.waitForURL(`${origin}/`)
  expect(arrivals[0]).toEqual({ host: new URL(origin).host, target: '/', cookie: undefined })
  arrivals.length = 0
  await page.goto(`${origin}/`)
  expect(arrivals[0]?.cookie).toMatch(/^animal-store=[0-9A-Za-z]{43}$/)
})

it('neither the dashboard nor another site can be framed', async () => {
  for (const path of ['/', '/set-up', '/api/session', '/api/openapi.json', '/api/nothing']) {
    const response = await page.request.get(origin + path)
    const { 'content-security-policy': policy, 'x-frame-options': frames } = response.headers()
    expect([path, frames, policy]).toEqual([
      path,
      'DENY',
      expect.stringContaining("frame-ancestors 'none'"),
    ])
  }
  await page.goto(`${hostile}/frames?${origin}/&${origin}/api/session&${docs}/&${hostile}/`)
  const frames = page.frames().slice(1)
  expect(frames).toHaveLength(4)
  const shown = await Promise.all(frames.map((frame) => frame.evaluate('location.href')))
  const refusal = 'chrome-error://chromewebdata/'
  expect(shown).toEqual([refusal, refusal, refusal, `${hostile}/`])
})

it("a site's script runs, and reaches only its own site", async () => {
  await page.goto(docs)
  await page.getByRole('button', { name: 'Dark theme' }).click()
  await page.goto(hostile)
  expect(await page.title()).toBe('the script ran')
  expect(await page.evaluate('localStorage.length')).toBe(0)
  await page.evaluate('localStorage.setItem("theme", "stolen")')
  for (const address of [`${origin}/`, `${docs}/`]) {
    const [opened] = await Promise.all([
      page.context().waitForEvent('page'),
      page.evaluate(`globalThis.opened = open(${JSON.stringify(address)})`),
    ])
    await opened.waitForLoadState()
    // Cross-Origin-Opener-Policy: neither window can access the other.
    expect(await opened.evaluate('opener')).toBe(null)
    await expect.poll(() => page.evaluate('opened.closed')).toBe(true)
  }
  const others = await visitor.openTab()
  await others.goto(docs)
  expect(await others.evaluate('localStorage.getItem("theme")')).toBe('dark')
})

const addressOf = (slug: string) => hostile.replace('hostile.', `${slug}.`)

it('cookies of a neighbour are deleted by the 431, and the next request passes', async () => {
  const { operator } = dashboard
  const { platformHost } = dashboard.store.running.config
  const run = `for (let i = 0; i < 12; i++)
    document.cookie = 'c' + i + '=' + 'x'.repeat(4000) + '; domain=${platformHost}; path=/'`
  await operator.publish('victim', {
    'index.html': '<!doctype html><title>Still here</title>',
  })
  await operator.publish('neighbour', { 'index.html': scripted, 'run.js': run })
  await page.goto(addressOf('neighbour'))
  expect(await page.evaluate('document.cookie.length')).toBeGreaterThan(40_000)
  const statuses: (number | undefined)[] = []
  for (let visit = 0; visit < 2; visit++)
    statuses.push((await page.goto(addressOf('victim')))?.status())
  expect(statuses).toEqual([431, 200])
  expect(await page.title()).toBe('Still here')
})

it('a service worker of the earlier site, which answers every request, is removed', async () => {
  const address = addressOf('taken')
  const { operator } = dashboard
  const worker = `addEventListener('install', () => skipWaiting())
    addEventListener('activate', (event) => event.waitUntil(clients.claim()))
    addEventListener('fetch', (event) => event.respondWith(
      new Response('<!doctype html><title>Earlier site</title>', { headers: { 'Content-Type': 'text/html' } })))`
  await operator.create('taken')
  const run = "navigator.serviceWorker.register('/worker.js')"
  await operator.deployFolder('taken', {
    ...{ 'index.html': scripted, 'run.js': run, 'worker.js': worker },
  })
  await page.goto(address)
  await page.waitForFunction('navigator.serviceWorker.controller !== null')
  await page.goto(address)
  expect(await page.title()).toBe('Earlier site')

  await operator.delete('/projects/taken?name=taken')
  await operator.publish('taken', { 'index.html': '<!doctype html><title>New site</title>' })
  // The worker still answers. When it is idle the browser looks for a new version of it, and clears; a page that loads
  // again and again keeps it busy, so that it is told to look.
  const update = 'navigator.serviceWorker.getRegistration().then((found) => found?.update())'
  const look = async () => {
    await page.goto(address)
    await page.evaluate(update).catch(() => {})
    return await page.title()
  }
  expect(await eventually(look, (title) => title === 'New site')).toBe('New site')
  const left = 'navigator.serviceWorker.getRegistrations().then(({ length }) => length)'
  expect(await page.evaluate(left)).toBe(0)
})

const scripted = '<!doctype html><script src="/run.js"></script>'

function hostileSite(): Record<string, string> {
  const form = `<form method="post" enctype="text/plain" action="${origin}/api/projects">
    <input type="hidden" name='{"name":"' value='"}'><button>Win</button></form>`
  return {
    'index.html': `<!doctype html><title>no script ran</title><script src="/run.js"></script>${form}`,
    'run.js': "document.title = 'the script ran'",
    'frames.html': `<!doctype html><title>Frames</title><body><script>
      for (const address of location.search.slice(1).split('&'))
        document.body.append(Object.assign(document.createElement('iframe'), { src: address }))
    </script>`,
  }
}
