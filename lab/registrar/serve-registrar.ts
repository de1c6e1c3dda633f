// The registrar over HTTP: pages and API. Requests from pages of other origins or with other host names are refused.
import { readdir, readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { listen } from '../web/web-servers.ts'
import { type Body, createRoutes, type RegistrarContext } from './api.ts'
import { RegistrarError } from './edited-record.ts'

const types: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}
const folder = join(import.meta.dirname, 'pages')
const headers = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
}
const maxBytes = 100_000

/** Port 0 takes a free one. */
export async function serveRegistrar(
  { address, port }: { address: string; port: number },
  context: RegistrarContext,
): Promise<{ port: number; close(): Promise<void> }> {
  const routes = Object.entries(createRoutes(context)).map(([route, handler]) => ({
    form: new RegExp(`^${route.replaceAll('*', '([^/]+)')}$`),
    handler,
  }))
  const files = await readdir(folder)

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://registrar')
    checkOrigin(request)
    // Consent pages are at the addresses that platforms make.
    const isPage = pathname === '/' || pathname.startsWith('/connect/')
    const file = isPage ? 'page.html' : pathname.slice(1)
    if (request.method === 'GET' && files.includes(file)) {
      const type = types[file.split('.').at(-1) ?? '']
      response.writeHead(200, { ...headers, 'Content-Type': type })
      response.end(await readFile(join(folder, file)))
      return
    }
    const requestLine = `${request.method} ${pathname}`
    const route = routes.find(({ form }) => form.test(requestLine))
    if (!route) throw new RegistrarError(404, 'route_not_found', `There is no ${requestLine}.`)
    const parts = (route.form.exec(requestLine) ?? []).slice(1).map(decodeURIComponent)
    const result = await route.handler(parts, await readBody(request))
    send(response, result === undefined ? 204 : 200, result)
  }

  return await listen(address, port, (request, response) => {
    handle(request, response).catch((error: unknown) => {
      const isKnown = error instanceof RegistrarError
      if (!isKnown) process.stderr.write(`registrar: ${String(error)}\n`)
      const { code, field, message, status } = isKnown
        ? error
        : new RegistrarError(500, 'internal_error', 'Internal error.')
      const details = field ? { details: [{ path: field, message }] } : {}
      send(response, status, { code, message, status, ...details })
    })
  })
}

function send(response: ServerResponse, status: number, body: unknown): void {
  if (body === undefined) response.writeHead(status, headers).end()
  else {
    response.writeHead(status, { ...headers, 'Content-Type': 'application/json' })
    response.end(JSON.stringify(body))
  }
}

function checkOrigin({ headers: sent, method }: IncomingMessage): void {
  const host = (sent.host ?? '').replace(/:\d+$/, '')
  const isOwnHost = host === 'localhost' || /^127\.\d+\.\d+\.\d+$/.test(host)
  const isOwnOrigin = sent.origin === undefined || sent.origin === `http://${sent.host}`
  if (isOwnHost && (method === 'GET' || isOwnOrigin)) return
  throw new RegistrarError(
    403,
    'forbidden',
    'Requests are accepted from this machine and its own pages only.',
  )
}

async function readBody(request: IncomingMessage): Promise<Body> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > maxBytes) throw new RegistrarError(413, 'body_too_large', 'The body is too large.')
    parts.push(part)
  }
  if (bytes === 0) return {}
  try {
    const body: unknown = JSON.parse(Buffer.concat(parts).toString('utf8'))
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Body
  } catch {}
  throw new RegistrarError(400, 'invalid_body', 'The body must be a JSON object.')
}
