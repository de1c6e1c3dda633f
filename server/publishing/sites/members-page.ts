// The page of a site that only members may see. Its form is sent to the address that was asked for, which leads to the
// dashboard and back.
import type { ServerResponse } from 'node:http'
import type { ApiRequest } from '#kit/http/request/request-head.ts'
import { sendAccessPage, tokenChallenge } from './access-page.ts'

const title = 'Members only'

/** `hasFailed`: the visitor came back with a code that does not work. Sends JSON to programs. Returns the status. */
export function sendMembersPage(
  request: ApiRequest,
  response: ServerResponse,
  dashboardUrl: URL,
  hasFailed: boolean,
): number {
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
