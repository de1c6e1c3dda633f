// The operations on passkeys: of the current account, and signing in by one.
import { routesOf } from '#kit/management/route.ts'
import { toWire } from '#kit/schema/described-schema.ts'
import type { AccountContext } from '../people/account-context.ts'
import {
  Account,
  CreationOptions,
  NewPasskey,
  PasskeySignIn,
  Passkeys,
  Reauthentication,
  RequestOptions,
  Passkey as WirePasskey,
} from '../people/schema.ts'
import {
  addPasskey,
  assertionOptions,
  listPasskeys,
  type Passkey,
  registrationOptions,
  removePasskey,
  signInByPasskey,
} from '../sign-in/passkeys.ts'
import { visitorOf } from '../sign-in/sign-in.ts'
import { countAttempt } from '../sign-in/sign-in-limits.ts'
import { requireOwnPassword } from './own-account.ts'
import { admit } from './session-routes.ts'

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
      const { address, body } = call
      const target = `passkey ${body.credential.id}`
      const attempt = { target, address, isKnown: false, isForMany: true } as const
      const refund = await countAttempt(allowances, attempt)
      const signedIn = await signInByPasskey(context, body.credential, visitorOf(call))
      await refund()
      return admit(context, signedIn, call)
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
    body: Reauthentication,
    returns: CreationOptions,
    errors: ['invalid_credentials', 'rate_limited'],
    async handle(call, context) {
      await requireOwnPassword(context, call)
      return await registrationOptions(context, call.caller.account)
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
      const { body, caller, origin } = call
      const { credential, label } = body
      return wirePasskey(await addPasskey(context, caller.account, label, credential, origin))
    },
  }),
  forAccounts('POST /account/passkeys/{passkeyId}/remove', 'removePasskey', {
    summary: 'Remove a passkey',
    body: Reauthentication,
    errors: ['invalid_credentials', 'rate_limited', 'passkey_not_found'],
    async handle(call, context) {
      const { caller, origin, params } = call
      await requireOwnPassword(context, call)
      await removePasskey(context.database, caller.account.id, params.passkeyId, origin)
    },
  }),
] as const

const wirePasskey = (passkey: Passkey): WirePasskey => toWire(WirePasskey, passkey)
