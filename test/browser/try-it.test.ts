// Try it in the API reference: the first project against the store's own staging API, and sites of members against
// servers that are silent, forbid it, or redirect. Keys are never stored.

import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isLong } from '../cases.ts'
import { archiveOf } from '../publishing/archive-of.ts'
import {
  type Person,
  type PublishingInTest,
  startPublishing,
} from '../publishing/publishing-in-test.ts'
import { findAccessibilityProblems } from './axe.ts'
import { type Chromium, desktop, launchChromium, phone } from './chromium.ts'
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

it('asks once before a change, and explains a wrong key, on a phone', async () => {
  const { complaints, page } = await browser.visitor({ ...phone, colorScheme: 'light' })
  const { askStaging, keys } = docs.store
  const animals = async () =>
    Number(
      (await askStaging('/pets', { headers: { prefer: 'count=exact' } })).headers['x-total-count'],
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
  await expect.poll(() => state(page).innerText()).toContain('The server did not accept the key.')
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
