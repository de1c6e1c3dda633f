// The pages that ask visitors of a site to show that they may see it: for a password, or for an account. Their forms are
// sent to the address that was asked for, so that the visitor gets there, by way of the dashboard with an account.
// Programs get JSON.

import type { ServerResponse } from 'node:http'
import { AppError } from '#kit/errors.ts'
import type { ApiRequest } from '#kit/http/request/request-head.ts'
import { sendError } from '#kit/http/response/send-response.ts'
import { type PlainPage, prefersJson, sendPage } from './site-error.ts'

/** Of sites, which site tokens open (RFC 6750, section 3). */
const tokenChallenge = { 'WWW-Authenticate': 'Bearer realm="site"' }

export interface PasswordProblem {
  kind: 'missing' | 'wrong' | 'limited'
  headers?: Record<string, string>
}

const problems = {
  missing: { status: 400, text: 'Enter the password.' },
  wrong: { status: 401, text: 'Incorrect password. Try again.' },
  limited: { status: 429, text: 'Too many attempts. Wait a few minutes, then try again.' },
} as const

const leads = {
  site: 'This site has a password. Enter the one that its owner gave you.',
  preview: 'This preview has a password. Enter the one that you got with the link.',
}

/** Sends the page, or JSON to programs. Returns the status. */
export function sendPasswordPage(
  request: ApiRequest,
  response: ServerResponse,
  of: 'site' | 'preview',
  problem?: PasswordProblem,
): number {
  const title = 'Password required'
  const shown = problem && problems[problem.kind]
  const text = shown?.text
  const state = text === undefined ? '' : ' aria-invalid="true" aria-describedby="problem"'
  const note = text === undefined ? '' : `<p class="problem" id="problem">${text}</p>\n`
  return sendAccessPage(request, response, {
    status: shown?.status ?? 401,
    title: text === undefined ? title : `${text} - ${title}`,
    message:
      text ??
      `This ${of} has a password. Open its address in a browser${of === 'site' ? ', or send a site token' : ''}.`,
    formAction: "'self'",
    headers: { ...(of === 'site' && tokenChallenge), ...problem?.headers },
    body: `<h1>${title}</h1>
<p>${leads[of]}</p>
<form method="post">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="256" autofocus${state}>
${note}<button type="submit">View ${of}</button>
</form>
`,
  })
}

/** `hasFailed`: the visitor came back with a code that does not work. Sends JSON to programs. Returns the status. */
export function sendMembersPage(
  request: ApiRequest,
  response: ServerResponse,
  dashboardUrl: URL,
  hasFailed: boolean,
): number {
  const title = 'Members only'
  const problem =
    'This sign-in cannot be continued. It was already used, took too long, or was started in another browser. Try again.'
  const action = hasFailed ? ' action="/"' : ''
  return sendAccessPage(request, response, {
    status: 401,
    title: hasFailed ? `Try again - ${title}` : title,
    message: hasFailed
      ? problem
      : 'This site is for members of its project. Open its address in a browser, or send a site token.',
    // Browsers check where the form leads, too.
    formAction: `'self' ${dashboardUrl.origin}`,
    headers: tokenChallenge,
    body: `<h1>${title}</h1>
<p>${hasFailed ? problem : 'This site is for members of its project. Continue with your account to see it.'}</p>
<form method="post"${action}>
<button type="submit" autofocus>Continue with your account</button>
</form>
`,
  })
}

interface AccessPage extends PlainPage {
  /** For programs; plain ASCII. */
  message: string
  headers?: Record<string, string>
}

/** Returns the status. */
function sendAccessPage(
  request: ApiRequest,
  response: ServerResponse,
  { headers: own = {}, message, ...page }: AccessPage,
): number {
  const headers = { Vary: 'Accept', ...own }
  if (!prefersJson(request.head.accept)) return sendPage(request, response, page, headers)
  const error =
    page.status === 429
      ? new AppError('rate_limited', message, { headers })
      : new AppError('not_signed_in', message, { headers })
  sendError(request, response, error)
  return error.status
}
