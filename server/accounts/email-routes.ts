// Routes that confirm the e-mail address of an account.
import { timeOrNull } from '#kit/clock.ts'
import { AppError } from '#kit/errors.ts'
import { type Route, route } from '#kit/management/route.ts'
import type { AccountContext } from './account-context.ts'
import { accountNotFound } from './accounts.ts'
import { cancelEmailChange, confirmEmailChange } from './change-email.ts'
import {
  confirmEmail,
  createConfirmationSender,
  findConfirmation,
  minResendMs,
} from './confirmed-email.ts'
import { confirmEmailOperations, emailOperations } from './email-operations.ts'
import { findPendingEmail } from './pending-emails.ts'
import { linkNotValid } from './sign-in.ts'

export function emailRoutes(context: AccountContext): Route[] {
  const { clock, database, sendMail } = context
  const send = sendMail && createConfirmationSender({ ...context, send: sendMail })

  async function getConfirmation(accountId: string) {
    const found = await findConfirmation(database.read, accountId)
    if (!found) throw accountNotFound()
    return found
  }

  return [
    route(confirmEmailOperations.confirmEmail, async ({ address, body }) => {
      if (await confirmEmail(database, body.token, address, clock())) return undefined
      const outcome = await confirmEmailChange(database, body.token, address, clock())
      if (outcome instanceof AppError) throw outcome
      if (!outcome) throw linkNotValid()
      return undefined
    }),

    route(emailOperations.getEmailConfirmation, async ({ caller }) => {
      const { id } = caller.account
      const { confirmedAt, email, sentAt } = await getConfirmation(id)
      return {
        email,
        pendingEmail: (await findPendingEmail(database.read, id, clock()))?.email ?? null,
        confirmedAt: timeOrNull(confirmedAt),
        sentAt: timeOrNull(sentAt),
        canSend: send !== undefined,
      }
    }),

    route(emailOperations.cancelEmailChange, async ({ caller }) => {
      await cancelEmailChange(database, caller.account.id)
      return undefined
    }),

    route(emailOperations.sendEmailConfirmation, async ({ caller }) => {
      if (!send) {
        throw new AppError('conflict', 'No mail server is configured. Ask an operator.')
      }
      const { id } = caller.account
      if (await send(id, minResendMs)) return undefined
      const { confirmedAt, sentAt } = await getConfirmation(id)
      if (confirmedAt !== undefined) {
        throw new AppError('conflict', 'The e-mail address is already confirmed.')
      }
      const seconds = Math.ceil(minResendMs / 1000)
      const message =
        sentAt === undefined
          ? 'The mail server does not accept mail now. Try again later.'
          : 'A link was sent within the last ten minutes. Check your inbox, or try again later.'
      throw new AppError('rate_limited', message, { headers: { 'Retry-After': `${seconds}` } })
    }),
  ]
}
