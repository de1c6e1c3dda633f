// Whether an account has shown that it receives mail at its address, and the address that it changes to once that is
// confirmed. Notices go to confirmed addresses only: others get nothing but the link that confirms them. A changed address
// has to be confirmed again. There is at most one change for each account; it may be to the address of another account, and
// then its link was sent to nobody.
import { originOfAccount, recordAudit } from '#kit/audit/record-audit.ts'
import { findOne, type Session } from '#kit/database/database.ts'
import { findPlain } from '#kit/database/plain-row.ts'
import { locked } from '#kit/database/transactions.ts'
import { hashSecret, randomToken } from '#kit/identifiers.ts'
import { asMail, type SendMail } from '#kit/mail/send-mail.ts'
import type { AccountContext } from './account-context.ts'
import type { EmailAddress } from './email-address.ts'
import { prepare, prepareQuery } from './tables.ts'

const minute = 60_000
/** How long a link that confirms an address can be used. */
export const confirmationLifeMs = 7 * 24 * 60 * minute
/** A user can request a link this often; without a request one is sent as often as links expire. */
export const minResendMs = 10 * minute

const confirmationOf = prepareQuery<{ id: string }>()((db, param) =>
  db
    .selectFrom('accounts')
    .leftJoin('email_confirmations as confirmation', (join) =>
      join
        .onRef('confirmation.account_id', '=', 'accounts.id')
        .onRef('confirmation.email_key', '=', 'accounts.email_key'),
    )
    .select([
      'accounts.email',
      'accounts.email_key',
      'accounts.name',
      'confirmation.confirmed_at',
      'confirmation.sent_at',
    ])
    .where('accounts.id', '=', param('id')),
)
const saveLink = prepare.upsert(
  'email_confirmations',
  { account_id: 'id' },
  { email_key: 'key', token_hash: 'hash', sent_at: 'now', confirmed_at: null },
)
const saveConfirmed = prepare.upsert(
  'email_confirmations',
  { account_id: 'id' },
  { email_key: 'key', token_hash: null, sent_at: 'now', confirmed_at: 'now' },
)
const forgetLink = prepare.delete('email_confirmations', { token_hash: 'hash' })
const confirm = prepareQuery<{ hash: string; now: number; since: number }>()((db, param) =>
  db
    .updateTable('email_confirmations')
    .set({ confirmed_at: param('now'), token_hash: null })
    .where('token_hash', '=', param('hash'))
    .where('sent_at', '>', param('since'))
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('accounts')
          .select('accounts.id')
          .whereRef('accounts.id', '=', 'email_confirmations.account_id')
          .whereRef('accounts.email_key', '=', 'email_confirmations.email_key'),
      ),
    )
    .returning('account_id'),
)

/** The address of an account, and when it was confirmed, or a link last sent. Undefined without the account. */
export const findConfirmation = (session: Session, id: string) =>
  findPlain(session, confirmationOf, { id })

/** Undefined when the address is confirmed, or a link was sent less than `everyMs` ago. */
const createLink = locked(
  async (session, { everyMs, id, now }: { id: string; everyMs: number; now: number }) => {
    const confirmation = await findConfirmation(session, id)
    if (!confirmation || confirmation.confirmedAt !== undefined) return undefined
    const age = now - (confirmation.sentAt ?? Number.NEGATIVE_INFINITY)
    if (age >= 0 && age < everyMs) return undefined
    const token = randomToken()
    await session.all(saveLink, { id, key: confirmation.emailKey, hash: hashSecret(token), now })
    return { ...confirmation, token }
  },
)

const removeLink = locked(async (session, token: string) => {
  await session.all(forgetLink, { hash: hashSecret(token) })
})

/** Confirms the address that the link was sent to. False for a link that cannot be used. */
export const confirmEmail = locked(async (session, token: string, address: string, now: number) => {
  const used = { hash: hashSecret(token), now, since: now - confirmationLifeMs }
  const id = (await findOne(session, confirm, used))?.account_id
  const account = id === undefined ? undefined : await findConfirmation(session, id)
  if (id === undefined || !account) return false
  const target = { id, name: account.email }
  const origin = originOfAccount({ id, email: account.email }, address, now, 'link')
  await recordAudit(session, origin, 'account.email_confirmed', target)
  return true
})

/** Inside a transaction: the account's address was confirmed by other means than the link of `createLink`. */
export async function setConfirmed(session: Session, id: string, key: string, now: number) {
  await session.all(saveConfirmed, { id, key, now })
}

type ConfirmationContext = Pick<AccountContext, 'clock' | 'dashboardUrl' | 'database'> & {
  send: SendMail
}

export type SendConfirmation = ReturnType<typeof createConfirmationSender>

export function createConfirmationSender(context: ConfirmationContext) {
  const { clock, dashboardUrl, database, send } = context
  /** Sends the link. False when it is not due, or the mail server does not accept it now. */
  return async (accountId: string, everyMs = confirmationLifeMs): Promise<boolean> => {
    const now = clock()
    const link = await createLink(database, { id: accountId, everyMs, now })
    if (!link) return false
    const address = `${dashboardUrl.href.replace(/\/$/, '')}/confirm-email#${link.token}`
    const id = hashSecret(link.token).slice(0, 32)
    const mail = { to: link.email, ...confirmationText(link.name, address), id, at: new Date(now) }
    const outcome = await send(mail)
    if (outcome === 'sent') return true
    // Another one is sent at the next occasion, unless the server refuses this address.
    if ('failed' in outcome) await removeLink(database, link.token)
    return false
  }
}

function confirmationText(name: string, address: string) {
  return asMail('Confirm your e-mail address', name, [
    'this address was entered for an account of the Animal Store. To receive notices about your projects and domains, confirm it:',
    address,
    'The link works once, for 7 days. If you did not enter the address, do nothing: it receives no notices.',
  ])
}

const columns = ['account_id', 'email', 'email_key'] as const

const save = prepare.upsert(
  'pending_emails',
  { account_id: 'id' },
  { email: 'email', email_key: 'key', token_hash: 'hash', requested_at: 'now' },
)
const byAccount = prepare.select('pending_emails', columns, {
  account_id: 'id',
  requested_at: { '>': 'since' },
})
const byToken = prepare.select('pending_emails', columns, {
  token_hash: 'hash',
  requested_at: { '>': 'since' },
})
const remove = prepare.delete('pending_emails', { account_id: 'id' })

/** Inside a transaction: replaces an earlier one. */
export async function savePendingEmail(
  session: Session,
  id: string,
  { key, text }: EmailAddress,
  token: string,
  now: number,
): Promise<void> {
  await session.all(save, { id, email: text, key, hash: hashSecret(token), now })
}

/** The address that the account waits for; undefined if there is none, or its link has expired. */
export const findPendingEmail = (session: Session, id: string, now: number) =>
  findPlain(session, byAccount, { id, since: now - confirmationLifeMs })

export const findPendingEmailByToken = (session: Session, token: string, now: number) =>
  findPlain(session, byToken, { hash: hashSecret(token), since: now - confirmationLifeMs })

/** Inside a transaction. */
export async function removePendingEmail(session: Session, id: string): Promise<void> {
  await session.all(remove, { id })
}
