// Changes the e-mail address of an account once the new one is confirmed by a link. Only the owner of an address learns, by
// mail, whether it has an account already: response, stored rows and number of mails are the same for taken and free
// addresses.
import { requireAllowance } from '#kit/allowances/spend-allowance.ts'
import { type AuditOrigin, originOfAccount, recordAudit } from '#kit/audit/record-audit.ts'
import { timeOrNull } from '#kit/clock.ts'
import type { RateLimit } from '#kit/config/parse-variable.ts'
import type { Database } from '#kit/database/database.ts'
import { locked } from '#kit/database/transactions.ts'
import { AppError, rateLimited } from '#kit/errors.ts'
import { hashSecret, randomToken } from '#kit/identifiers.ts'
import { asMail, type Mail } from '#kit/mail/send-mail.ts'
import { routesOf } from '#kit/management/route.ts'
import type { AccountContext } from '../people/account-context.ts'
import {
  accountNotFound,
  emailTaken,
  findAccount,
  findAccountByEmail,
  setEmail,
  targetOf,
} from '../people/accounts.ts'
import {
  confirmEmail,
  createConfirmationSender,
  findConfirmation,
  findPendingEmail,
  findPendingEmailByToken,
  minResendMs,
  removePendingEmail,
  savePendingEmail,
  setConfirmed,
} from '../people/confirmed-email.ts'
import type { EmailAddress } from '../people/email-address.ts'
import { EmailConfirmation, LinkToken } from '../people/schema.ts'
import { linkNotValid } from '../sign-in/sign-in.ts'

/** Requests of one account, and for one address by all accounts: their mails are sent to others. */
const limits = {
  account: { requests: 5, windowSeconds: 3600 },
  address: { requests: 5, windowSeconds: 24 * 3600 },
} as const satisfies Record<string, RateLimit>

/**
 * Stores the new address and sends its link, or tells its owner that it was tried; tells the present address. Throws
 * `conflict` without a mail server, `rate_limited`, and `unavailable` if the mail server does not accept the mail.
 */
export async function requestEmailChange(
  context: AccountContext,
  accountId: string,
  email: EmailAddress,
  origin: AuditOrigin,
): Promise<void> {
  const { allowances, dashboardUrl, database, sendMail } = context
  if (!sendMail) {
    const message =
      'This server cannot send mail, so that a new e-mail address cannot be confirmed. Ask an operator to change it.'
    throw new AppError('conflict', message)
  }
  const often = 'The e-mail address was changed too often. Try again later.'
  const addressKey = `e-mail change to ${hashSecret(email.key)}`
  await requireAllowance(allowances, `e-mail change of ${accountId}`, limits.account, often)
  await requireAllowance(allowances, addressKey, limits.address, often)
  const { account, isTaken, token } = await startChange(database, accountId, email, origin)
  const id = hashSecret(token).slice(0, 32)
  const at = new Date(origin.at)
  const page = dashboardUrl.href.replace(/\/$/, '')
  const text = isTaken ? takenText(page) : linkText(account.name, `${page}/confirm-email#${token}`)
  const mails: Mail[] = [
    { to: email.text, ...text, id, at },
    { to: account.email, ...noticeText(account.name, email.text, page), id: `${id}-old`, at },
  ]
  const [outcome] = await Promise.all(mails.map(sendMail))
  if (outcome === 'sent') return
  await cancelEmailChange(database, accountId)
  throw new AppError('unavailable', `The mail server does not accept mail for ${email.text} now.`)
}

const startChange = locked(
  async (session, accountId: string, email: EmailAddress, origin: AuditOrigin) => {
    const account = await findAccount(session, accountId)
    if (!account) return accountNotFound()
    const holder = await findAccountByEmail(session, email.key)
    const token = randomToken()
    await savePendingEmail(session, accountId, email, token, origin.at)
    const detail = { email: email.text }
    await recordAudit(session, origin, 'account.email_change_requested', targetOf(account), detail)
    return { account, isTaken: holder !== undefined, token }
  },
)

/** The address stays as it is, and the link stops working. */
export const cancelEmailChange = locked(removePendingEmail)

/**
 * Changes the address of the account that a link was sent for. False for a link that cannot be used; `email_taken` if
 * another account has got the address since: who has the link receives its mail anyway.
 */
export const confirmEmailChange = locked(
  async (session, token: string, address: string, now: number): Promise<boolean | AppError> => {
    const pending = await findPendingEmailByToken(session, token, now)
    const account = pending && (await findAccount(session, pending.accountId))
    if (!account) return false
    await removePendingEmail(session, account.id)
    const email = { text: pending.email, key: pending.emailKey }
    if (await findAccountByEmail(session, email.key)) return emailTaken()
    await setEmail(session, account, email)
    await setConfirmed(session, account.id, email.key, now)
    const origin = originOfAccount(account, address, now, 'link')
    await recordAudit(session, origin, 'account.changed', targetOf(account), { email: email.text })
    return true
  },
)

function linkText(name: string, address: string) {
  return asMail('Confirm your new e-mail address', name, [
    'this address was entered as the new one of an account of the Animal Store. To change to it, confirm it:',
    address,
    'The link works once, for 7 days. If you did not enter the address, do nothing: nothing is changed.',
  ])
}

function takenText(page: string) {
  return asMail('Your e-mail address was entered for another account', '', [
    'this address was entered as the new one of another account of the Animal Store. You have an account with it already, so nothing was changed.',
    `If it was you, sign in with this address: ${page}`,
    'If it was not you, you do not need to do anything.',
  ])
}

function noticeText(name: string, email: string, page: string) {
  return asMail('A change of your e-mail address was requested', name, [
    `your account of the Animal Store is to use the address ${email} from now on. The change takes effect when that address is confirmed.`,
    `If it was not you, sign in, cancel the change under Account and change your password: ${page}/account`,
  ])
}

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
      const message =
        sentAt === undefined
          ? 'The mail server does not accept mail now. Try again later.'
          : 'A link was sent within the last ten minutes. Check your inbox, or try again later.'
      throw rateLimited(message, minResendMs / 1000)
    },
  }),
] as const

async function getConfirmation({ read }: Database, accountId: string) {
  const confirmation = await findConfirmation(read, accountId)
  if (!confirmation) throw accountNotFound()
  return confirmation
}
