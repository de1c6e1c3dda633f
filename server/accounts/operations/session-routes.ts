// Routes for signing in and out, and for one-time links.

import { toTimestamp } from '#kit/clock.ts'
import { routesOf } from '#kit/management/route.ts'
import type { AccountContext } from '../people/account-context.ts'
import { findLink } from '../people/links.ts'
import {
  Account,
  Link,
  LinkToken,
  NewAccount,
  PasswordByLink,
  SignIn,
  wireAccount,
} from '../people/schema.ts'
import { endSessionNow, sessionCookie } from '../sessions/sessions.ts'
import {
  createAccount,
  linkNotValid,
  resetPassword,
  type SignedIn,
  signIn,
  visitorOf,
} from '../sign-in/sign-in.ts'

const route = routesOf<AccountContext, 'open'>({ tag: 'session', access: 'open' })
const forAccounts = routesOf<AccountContext>({ tag: 'account', access: 'account' })

export const sessionRoutes = [
  route('POST /links/check', 'checkLink', {
    summary: 'Check a one-time link',
    body: LinkToken,
    returns: Link,
    errors: ['link_not_valid'],
    async handle({ body }, { clock, database }) {
      const link = await findLink(database.read, body.token, clock())
      if (!link) throw linkNotValid()
      const { email = null, expiresAt, kind } = link
      return { kind, email, expiresAt: toTimestamp(expiresAt) }
    },
  }),
  route('POST /set-up', 'setUp', {
    summary: 'Create the first operator account and sign in',
    description: 'Requires the token of the set-up link that the program prints at startup.',
    body: NewAccount,
    status: 201,
    returns: Account,
    errors: ['link_not_valid', 'email_taken', 'rate_limited'],
    handle: async (call, context) =>
      admit(context, await createAccount(context, 'set_up', call.body, visitorOf(call)), call),
  }),
  route('POST /invitations/accept', 'acceptInvitation', {
    summary: 'Create an account from an invitation and sign in',
    body: NewAccount,
    status: 201,
    returns: Account,
    errors: ['link_not_valid', 'rate_limited'],
    handle: async (call, context) =>
      admit(context, await createAccount(context, 'invitation', call.body, visitorOf(call)), call),
  }),
  route('POST /password', 'resetPassword', {
    summary: 'Reset a password with a link and sign in',
    description: 'Ends all existing sessions of the account.',
    body: PasswordByLink,
    status: 201,
    returns: Account,
    errors: ['link_not_valid', 'rate_limited', 'second_factor_required', 'invalid_code'],
    handle: async (call, context) =>
      admit(context, await resetPassword(context, call.body, visitorOf(call)), call),
  }),
  route('POST /session', 'signIn', {
    summary: 'Sign in',
    description:
      'Sets the cookie of a new session. Ends the session that was used for the request, if any. An account with a second factor requires a code: send the password again with it.',
    body: SignIn,
    status: 201,
    returns: Account,
    errors: ['invalid_credentials', 'second_factor_required', 'invalid_code', 'rate_limited'],
    handle: async (call, context) =>
      admit(context, await signIn(context, call.body, visitorOf(call)), call),
  }),
  forAccounts('GET /session', 'getSession', {
    isForEnrolment: true,
    summary: 'Get the account of the current session',
    returns: Account,
    handle: async ({ caller }) => wireAccount(caller.account),
  }),
  route('DELETE /session', 'signOut', {
    summary: 'Sign out',
    description: 'Ends the current session. Succeeds without a session, too.',
    async handle({ caller, headers, origin }, { dashboardUrl, database }) {
      if (origin && caller?.by.kind === 'session')
        await endSessionNow(database, caller.account.id, caller.by.id, origin)
      headers.push('Set-Cookie', sessionCookie(dashboardUrl).clear())
    },
  }),
] as const

/** Responds with the account, and sets the cookie of its new session. */
export function admit(
  { dashboardUrl }: AccountContext,
  { account, token }: SignedIn,
  { headers }: { headers: string[] },
): Account {
  headers.push('Set-Cookie', sessionCookie(dashboardUrl).write(token))
  return wireAccount(account)
}
