// The small pages that the program shows at hosts of sites, such as those of errors: one column, both themes in the
// colours of rendered sites, no scripts, images or further requests. Programs get errors as JSON.

import { hash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import Negotiator from 'negotiator'
import { AppError, toAppError } from '#kit/errors.ts'
import type { ApiRequest } from '#kit/http/request/request-head.ts'
import { sendError } from '#kit/http/response/send-response.ts'
import type { Logger } from '#kit/log.ts'
import { isLogged } from '../objects/read-objects.ts'
import { commonHeaders } from './response-headers.ts'

interface ErrorPage {
  status: number
  /** Title, text and link are plain ASCII without markup. */
  title: string
  text: string
  link?: { to: string; text: string }
}

interface SiteError extends ErrorPage {
  /** Undefined if there is no API error code for it: then only the page is sent. */
  code?: AppError['code']
}

const homePage = { to: '/', text: 'Go to the home page' }

const siteErrors = {
  unknownSite: {
    status: 404,
    code: 'route_not_found',
    title: 'Site not found',
    text: 'Nothing is published at this address. Check the address for typing errors. The site may have been removed.',
  },
  nothingPublished: {
    status: 404,
    code: 'route_not_found',
    title: 'Nothing published yet',
    text: 'This project has no published deploy yet. Try again later.',
  },
  previewNotBuilt: {
    status: 404,
    code: 'route_not_found',
    title: 'Preview not ready yet',
    text: 'This preview has no finished build yet. Reload the page in a moment.',
  },
  notFound: {
    status: 404,
    code: 'route_not_found',
    title: 'Page not found',
    text: 'This site has no page at this address. The page may have been moved or removed.',
    link: homePage,
  },
  malformed: {
    status: 400,
    code: 'invalid_request',
    title: 'Invalid address',
    text: 'This address is not encoded correctly. Check its percent signs.',
    link: homePage,
  },
  method: {
    status: 405,
    code: 'method_not_allowed',
    title: 'Method not allowed',
    text: 'This site only supports GET, HEAD and OPTIONS requests.',
  },
  precondition: {
    status: 412,
    code: 'precondition_failed',
    title: 'Precondition failed',
    text: 'The published file has changed. Request it again without the precondition.',
  },
  range: {
    status: 416,
    title: 'Range not satisfiable',
    text: 'The file is shorter than the requested range.',
  },
  suspended: {
    status: 503,
    code: 'unavailable',
    title: 'Site suspended',
    text: 'This site is currently not available at this address. Try again later.',
  },
  unavailable: {
    status: 503,
    code: 'unavailable',
    title: 'Temporarily unavailable',
    text: 'This site is temporarily unavailable. Try again in a moment.',
  },
  internal: {
    status: 500,
    code: 'internal_error',
    title: 'Something went wrong',
    text: 'An internal error occurred. It has been logged.',
  },
} as const satisfies Record<string, SiteError>

type SiteErrorName = keyof typeof siteErrors

const style = `
:root{color-scheme:light dark;--back:#fdfcf9;--card:#fff;--line:#e5e1d6;--text:#232926;--soft:#555d58;--link:#1c6547;--field:#7f7d72;--action:#1c6547;--on-action:#fff;--bad:#b02a24}
@media (prefers-color-scheme:dark){:root{--back:#131614;--card:#1a1e1b;--line:#2c322e;--text:#dfe3dd;--soft:#a6aea8;--link:#86d3a9;--field:#7c857f;--action:#86d3a9;--on-action:#0d1a13;--bad:#f59a90}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:24px;background:var(--back);color:var(--text);font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{width:100%;max-width:480px;padding:32px;background:var(--card);border:1px solid var(--line);border-radius:12px}
.status{margin:0;color:var(--soft);font-size:14px;font-weight:600;letter-spacing:.08em}
h1{margin:4px 0 12px;font-size:26px;line-height:1.25;overflow-wrap:anywhere}
p{margin:0}
a{display:inline-block;margin-top:20px;color:var(--link);text-underline-offset:3px}
a:focus-visible,input:focus-visible,button:focus-visible{outline:2px solid var(--link);outline-offset:3px;border-radius:2px}
form{margin-top:24px}
label{display:block;margin-bottom:6px;font-size:14px;font-weight:600}
input{display:block;width:100%;min-height:44px;padding:8px 12px;background:var(--card);color:inherit;border:1px solid var(--field);border-radius:8px;font:inherit}
input[aria-invalid]{border-color:var(--bad)}
.problem{margin-top:6px;color:var(--bad);font-size:14px}
button{width:100%;min-height:44px;margin-top:16px;padding:8px 16px;background:var(--action);color:var(--on-action);border:0;border-radius:8px;font:inherit;font-weight:600;cursor:pointer}
input:focus-visible,button:focus-visible{border-radius:8px}
`

const styleSource = `'sha256-${hash('sha256', style, 'base64')}'`

const errorHeaders = ['Content-Security-Policy', plainPagePolicy("'none'"), ...commonHeaders]
const pageHeaders = ['Content-Type', 'text/html; charset=utf-8', 'Cache-Control', 'no-store']

/** Sends the error with additional headers. Returns the status. */
export function sendSiteError(
  request: ApiRequest,
  response: ServerResponse,
  name: SiteErrorName,
  headers: Record<string, string> = {},
): number {
  const { code, status, text, title }: SiteError = siteErrors[name]
  if (code && prefersJson(request.head.accept)) {
    // Without X-Content-Type-Options, which every JSON error already has.
    request.extraHeaders = errorHeaders.filter((_, i) => i !== 2 && i !== 3)
    const options = { headers: { ...headers, Vary: 'Accept' } }
    sendError(request, response, new AppError(code, `${title}. ${text}`, options))
    return status
  }
  const sent = code ? { ...headers, Vary: 'Accept' } : headers
  return sendPage(request, response, errorPage(siteErrors[name]), sent)
}

/** Sends JSON to programs, and a page to browsers. Returns the status. */
export function sendErrorOrPage(
  request: ApiRequest,
  response: ServerResponse,
  error: AppError,
  page: Pick<ErrorPage, 'title' | 'text' | 'link'>,
): number {
  const { accept } = request.head
  if (accept?.includes('text/html') === true && !prefersJson(accept)) {
    const shown = errorPage({ ...page, status: error.status })
    return sendPage(request, response, shown, { Vary: 'Accept' })
  }
  sendError(request, response, error)
  return error.status
}

export interface PlainPage {
  status: number
  /** Plain ASCII without markup. */
  title: string
  /** HTML in ASCII. */
  body: string
  /** Sources of the content security policy. */
  formAction: string
}

/** Returns the status. */
export function sendPage(
  request: ApiRequest,
  response: ServerResponse,
  { body, formAction, status, title }: PlainPage,
  headers: Record<string, string>,
): number {
  const page = plainPage(title, body)
  response.writeHead(status, [
    ...pageHeaders,
    ...['Content-Length', `${page.length}`, ...Object.entries(headers).flat()],
    ...['Content-Security-Policy', plainPagePolicy(formAction), ...commonHeaders],
    ...['X-Request-Id', request.head.requestId],
  ])
  response.end(request.method === 'HEAD' ? undefined : page)
  return status
}

/** Logs an error, and sends it if it is not too late. Returns the status. Never throws. */
export function sendFailure(
  request: ApiRequest,
  response: ServerResponse,
  log: Logger,
  thrown: unknown,
): number {
  const error = toAppError(thrown)
  const { requestId } = request.head
  const { cause: err = error, code } = error
  if (!isLogged(error)) log.error({ event: 'request.failed', requestId, code, err }, code)
  if (response.headersSent) {
    // Too late for an error response: the client must notice that this one is incomplete.
    response.destroy()
    return error.status
  }
  const name = error.code === 'unavailable' ? 'unavailable' : 'internal'
  try {
    return sendSiteError(request, response, name, error.headers)
  } catch (err) {
    log.error({ event: 'request.not_answered', requestId, err }, 'an error could not be answered')
    response.destroy()
    return error.status
  }
}

/** Whether the client prefers JSON to HTML. Without an Accept header it gets HTML. */
export function prefersJson(accept: string | undefined): boolean {
  if (accept === undefined || accept === '*/*') return false
  const [first] = new Negotiator({ headers: { accept } }).mediaTypes([
    'text/html',
    'application/json',
  ])
  return first === 'application/json'
}

function errorPage({ link, status, text, title }: ErrorPage): PlainPage {
  const body = `<p class="status">${status}</p>
<h1>${title}</h1>
<p>${text}</p>
${link ? `<a href="${link.to}">${link.text}</a>\n` : ''}`
  return { status, title, body, formAction: "'none'" }
}

/** Allows only its own style, the icon that browsers request from the site, and forms that lead to these sources. */
function plainPagePolicy(formAction: string): string {
  return `default-src 'none'; style-src ${styleSource}; img-src 'self'; base-uri 'none'; form-action ${formAction}; frame-ancestors 'self'`
}

/** `title` is plain text without markup; `body` is HTML. */
function plainPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
${body}</main>
</body>
</html>
`
}
