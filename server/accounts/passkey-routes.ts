// Routes for passkeys: of the current account, and signing in by one.
import { originOf } from '#kit/audit/record-audit.ts'
import { AppError } from '#kit/errors.ts'
import { type Route, route } from '#kit/management/route.ts'
import type { AccountContext } from './account-context.ts'
import { passkeyOperations, passkeySignInOperations } from './operations.ts'
import { requireOwnPassword } from './own-account.ts'
import {
  addPasskey,
  assertionOptions,
  listPasskeys,
  type Passkey,
  registrationOptions,
  removePasskey,
  signInByPasskey,
} from './passkeys.ts'
import { sessionCookie } from './session-cookie.ts'
import { visitorOf } from './sign-in.ts'
import { countAttempt } from './sign-in-attempts.ts'
import type { Passkey as WirePasskey } from './webauthn-schema.ts'
import { wireAccount, wireTime } from './wire.ts'

export function passkeyRoutes(context: AccountContext): Route[] {
  const { allowances, clock, dashboardUrl, database } = context
  const cookie = sessionCookie(dashboardUrl)
  return [
    route(passkeySignInOperations.startPasskeySignIn, async () => assertionOptions(context)),

    route(passkeySignInOperations.signInByPasskey, async (call) => {
      const { address, body, headers } = call
      const target = `passkey ${body.credential.id}`
      const attempt = { target, address, isKnown: false, isForMany: true } as const
      const refund = await countAttempt(allowances, attempt)
      const signedIn = await signInByPasskey(context, body.credential, visitorOf(call))
      await refund()
      headers.push('Set-Cookie', cookie.write(signedIn.token))
      return wireAccount(signedIn.account)
    }),

    route(passkeyOperations.listPasskeys, async ({ caller }) => ({
      items: (await listPasskeys(database.read, caller.account.id)).map(wirePasskey),
    })),

    route(passkeyOperations.startPasskey, async ({ address, body, caller }) => {
      await requireOwnPassword(context, caller, body.currentPassword, address)
      return await registrationOptions(context, caller.account)
    }),

    route(passkeyOperations.addPasskey, async (call) => {
      const { credential, label } = call.body
      const origin = originOf(call, clock())
      return wirePasskey(await addPasskey(context, call.caller.account, label, credential, origin))
    }),

    route(passkeyOperations.removePasskey, async (call) => {
      const { address, body, caller, params } = call
      await requireOwnPassword(context, caller, body.currentPassword, address)
      const origin = originOf(call, clock())
      if (!(await removePasskey(database, caller.account.id, params.passkeyId, origin)))
        throw new AppError('passkey_not_found', 'Passkey not found.')
      return undefined
    }),
  ]
}

function wirePasskey({ createdAt, id, label, lastUsedAt }: Passkey): WirePasskey {
  return {
    id,
    label,
    createdAt: wireTime(createdAt),
    lastUsedAt: lastUsedAt === undefined ? null : wireTime(lastUsedAt),
  }
}
