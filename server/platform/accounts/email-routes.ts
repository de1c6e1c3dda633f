// Routes that confirm the e-mail address of an account.
import { timeOrNull } from '../clock.ts'
import { AppError } from '../errors.ts'
import { type Route, route } from '../management/route.ts'
import type { AccountContext } from './account-context.ts'
import { accountNotFound } from './accounts.ts'
import {
  confirmEmail,
  findConfirmation,
  minResendMs,
  type SendConfirmation,
} from './confirmed-email.ts'
import { confirmEmailOperations, emailOperations } from './email-operations.ts'
import { linkNotValid } from './sign-in.ts'

type Context = Pick<AccountContext, 'clock' | 'database'>

/** `send` is undefined where no mail server is configured. */
export function emailRoutes(context: Context, send: SendConfirmation | undefined): Route[] {
  const { clock, database } = context

  async function getConfirmation(accountId: string) {
    const found = await findConfirmation(database.read, accountId)
    if (!found) throw accountNotFound()
    return found
  }

  return [
    route(confirmEmailOperations.confirmEmail, async ({ body }) => {
      if (!(await confirmEmail(database, body.token, clock()))) throw linkNotValid()
      return undefined
    }),

    route(emailOperations.getEmailConfirmation, async ({ caller }) => {
      const { confirmedAt, email, sentAt } = await getConfirmation(caller.account.id)
      return {
        email,
        confirmedAt: timeOrNull(confirmedAt),
        sentAt: timeOrNull(sentAt),
        canSend: send !== undefined,
      }
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
