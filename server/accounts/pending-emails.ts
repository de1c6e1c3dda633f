// The address that an account changes to once it is confirmed: at most one for each account. It may belong to another
// account; then its link was sent to nobody.
import { findOne, type Session } from '#kit/database/database.ts'
import { findPlain } from '#kit/database/plain-row.ts'
import { hashSecret } from '#kit/identifiers.ts'
import type { EmailAddress } from './email-address.ts'
import { prepare } from './tables.ts'

/** How long a link that confirms an address can be used. */
export const confirmationLifeMs = 7 * 24 * 60 * 60_000

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
const remove = prepare.delete('pending_emails', { account_id: 'id' }, ['email'])

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

/** Inside a transaction. The removed address; undefined without one. */
export async function removePendingEmail(
  session: Session,
  id: string,
): Promise<string | undefined> {
  return (await findOne(session, remove, { id }))?.email
}
