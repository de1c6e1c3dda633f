// The operations that confirm the e-mail address of an account.
import { timeOrNull } from '#kit/clock.ts'
import type { Database } from '#kit/database/database.ts'
import { AppError } from '#kit/errors.ts'
import { routesOf } from '#kit/management/route.ts'
import type { AccountContext } from './account-context.ts'
import { accountNotFound } from './accounts.ts'
import { cancelEmailChange, confirmEmailChange } from './change-email.ts'
import {
  confirmEmail,
  createConfirmationSender,
  findConfirmation,
  minResendMs,
} from './confirmed-email.ts'
import { findPendingEmail } from './pending-emails.ts'
import { EmailConfirmation, LinkToken } from './schema.ts'
import { linkNotValid } from './sign-in.ts'

const route = routesOf<AccountContext, 'open'>({ tag: 'session', access: 'open' })
const forAccounts = routesOf<AccountContext>({ tag: 'account', access: 'account' })

export const emailRoutes = [
  route('POST /email-confirmation', 'confirmEmail', {
    summary: 'Confirm an e-mail address with the link that was sent to it',
    description:
      'Works without a session. The link of a new address changes the account to this address.',
    body: LinkToken,
    errors: ['link_not_valid', 'email_taken'],
    async handle({ address, body }, { clock, database }) {
      if (await confirmEmail(database, body.token, address, clock())) return
      const isChanged = await confirmEmailChange(database, body.token, address, clock())
      if (!isChanged) throw linkNotValid()
    },
  }),
  forAccounts('GET /account/email-confirmation', 'getEmailConfirmation', {
    summary: 'Get whether the e-mail address of the current account is confirmed',
    returns: EmailConfirmation,
    async handle({ caller }, { clock, database, sendMail }) {
      const { id } = caller.account
      const { confirmedAt, email, sentAt } = await getConfirmation(database, id)
      return {
        email,
        pendingEmail: (await findPendingEmail(database.read, id, clock()))?.email ?? null,
        confirmedAt: timeOrNull(confirmedAt),
        sentAt: timeOrNull(sentAt),
        canSend: sendMail !== undefined,
      }
    },
  }),
  forAccounts('DELETE /account/email-change', 'cancelEmailChange', {
    summary: 'Cancel the change to an e-mail address that is not confirmed yet',
    description: 'Its link stops working. Succeeds without such a change, too.',
    async handle({ caller }, { database }) {
      await cancelEmailChange(database, caller.account.id)
    },
  }),
  forAccounts('POST /account/email-confirmation', 'sendEmailConfirmation', {
    summary: 'Send the link that confirms the e-mail address',
    description: 'At most once in ten minutes.',
    errors: ['conflict', 'rate_limited'],
    async handle({ caller }, context) {
      const { database, sendMail } = context
      if (!sendMail) {
        throw new AppError('conflict', 'No mail server is configured. Ask an operator.')
      }
      const { id } = caller.account
      const send = createConfirmationSender({ ...context, send: sendMail })
      if (await send(id, minResendMs)) return
      const { confirmedAt, sentAt } = await getConfirmation(database, id)
      if (confirmedAt !== undefined) {
        throw new AppError('conflict', 'The e-mail address is already confirmed.')
      }
      const seconds = Math.ceil(minResendMs / 1000)
      const message =
        sentAt === undefined
          ? 'The mail server does not accept mail now. Try again later.'
          : 'A link was sent within the last ten minutes. Check your inbox, or try again later.'
      throw new AppError('rate_limited', message, { headers: { 'Retry-After': `${seconds}` } })
    },
  }),
] as const

async function getConfirmation({ read }: Database, accountId: string) {
  const found = await findConfirmation(read, accountId)
  if (!found) throw accountNotFound()
  return found
}
