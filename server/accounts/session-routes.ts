// Routes for signing in and out, and for one-time links.
import { originOf } from '#kit/audit/record-audit.ts'
import { type Route, route } from '#kit/management/route.ts'
import type { AccountContext } from './account-context.ts'
import { findLink } from './links.ts'
import { sessionOperations } from './operations.ts'
import type { Account } from './schema.ts'
import { sessionCookie } from './session-cookie.ts'
import { endSessionNow } from './sessions.ts'
import {
  createAccount,
  linkNotValid,
  resetPassword,
  type SignedIn,
  signIn,
  visitorOf,
} from './sign-in.ts'
import { wireAccount, wireTime } from './wire.ts'

export function sessionRoutes(context: AccountContext): Route[] {
  const { clock, dashboardUrl, database } = context
  const cookie = sessionCookie(dashboardUrl)

  /** Responds with the account, and sets the cookie of its new session. */
  function admit({ account, token }: SignedIn, headers: string[]): Account {
    headers.push('Set-Cookie', cookie.write(token))
    return wireAccount(account)
  }

  return [
    route(sessionOperations.checkLink, async ({ body }) => {
      const link = await findLink(database.read, body.token, clock())
      if (!link) throw linkNotValid()
      const { email = null, expiresAt, kind } = link
      return { kind, email, expiresAt: wireTime(expiresAt) }
    }),

    route(sessionOperations.setUp, async (call) => {
      const { token, ...wanted } = call.body
      const made = await createAccount(context, 'set_up', token, wanted, visitorOf(call))
      return admit(made, call.headers)
    }),

    route(sessionOperations.acceptInvitation, async (call) => {
      const { token, ...wanted } = call.body
      const made = await createAccount(context, 'invitation', token, wanted, visitorOf(call))
      return admit(made, call.headers)
    }),

    route(sessionOperations.resetPassword, async (call) =>
      admit(await resetPassword(context, call.body, visitorOf(call)), call.headers),
    ),

    route(sessionOperations.signIn, async (call) =>
      admit(await signIn(context, call.body, visitorOf(call)), call.headers),
    ),

    route(sessionOperations.getSession, async ({ caller }) => wireAccount(caller.account)),

    route(sessionOperations.signOut, async ({ address, caller, headers }) => {
      if (caller?.by.kind === 'session') {
        const origin = originOf({ address, caller }, clock())
        await endSessionNow(database, caller.account.id, caller.by.id, origin)
      }
      headers.push('Set-Cookie', cookie.clear())
      return undefined
    }),
  ]
}
