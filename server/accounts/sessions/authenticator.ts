// Authenticates requests to the management API by access token (RFC 6750) or session cookie. Reads the database for each
// request, so that revoked tokens and ended sessions are refused immediately.

import { type Caller, siteScope } from '#kit/caller.ts'
import { AppError } from '#kit/errors.ts'
import { type ApiRequest, readBearer } from '#kit/http/request/request-head.ts'
import type { AccountContext } from '../people/account-context.ts'
import type { SignInMethod } from '../people/schema.ts'
import { findToken, recordUse } from './access-tokens.ts'
import { findSession, recordSeen, sessionCookie } from './sessions.ts'

/** The ways to start a session that prove two factors, which REQUIRE_SECOND_FACTOR may ask for. */
const strongMethods: ReadonlySet<SignInMethod> = new Set<SignInMethod>([
  'password_code',
  'password_recovery_code',
  'passkey',
  'provider_mfa',
  'provider_code',
  'provider_recovery_code',
])

type AuthenticatorContext = Pick<
  AccountContext,
  'clock' | 'dashboardUrl' | 'database' | 'secondFactor'
>

/**
 * Returns the caller, or undefined without credentials or with a cookie that is no longer valid. An
 * Authorization header takes precedence over the cookie and throws `invalid_token` if the token is not
 * valid. It never falls back to the cookie, because such requests skip the cross-site check.
 */
export function createAccountAuthenticator(context: AuthenticatorContext) {
  const { clock, dashboardUrl, database, secondFactor } = context
  const cookie = sessionCookie(dashboardUrl)

  async function byToken(text: string | undefined): Promise<Caller> {
    const stored = text === undefined ? undefined : await findToken(database.read, text)
    if (!stored) throw invalidToken('Unknown access token. Check that it is complete.')
    const { account, token } = stored
    if (token.scopes.includes(siteScope))
      throw invalidToken('This is a site token. It works at the site of its project only.')
    const now = clock()
    if (token.expiresAt <= now)
      throw invalidToken('This access token has expired. Create a new one.')
    // The time of last use is only informative: the request must not fail if it cannot be saved.
    await recordUse(database, token, now).catch(() => {})
    const { id, projectId, scopes } = token
    return { account, by: { kind: 'token', id, scopes: new Set(scopes), projectId } }
  }

  /** Another site's cookie of the same name does not sign out; sessions of two accounts are ambiguous, and count as none. */
  async function byCookies(tokens: string[]): Promise<Caller | undefined> {
    const now = clock()
    const sessions = []
    for (const token of tokens) {
      const session = await findSession(database.read, token, now)
      if (session) sessions.push(session)
    }
    const [found, ...more] = sessions
    if (!found || more.some(({ account }) => account.id !== found.account.id)) return undefined
    await recordSeen(database, found.session, now).catch(() => {})
    const { account, session } = found
    const isRequired =
      secondFactor === 'all' || (secondFactor === 'operators' && account.role === 'operator')
    const isRestricted = isRequired && !strongMethods.has(session.signedInBy)
    return { account, by: { kind: 'session', id: session.id, isRestricted } }
  }

  return async ({ head, headers }: ApiRequest): Promise<Caller | undefined> => {
    const { authorization, authorizations } = head
    if (authorizations > 1) throw invalidToken('Send only one Authorization header.')
    if (authorization !== undefined) return await byToken(readBearer(authorization))
    return await byCookies(cookie.read(headers.cookie))
  }
}

function invalidToken(message: string): AppError {
  return new AppError('invalid_token', message, {
    headers: {
      'WWW-Authenticate': 'Bearer realm="animal-store management", error="invalid_token"',
    },
  })
}
