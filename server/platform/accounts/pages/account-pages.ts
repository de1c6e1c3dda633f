// The pages that a person opens before the dashboard: the set-up link, invitations, password links, signing
// in. Static files; all they know they ask the management API.
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import type { Handler } from '../../http/listener/intake.ts'
import type { ApiRequest } from '../../http/request/request-head.ts'
import { type ReadyAnswer, readyAnswer, sendReady } from '../../http/response/ready-response.ts'
import { sendError, sendOnce } from '../../http/response/send-response.ts'
import type { Metrics } from '../../metrics.ts'

const addresses = ['/sign-in', '/set-up', '/invitation', '/password']
const assetPrefix = '/account-pages/'
const mediaTypes = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
} as const
const assets = [
  'api.js',
  'copying.js',
  'elements.js',
  'field.js',
  'form.js',
  'icon.svg',
  'link-views.js',
  'next-address.js',
  'page.css',
  'page.js',
  'session.js',
  'sign-in-view.js',
  'times.js',
]
const allowed = 'GET, HEAD, OPTIONS'

/** Nothing of others is loaded, nothing is sent elsewhere, and nobody frames what takes passwords. */
const guards = [
  'Content-Security-Policy',
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Frame-Options',
  'DENY',
  'Referrer-Policy',
  'no-referrer',
  'Cross-Origin-Opener-Policy',
  'same-origin',
  'Cross-Origin-Resource-Policy',
  'same-origin',
]

/** The handlers by path, for the dashboard's host alone. Reads the files now. */
export function accountPages(metrics: Metrics): Map<string, Handler> {
  const page = readyAnswer(read('page.html'), mediaTypes.html, guards)
  const answers = new Map<string, ReadyAnswer>(addresses.map((path) => [path, page]))
  for (const name of assets) {
    const type = mediaTypes[name.split('.')[1] as keyof typeof mediaTypes]
    answers.set(assetPrefix + name, readyAnswer(read(name), type, guards))
  }
  return new Map([...answers].map(([path, answer]) => [path, handlerOf(answer, metrics)]))
}

function handlerOf(ready: ReadyAnswer, metrics: Metrics): Handler {
  return (request, response) => {
    request.environment = 'management'
    request.operation = 'page'
    answer(request, response, ready)
    const { environment, operation, startedAt } = request
    const labels = { environment, operation, status: response.statusCode }
    metrics.observeRequest(labels, (performance.now() - startedAt) / 1000)
  }
}

function answer(request: ApiRequest, response: ServerResponse, ready: ReadyAnswer): void {
  const { method } = request
  if (method === 'GET' || method === 'HEAD') {
    sendReady(request, response, ready)
  } else if (method === 'OPTIONS') {
    sendOnce(request, response, 204, ['Allow', allowed], undefined)
  } else {
    const message = `${method} is not possible here; ${allowed} are.`
    const headers = { Allow: allowed }
    sendError(request, response, new AppError('method_not_allowed', message, { headers }))
  }
}

function read(name: string): string {
  return readFileSync(join(import.meta.dirname, name), 'utf8')
}
