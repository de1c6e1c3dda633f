// The page that asks for the password of a site or a preview. Its form is sent to the address that was asked for, so that
// the visitor gets there.
import type { ServerResponse } from 'node:http'
import type { ApiRequest } from '#kit/http/request/request-head.ts'
import { sendAccessPage, tokenChallenge } from './access-page.ts'

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

const title = 'Password required'

/** Sends the page, or JSON to programs. Returns the status. */
export function sendPasswordPage(
  request: ApiRequest,
  response: ServerResponse,
  of: 'site' | 'preview',
  problem?: PasswordProblem,
): number {
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
