// What the account page says first.
import type { Answer } from '../../client/management-client.ts'
import type { Account } from '../platform/session.ts'

export const leadOf = ({ email, plan, role }: Account): string =>
  role === 'operator'
    ? `You are signed in as ${email}, an operator: you can see and change everything.`
    : `You are signed in as ${email}, a member on the ${plan} plan. An operator can change that.`

type Confirmation = Answer<'GET /account/email-confirmation'>

export const notConfirmed = 'Email address not confirmed'

/** What follows from an address that is not confirmed. */
export function noticesOf(
  { canSend, sentAt }: Pick<Confirmation, 'canSend' | 'sentAt'>,
  role: Account['role'],
): string {
  const notices = 'Notices about your domains are sent to confirmed addresses only.'
  if (sentAt !== null || canSend) return notices
  const todo = role === 'operator' ? 'set SMTP_URL and restart it' : 'ask an operator'
  return `${notices} This server cannot send mail: ${todo}.`
}
