// The operations on one-time codes as second factor: of the current account, and their removal by operators.
import { timeOrNull } from '#kit/clock.ts'
import { routesOf } from '#kit/management/route.ts'
import type { AccountContext } from '../people/account-context.ts'
import {
  CodeConfirmation,
  CodeSetUp,
  Reauthentication,
  RecoveryCodes,
  SecondFactor,
} from '../people/schema.ts'
import { setUpUri, toBase32 } from '../sign-in/one-time-code.ts'
import {
  confirmCodeSetUp,
  createRecoveryCodes,
  readSecondFactor,
  removeSecondFactor,
  startCodeSetUp,
} from '../sign-in/second-factor.ts'
import { withCodeAttempt } from '../sign-in/sign-in-limits.ts'
import { requireOwnPassword } from './own-account.ts'

/** The name that authenticator apps show. */
const issuer = 'Animal Store'

const route = routesOf<AccountContext>({ tag: 'account', access: 'account' })
const forOperators = routesOf<AccountContext>({ tag: 'members', access: 'operator' })

export const secondFactorRoutes = [
  route('GET /account/second-factor', 'getSecondFactor', {
    isForEnrolment: true,
    summary: 'Get the second factor of the current account',
    returns: SecondFactor,
    async handle({ caller }, { database }) {
      const { recoveryCodesLeft, since } = await readSecondFactor(database.read, caller.account.id)
      const isOn = since !== undefined
      return { isOn, since: timeOrNull(since), recoveryCodesLeft }
    },
  }),
  route('POST /account/second-factor/set-up', 'startCodeSetUp', {
    isForEnrolment: true,
    summary: 'Create the secret for an authenticator app',
    description: 'Changes nothing until it is confirmed with a first code.',
    body: Reauthentication,
    status: 201,
    returns: CodeSetUp,
    errors: ['invalid_credentials', 'rate_limited', 'conflict'],
    async handle(call, context) {
      const { clock, database, secrets } = context
      await requireOwnPassword(context, call)
      const { email, id } = call.caller.account
      const secret = await startCodeSetUp(database, id, secrets, clock())
      return { secret: toBase32(secret), uri: setUpUri(secret, issuer, email) }
    },
  }),
  route('POST /account/second-factor/confirm', 'confirmCodeSetUp', {
    isForEnrolment: true,
    summary: 'Turn one-time codes on with a first code',
    description: 'Returns recovery codes, each of which works once instead of a code.',
    body: CodeConfirmation,
    returns: RecoveryCodes,
    errors: ['second_factor_not_found', 'invalid_code', 'rate_limited'],
    async handle(call, context) {
      const { database, secrets } = context
      const { address, body, caller, origin } = call
      const { code } = body
      const { id } = caller.account
      const recoveryCodes = await withCodeAttempt(context, { accountId: id, code, address }, () =>
        confirmCodeSetUp(database, id, code, secrets, origin),
      )
      return { recoveryCodes }
    },
  }),
  route('POST /account/second-factor/recovery-codes', 'createRecoveryCodes', {
    summary: 'Replace the recovery codes',
    body: Reauthentication,
    status: 201,
    returns: RecoveryCodes,
    errors: ['invalid_credentials', 'rate_limited', 'second_factor_not_found'],
    async handle(call, context) {
      await requireOwnPassword(context, call)
      const { id } = call.caller.account
      return { recoveryCodes: await createRecoveryCodes(context.database, id, call.origin) }
    },
  }),
  route('POST /account/second-factor/remove', 'removeOwnSecondFactor', {
    summary: 'Turn one-time codes off',
    body: Reauthentication,
    errors: ['invalid_credentials', 'rate_limited', 'second_factor_not_found'],
    async handle(call, context) {
      await requireOwnPassword(context, call)
      await removeSecondFactor(context.database, call.caller.account.id, call.origin)
    },
  }),
  forOperators('DELETE /accounts/{accountId}/second-factor', 'removeSecondFactor', {
    summary: 'Turn off the one-time codes of an account',
    description: 'For owners who have lost their device and their recovery codes.',
    errors: ['second_factor_not_found'],
    async handle({ origin, params }, { database }) {
      await removeSecondFactor(database, params.accountId, origin)
    },
  }),
] as const
