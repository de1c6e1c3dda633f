// A site has installed a service worker that answers every request. The next site at its address gets rid of it.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from '../eventually.ts'
import { type PublishingInTest, startPublishing } from '../publishing/publishing-in-test.ts'
import { type Chromium, launchChromium } from './chromium.ts'

let browser: Chromium
let publishing: PublishingInTest
beforeAll(async () => {
  ;[publishing, browser] = await Promise.all([startPublishing('sqlite'), launchChromium()])
})
afterAll(async () => {
  await Promise.all([browser?.close(), publishing?.release()])
})

it('a service worker of the earlier site is removed', async () => {
  const { config } = publishing.store.running
  const address = `http://taken.${config.platformHost}:${config.httpPort}/`
  const { operator } = publishing
  const worker = `addEventListener('install', () => skipWaiting())
    addEventListener('activate', (event) => event.waitUntil(clients.claim()))
    addEventListener('fetch', (event) => event.respondWith(
      new Response('<!doctype html><title>Earlier site</title>', { headers: { 'Content-Type': 'text/html' } })))`
  await operator.create('taken')
  await operator.deployFolder('taken', {
    'index.html': '<!doctype html><script src="/run.js"></script>',
    'run.js': "navigator.serviceWorker.register('/worker.js')",
    'worker.js': worker,
  })
  const { page } = await browser.visitor()
  await page.goto(address)
  await page.waitForFunction('navigator.serviceWorker.controller !== null')
  await page.goto(address)
  expect(await page.title()).toBe('Earlier site')

  await operator.ask('/projects/taken?name=taken', { method: 'DELETE' })
  await operator.create('taken')
  await operator.deployFolder('taken', { 'index.html': '<!doctype html><title>New site</title>' })
  // The worker still answers. When it is idle the browser looks for a new version of it, and clears; a page that loads
  // again and again keeps it busy, so that it is told to look.
  const update = 'navigator.serviceWorker.getRegistration().then((found) => found?.update())'
  const title = await eventually(
    async () => {
      await page.goto(address)
      await page.evaluate(update).catch(() => {})
      return await page.title()
    },
    (found) => found === 'New site',
  )
  expect(title).toBe('New site')
  expect(
    await page.evaluate('navigator.serviceWorker.getRegistrations().then(({ length }) => length)'),
  ).toBe(0)
  await page.context().close()
})
