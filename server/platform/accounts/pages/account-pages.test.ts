// The files of the account pages as they are sent: all of them, with the fields that guard them.
import { readdirSync } from 'node:fs'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Listener, listen } from '../../http/listener/listener.ts'
import { createMetrics } from '../../metrics.ts'
import { accountPages } from './account-pages.ts'

const metrics = createMetrics()
const pages = accountPages(metrics)

let listener: Listener
beforeAll(async () => {
  listener = await listen(0, '127.0.0.1', metrics)
  listener.serve((_, target) => pages.get(target.split('?')[0] ?? ''))
})
afterAll(() => listener.stop())

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

function ask(path: string, method = 'GET', headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { port } = listener
    const options = { host: '127.0.0.1', port, path, method, headers, agent: false }
    const request = httpRequest(options, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part) => {
        text += part
      })
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
      })
    })
    request.on('error', reject).end()
  })
}

describe('the account pages', () => {
  it('are the same page at each of their addresses', async () => {
    const answers = await Promise.all(
      ['/sign-in', '/set-up', '/invitation', '/password', '/password?x=1'].map((path) => ask(path)),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(answers[0]?.headers['content-type']).toBe('text/html; charset=utf-8')
  })

  it('let nothing of others in, and are framed by nobody', async () => {
    for (const path of pages.keys()) {
      expect((await ask(path)).headers).toMatchObject({
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': expect.stringMatching(/\bno-cache\b/),
        etag: expect.stringMatching(/^"/),
      })
    }
  })

  it('have no script or style in the markup, which the policy would refuse', async () => {
    const { text } = await ask('/sign-in')
    expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/i)
  })

  it('send every file of the folder that a browser needs, and no other', async () => {
    const files = readdirSync(import.meta.dirname).filter((name) => /\.(js|css|svg)$/.test(name))
    const sent = [...pages.keys()].filter((path) => path.startsWith('/account-pages/'))
    expect(sent.sort()).toEqual(files.map((name) => `/account-pages/${name}`).sort())
    const types = await Promise.all(
      ['page.js', 'page.css', 'icon.svg'].map(
        async (name) => (await ask(`/account-pages/${name}`)).headers['content-type'],
      ),
    )
    expect(types).toEqual([
      'text/javascript; charset=utf-8',
      'text/css; charset=utf-8',
      'image/svg+xml',
    ])
  })

  it('are not sent again to who has them, and compressed to who can read that', async () => {
    const { headers } = await ask('/account-pages/page.css', 'GET', { 'accept-encoding': 'br' })
    expect(headers['content-encoding']).toBe('br')
    const again = await ask('/account-pages/page.css', 'GET', {
      'accept-encoding': 'br',
      'if-none-match': headers.etag ?? '',
    })
    expect(again).toMatchObject({ status: 304, text: '' })
    expect(again.headers['content-security-policy']).toBeDefined()
  })

  it('can be got and nothing else', async () => {
    const { headers } = await ask('/sign-in')
    expect(await ask('/sign-in', 'HEAD')).toMatchObject({
      status: 200,
      text: '',
      headers: { 'content-length': headers['content-length'] },
    })
    expect(await ask('/sign-in', 'OPTIONS')).toMatchObject({
      status: 204,
      headers: { allow: 'GET, HEAD, OPTIONS' },
    })
    const refused = await ask('/set-up', 'POST')
    expect(refused).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD, OPTIONS' } })
    expect(JSON.parse(refused.text)).toMatchObject({ code: 'method_not_allowed' })
  })

  it('are counted', async () => {
    const counted = await metrics.registry.metrics()
    expect(counted).toMatch(/requests_total\{.*operation="page".*status="304".*\} 1/)
  })
})
