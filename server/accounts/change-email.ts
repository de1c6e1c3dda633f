// Changes the e-mail address of an account once the new one is confirmed by a link. Only the owner of an address learns, by
// mail, whether it has an account already: response, stored rows and number of mails are the same for taken and free
// addresses.

import { spendAllowance } from '#kit/allowances/spend-allowance.ts'
import { type AuditOrigin, originOfAccount, recordAudit } from '#kit/audit/record-audit.ts'
import type { RateLimit } from '#kit/config/parse-variable.ts'
import { locked } from '#kit/database/transactions.ts'
import { AppError } from '#kit/errors.ts'
import { hashSecret, randomToken } from '#kit/identifiers.ts'
import type { Mail } from '#kit/mail/send-mail.ts'
import type { AccountContext } from './account-context.ts'
import {
  accountNotFound,
  emailTaken,
  findAccount,
  findAccountByEmail,
  setEmail,
  targetOf,
} from './accounts.ts'
import { setConfirmed } from './confirmed-email.ts'
import type { EmailAddress } from './email-address.ts'
import { findPendingEmailByToken, removePendingEmail, savePendingEmail } from './pending-emails.ts'

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
  const { dashboardUrl, database, sendMail } = context
  if (!sendMail) {
    const message =
      'This server cannot send mail, so that a new e-mail address cannot be confirmed. Ask an operator to change it.'
    throw new AppError('conflict', message)
  }
  await countRequest(context, `e-mail change of ${accountId}`, limits.account)
  await countRequest(context, `e-mail change to ${hashSecret(email.key)}`, limits.address)
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

async function countRequest(
  { allowances }: AccountContext,
  key: string,
  limit: RateLimit,
): Promise<void> {
  const { isSpent, retryInSeconds } = await spendAllowance(allowances, key, limit)
  if (isSpent) return
  throw new AppError('rate_limited', 'The e-mail address was changed too often. Try again later.', {
    headers: { 'Retry-After': `${retryInSeconds}` },
  })
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
export const cancelEmailChange = locked(async (session, accountId: string) => {
  await removePendingEmail(session, accountId)
})

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
  return asMail('Confirm your new e-mail address', [
    `Hello ${name},`,
    'this address was entered as the new one of an account of the Animal Store. To change to it, confirm it:',
    address,
    'The link works once, for 7 days. If you did not enter the address, do nothing: nothing is changed.',
  ])
}

function takenText(page: string) {
  return asMail('Your e-mail address was entered for another account', [
    'Hello,',
    'this address was entered as the new one of another account of the Animal Store. You have an account with it already, so nothing was changed.',
    `If it was you, sign in with this address: ${page}`,
    'If it was not you, you do not need to do anything.',
  ])
}

function noticeText(name: string, email: string, page: string) {
  return asMail('A change of your e-mail address was requested', [
    `Hello ${name},`,
    `your account of the Animal Store is to use the address ${email} from now on. The change takes effect when that address is confirmed.`,
    `If it was not you, sign in, cancel the change under Account and change your password: ${page}/account`,
  ])
}

function asMail(subject: string, paragraphs: string[]) {
  return { subject, text: `${paragraphs.join('\n\n')}\n` }
}
