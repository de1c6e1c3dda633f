// The dashboard as a browser loads it: one page for all of its addresses, a small one for sign-in and one-time
// links, and their assets, each read at its first request. `npm start` builds them before (../../../dashboard).
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { Handler } from '../http/listener/intake.ts'
import type { ApiRequest } from '../http/request/request-head.ts'
import { type ReadyResponse, readyResponse, sendReady } from '../http/response/ready-response.ts'
import { isRead, sendOnce } from '../http/response/send-response.ts'
import type { Metrics } from '../metrics.ts'

/** Where `npm start` builds to. */
const builtFolder = join(import.meta.dirname, '../../../dashboard/dist')

const assetPrefix = '/assets/'
/** The dashboard routes these addresses, and all below them. */
const addresses = [
  ...['/projects', '/store', '/account', '/audit-log', '/members', '/system'],
  ...['/connect', '/site-access'],
]
const signInAddresses = new Set([
  '/sign-in',
  '/sign-in/callback',
  '/set-up',
  '/invitation',
  '/password',
  '/confirm-email',
])
const mediaTypes: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
}
const immutable = 'public, max-age=31536000, immutable'

const guards = [
  ...['X-Frame-Options', 'DENY', 'Referrer-Policy', 'no-referrer'],
  ...['Cross-Origin-Opener-Policy', 'same-origin', 'Cross-Origin-Resource-Policy', 'same-origin'],
]
const missing =
  '<!doctype html><html lang="en"><title>Animal Store</title><h1>The dashboard is not built</h1><p>Start the program with npm start, which builds it.</p></html>'

export type DashboardPages = ReturnType<typeof dashboardPages>

interface Options {
  metrics: Pick<Metrics, 'observeRequest'>
  folder?: string
}

export function dashboardPages({ folder = builtFolder, metrics }: Options) {
  const page = pageHandler(join(folder, 'index.html'))
  const signInPage = pageHandler(join(folder, 'sign-in.html'))
  const handlers = new Map<string, Handler>()
  for (const name of namesOfAssets(join(folder, 'assets'))) {
    let asset: ReadyResponse | undefined
    const send = counted(metrics, (request, response) => {
      if (!isRead(request, response)) return
      asset ??= readAsset(join(folder, 'assets', name))
      sendReady(request, response, asset)
    })
    handlers.set(assetPrefix + name, send)
  }
  return {
    /** The handler of a path of the dashboard's host; undefined for a path that is not the dashboard's. */
    handlerAt(path: string) {
      if (path.startsWith(assetPrefix)) return handlers.get(path)
      if (signInAddresses.has(path)) return signInPage
      const isPage = addresses.some((each) => path === each || path.startsWith(`${each}/`))
      return path === '/' || isPage ? page : undefined
    },
  }

  function pageHandler(path: string): Handler {
    const html = existsSync(path) ? readFileSync(path, 'utf8') : undefined
    const hashes = html && hashesOf(html)
    return counted(metrics, (request, response) => {
      if (!isRead(request, response)) return
      if (html === undefined) sendHtml(request, response, 503, missing, policy('', ''))
      else {
        const nonce = randomBytes(16).toString('base64')
        const shown = html.replaceAll('%NONCE%', nonce)
        sendHtml(request, response, 200, shown, policy(` 'nonce-${nonce}'`, hashes))
      }
    })
  }
}

/** Sources for the content security policy of the scripts within a built page. */
function hashesOf(html: string): string {
  return [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)]
    .map(([, script = '']) => createHash('sha256').update(script).digest('base64'))
    .map((hash) => ` 'sha256-${hash}'`)
    .join('')
}

const mediaTypeOf = (name: string): string | undefined => mediaTypes[name.split('.').at(-1) ?? '']

function namesOfAssets(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder).filter((name) => mediaTypeOf(name) !== undefined)
}

function readAsset(path: string): ReadyResponse {
  const type = mediaTypeOf(path) as string
  const bytes = readFileSync(path)
  const content = type.startsWith('font/') ? bytes : bytes.toString()
  const brotli = existsSync(`${path}.br`) ? readFileSync(`${path}.br`) : undefined
  return readyResponse(content, type, guards, immutable, brotli)
}

/** Only files of this origin and the page's own scripts are loaded, and added styles need the nonce. */
function policy(nonce: string, hashes = ''): string {
  return [
    "default-src 'none'",
    `script-src 'self'${hashes}`,
    `style-src 'self'${nonce}`,
    "connect-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function sendHtml(
  request: ApiRequest,
  response: ServerResponse,
  status: number,
  html: string,
  contentPolicy: string,
): void {
  const headers = ['Cache-Control', 'no-store', 'Content-Security-Policy', contentPolicy, ...guards]
  sendOnce(request, response, status, headers, html, 'text/html; charset=utf-8')
}

function counted(metrics: Pick<Metrics, 'observeRequest'>, handler: Handler): Handler {
  return async (request, response) => {
    request.environment = 'management'
    request.operation = 'page'
    await handler(request, response)
    const { environment, operation, startedAt } = request
    const labels = { environment, operation, status: response.statusCode }
    metrics.observeRequest(labels, (performance.now() - startedAt) / 1000)
  }
}
