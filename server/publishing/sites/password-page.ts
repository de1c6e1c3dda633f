// The page that asks for the password of a preview. Its form is sent to the address that was asked for, so that the
// visitor gets there.
import type { ServerResponse } from 'node:http'
import { AppError } from '../../platform/errors.ts'
import type { ApiRequest } from '../../platform/http/request/request-head.ts'
import { sendError } from '../../platform/http/response/send-response.ts'
import { plainPage, plainPagePolicy } from './plain-page.ts'
import { commonHeaders } from './response-headers.ts'
import { prefersJson } from './site-error.ts'

export interface PasswordProblem {
  kind: 'missing' | 'wrong' | 'limited'
  headers?: Record<string, string>
}

const problems = {
  missing: { status: 400, text: 'Enter the password.' },
  wrong: { status: 401, text: 'Incorrect password. Try again.' },
  limited: { status: 429, text: 'Too many attempts. Wait a few minutes, then try again.' },
} as const

const title = 'Password required'
const policy = plainPagePolicy("'self'")

/** Sends the page, or JSON to programs. Returns the status. */
export function sendPasswordPage(
  request: ApiRequest,
  response: ServerResponse,
  problem?: PasswordProblem,
): number {
  const shown = problem && problems[problem.kind]
  const status = shown?.status ?? 401
  if (prefersJson(request.head.accept)) {
    const message = shown?.text ?? 'This preview has a password. Open its address in a browser.'
    const options = { headers: { ...problem?.headers, Vary: 'Accept' } }
    const isLimited = problem?.kind === 'limited'
    const error = isLimited
      ? new AppError('rate_limited', message, options)
      : new AppError('not_signed_in', message, options)
    sendError(request, response, error)
    return error.status
  }
  const page = passwordPage(shown?.text)
  response.writeHead(status, [
    ...['Content-Type', 'text/html; charset=utf-8', 'Cache-Control', 'no-store'],
    ...['Vary', 'Accept', 'Content-Length', `${page.length}`],
    ...Object.entries(problem?.headers ?? {}).flat(),
    ...['Content-Security-Policy', policy, ...commonHeaders],
    ...['X-Request-Id', request.head.requestId],
  ])
  response.end(request.method === 'HEAD' ? undefined : page)
  return status
}

/** In ASCII. */
function passwordPage(problem: string | undefined): string {
  const state = problem === undefined ? '' : ' aria-invalid="true" aria-describedby="problem"'
  const note = problem === undefined ? '' : `<p class="problem" id="problem">${problem}</p>\n`
  return plainPage(
    problem === undefined ? title : `${problem} - ${title}`,
    `<h1>${title}</h1>
<p>This preview has a password. Enter the one that you got with the link.</p>
<form method="post">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="256" autofocus${state}>
${note}<button type="submit">View preview</button>
</form>
`,
  )
}
