// Who sends a request to the management API: an access token (RFC 6750) or the cookie of a session.
// The database is asked each time: what was revoked or ended is refused from the next request on.
import { AppError } from '../errors.ts'
import type { ApiRequest } from '../http/request/request-head.ts'
import type { Caller } from '../management/caller.ts'
import { findToken, recordUse } from './access-tokens.ts'
import type { AccountContext } from './account-context.ts'
import { sessionCookie } from './session-cookie.ts'
import { findSession, recordSeen } from './sessions.ts'

type AuthenticatorContext = Pick<AccountContext, 'clock' | 'dashboardUrl' | 'database'>

/**
 * Gives the caller, or undefined where the request says nobody, or by a cookie that is not valid any
 * more. An Authorization field wins over the cookie, and throws `invalid_token` for what is no valid
 * token: it never falls back to the cookie, since such requests are not held to be cross-site.
 */
export function createAccountAuthenticator(context: AuthenticatorContext) {
  const { clock, dashboardUrl, database } = context
  const cookie = sessionCookie(dashboardUrl)

  async function byToken(text: string | undefined): Promise<Caller> {
    const found = text === undefined ? undefined : await findToken(database.read, text)
    if (!found) throw invalidToken('This access token is not known. Check that it is complete.')
    const { account, token } = found
    const now = clock()
    if (token.expiresAt <= now) throw invalidToken('This access token has expired. Make another.')
    // That it was used is for people to see; it must not fail for it.
    await recordUse(database, token, now).catch(() => {})
    return { account, by: { kind: 'token', id: token.id, scopes: new Set(token.scopes) } }
  }

  async function byCookie(text: string): Promise<Caller | undefined> {
    const now = clock()
    const found = await findSession(database.read, text, now)
    if (!found) return undefined
    await recordSeen(database, found.session, now).catch(() => {})
    return { account: found.account, by: { kind: 'session', id: found.session.id } }
  }

  return async ({ head, headers }: ApiRequest): Promise<Caller | undefined> => {
    const { authorization, authorizations } = head
    if (authorizations > 1) throw invalidToken('Send one Authorization field, not several.')
    if (authorization !== undefined)
      return await byToken(/^bearer +([\w.~+/-]+=*) *$/i.exec(authorization)?.[1])
    const token = cookie.read(headers.cookie)
    return token === undefined ? undefined : await byCookie(token)
  }
}

function invalidToken(message: string): AppError {
  return new AppError('invalid_token', message, {
    headers: {
      'WWW-Authenticate': 'Bearer realm="animal-store management", error="invalid_token"',
    },
  })
}
