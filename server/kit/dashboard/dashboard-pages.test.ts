// The pages and assets of the dashboard, with their security headers.
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { listen } from '../http/listener/intake.ts'
import { createMetrics } from '../metrics.ts'
import { dashboardPages } from './dashboard-pages.ts'

const metrics = createMetrics()
const folder = mkdtempSync(join(tmpdir(), 'dashboard-pages-'))
mkdirSync(join(folder, 'assets'))
for (const [name, content] of Object.entries({
  'index.html': 'dashboard <meta nonce="%NONCE%">',
  'sign-in.html': 'sign-in <meta nonce="%NONCE%">',
  'assets/main.js': 'console.log(1)\n'.repeat(100),
  'assets/main.js.br': 'compressed',
  'assets/main.css': 'a { color: red }',
  'assets/icon.svg': '<svg/>',
  'assets/font.woff2': 'wOF2',
  'assets/notes.txt': 'not sent',
}))
  writeFileSync(join(folder, name), content)
const pages = dashboardPages({ metrics, folder })
const listener = await listen(0, '127.0.0.1', metrics)
listener.serve((_, target) => pages.handlerAt(target.split('?')[0] ?? ''))
afterAll(async () => {
  await listener.stop()
  rmSync(folder, { recursive: true })
})

async function ask(path: string, method = 'GET', headers: Record<string, string> = {}) {
  const { port } = listener
  const options = { host: '127.0.0.1', port, path, method, headers, agent: false }
  const [response] = (await once(request(options).end(), 'response')) as [IncomingMessage]
  const text = (await response.toArray()).join('')
  return { status: response.statusCode, headers: response.headers, text }
}

describe('the pages', () => {
  it('serve the dashboard at its addresses, and the sign-in page at the addresses before sign-in', async () => {
    for (const path of ['/', '/projects', '/projects/x/settings', '/store/staging/animals']) {
      expect((await ask(path)).text, path).toMatch(/^dashboard /)
    }
    for (const path of ['/sign-in', '/set-up', '/invitation', '/password', '/password?x=1']) {
      const { headers, text } = await ask(path)
      expect(text, path).toMatch(/^sign-in /)
      expect(headers['content-type']).toBe('text/html; charset=utf-8')
    }
    for (const path of ['/projectsx', '/sign-in/x', '/api', '/assets/notes.txt', '/assets/../x']) {
      expect(pages.handlerAt(path), path).toBeUndefined()
    }
  })

  it('load nothing from other origins, and cannot be framed', async () => {
    for (const path of ['/', '/sign-in', '/set-up', '/invitation', '/password']) {
      const { headers, text } = await ask(path)
      const [, nonce = ''] = /nonce="(.+)"/.exec(text) ?? []
      expect(nonce).toMatch(/^[\w+/]{22}==$/)
      expect(headers).toMatchObject({
        'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; connect-src 'self'; img-src 'self'; font-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'no-store',
      })
      expect((await ask(path)).text).not.toContain(nonce)
    }
  })

  it('allow GET, HEAD and OPTIONS only', async () => {
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

  it('report that the dashboard is not built', async () => {
    const empty = dashboardPages({ metrics, folder: join(folder, 'nothing') })
    listener.serve((_, target) => empty.handlerAt(target))
    const { status, text } = await ask('/sign-in')
    listener.serve((_, target) => pages.handlerAt(target.split('?')[0] ?? ''))
    expect([status, text]).toEqual([503, expect.stringContaining('The dashboard is not built')])
  })

  it('are counted in the metrics', async () => {
    await ask('/set-up', 'POST')
    const counted = await metrics.registry.metrics()
    expect(counted).toMatch(/requests_total\{.*operation="page".*status="405".*\} \d/)
  })
})

describe('the assets', () => {
  it('have their content types and security headers', async () => {
    for (const [name, type] of [
      ['main.js', 'text/javascript; charset=utf-8'],
      ['main.css', 'text/css; charset=utf-8'],
      ['icon.svg', 'image/svg+xml'],
      ['font.woff2', 'font/woff2'],
    ]) {
      expect((await ask(`/assets/${name}`)).headers).toMatchObject({
        'content-type': type,
        'cache-control': 'public, max-age=31536000, immutable',
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        etag: expect.stringMatching(/^"/),
      })
    }
  })

  it('are not sent again when unchanged, and are compressed when the client accepts it', async () => {
    const { headers } = await ask('/assets/main.js', 'GET', { 'accept-encoding': 'br' })
    expect(headers).toMatchObject({
      'content-encoding': 'br',
      vary: expect.stringMatching(/accept-encoding/i),
    })
    const gzip = { 'accept-encoding': 'gzip' }
    expect((await ask('/assets/main.js', 'GET', gzip)).headers['content-encoding']).toBe('gzip')
    expect((await ask('/assets/font.woff2', 'GET', gzip)).headers['content-encoding']).toBe(
      undefined,
    )
    const again = await ask('/assets/main.js', 'GET', {
      'accept-encoding': 'br',
      'if-none-match': headers.etag ?? '',
    })
    expect(again).toMatchObject({ status: 304, text: '' })
  })
})
