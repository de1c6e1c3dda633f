// The operations on passkeys: of the current account, and signing in by one.
import { originOf } from '#kit/audit/record-audit.ts'
import { AppError } from '#kit/errors.ts'
import { routesOf } from '#kit/management/route.ts'
import { toWire } from '#kit/schema/described-schema.ts'
import type { AccountContext } from './account-context.ts'
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
import { Account, Reauthentication } from './schema.ts'
import { sessionCookie } from './session-cookie.ts'
import { visitorOf } from './sign-in.ts'
import { countAttempt } from './sign-in-limits.ts'
import {
  CreationOptions,
  NewPasskey,
  PasskeyAttempt,
  PasskeySignIn,
  Passkeys,
  RequestOptions,
  Passkey as WirePasskey,
} from './webauthn-schema.ts'
import { wireAccount } from './wire.ts'

const route = routesOf<AccountContext, 'open'>({ tag: 'session', access: 'open' })
const forAccounts = routesOf<AccountContext>({ tag: 'account', access: 'account' })

export const passkeyRoutes = [
  route('POST /session/passkey/options', 'startPasskeySignIn', {
    summary: 'Get a challenge to sign in by passkey',
    returns: RequestOptions,
    handle: async (_, context) => assertionOptions(context),
  }),
  route('POST /session/passkey', 'signInByPasskey', {
    summary: 'Sign in by passkey',
    description: 'Takes the response of navigator.credentials.get. Requires no code.',
    body: PasskeySignIn,
    status: 201,
    returns: Account,
    errors: ['invalid_passkey', 'rate_limited'],
    async handle(call, context) {
      const { allowances } = context
      const { address, body, headers } = call
      const target = `passkey ${body.credential.id}`
      const attempt = { target, address, isKnown: false, isForMany: true } as const
      const refund = await countAttempt(allowances, attempt)
      const signedIn = await signInByPasskey(context, body.credential, visitorOf(call))
      await refund()
      headers.push('Set-Cookie', sessionCookie(context.dashboardUrl).write(signedIn.token))
      return wireAccount(signedIn.account)
    },
  }),
  forAccounts('GET /account/passkeys', 'listPasskeys', {
    isForEnrolment: true,
    summary: 'List passkeys of the current account',
    returns: Passkeys,
    handle: async ({ caller }, { database }) => ({
      items: (await listPasskeys(database.read, caller.account.id)).map(wirePasskey),
    }),
  }),
  forAccounts('POST /account/passkeys/options', 'startPasskey', {
    isForEnrolment: true,
    summary: 'Get the options to create a passkey',
    body: PasskeyAttempt,
    returns: CreationOptions,
    errors: ['invalid_credentials', 'rate_limited'],
    async handle({ address, body, caller }, context) {
      await requireOwnPassword(context, caller, body.currentPassword, address)
      return await registrationOptions(context, caller.account)
    },
  }),
  forAccounts('POST /account/passkeys', 'addPasskey', {
    isForEnrolment: true,
    summary: 'Add a passkey',
    description: 'Takes the response of navigator.credentials.create.',
    body: NewPasskey,
    status: 201,
    returns: WirePasskey,
    errors: ['invalid_passkey', 'limit_reached'],
    async handle(call, context) {
      const { clock } = context
      const { credential, label } = call.body
      const origin = originOf(call, clock())
      return wirePasskey(await addPasskey(context, call.caller.account, label, credential, origin))
    },
  }),
  forAccounts('POST /account/passkeys/{passkeyId}/remove', 'removePasskey', {
    summary: 'Remove a passkey',
    body: Reauthentication,
    errors: ['invalid_credentials', 'rate_limited', 'passkey_not_found'],
    async handle(call, context) {
      const { clock, database } = context
      const { address, body, caller, params } = call
      await requireOwnPassword(context, caller, body.currentPassword, address)
      const origin = originOf(call, clock())
      if (!(await removePasskey(database, caller.account.id, params.passkeyId, origin)))
        throw new AppError('passkey_not_found', 'Passkey not found.')
    },
  }),
] as const

const wirePasskey = (passkey: Passkey): WirePasskey => toWire(WirePasskey, passkey)
