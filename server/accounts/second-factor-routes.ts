// Routes for one-time codes as second factor: of the current account, and their removal by operators.
import { originOf } from '#kit/audit/record-audit.ts'
import { AppError } from '#kit/errors.ts'
import { type Route, route } from '#kit/management/route.ts'
import type { AccountContext } from './account-context.ts'
import { withCodeAttempt } from './code-attempts.ts'
import { setUpUri, toBase32 } from './one-time-code.ts'
import { memberOperations, secondFactorOperations as operations } from './operations.ts'
import { requireOwnPassword } from './own-account.ts'
import {
  confirmCodeSetUp,
  createRecoveryCodes,
  readSecondFactor,
  removeSecondFactor,
  startCodeSetUp,
} from './second-factor.ts'
import { wireTime } from './wire.ts'

/** The name that authenticator apps show. */
const issuer = 'Animal Store'

export function secondFactorRoutes(context: AccountContext): Route[] {
  const { clock, database, secrets } = context
  return [
    route(operations.getSecondFactor, async ({ caller }) => {
      const { recoveryCodesLeft, since } = await readSecondFactor(database.read, caller.account.id)
      const isOn = since !== undefined
      return { isOn, since: isOn ? wireTime(since) : null, recoveryCodesLeft }
    }),

    route(operations.startCodeSetUp, async (call) => {
      await requireOwnPassword(context, call.caller, call.body.currentPassword, call.address)
      const { email, id } = call.caller.account
      const secret = await startCodeSetUp(database, id, secrets, clock())
      if (secret instanceof AppError) throw secret
      return { secret: toBase32(secret), uri: setUpUri(secret, issuer, email) }
    }),

    route(operations.confirmCodeSetUp, async (call) => {
      const { address, body, caller } = call
      const { code } = body
      const { id } = caller.account
      const recoveryCodes = await withCodeAttempt(context, { accountId: id, code, address }, () =>
        confirmCodeSetUp(database, id, code, secrets, originOf(call, clock())),
      )
      return { recoveryCodes }
    }),

    route(operations.createRecoveryCodes, async (call) => {
      await requireOwnPassword(context, call.caller, call.body.currentPassword, call.address)
      const origin = originOf(call, clock())
      const recoveryCodes = await createRecoveryCodes(database, call.caller.account.id, origin)
      if (recoveryCodes instanceof AppError) throw recoveryCodes
      return { recoveryCodes }
    }),

    route(operations.removeOwnSecondFactor, async (call) => {
      await requireOwnPassword(context, call.caller, call.body.currentPassword, call.address)
      const origin = originOf(call, clock())
      const refusal = await removeSecondFactor(database, call.caller.account.id, origin)
      if (refusal) throw refusal
      return undefined
    }),

    route(memberOperations.removeSecondFactor, async (call) => {
      const origin = originOf(call, clock())
      const refusal = await removeSecondFactor(database, call.params.accountId, origin)
      if (refusal) throw refusal
      return undefined
    }),
  ]
}
