// Identities at the provider that are connected to accounts. Issuer and subject identify a person; the e-mail address
// only describes them, because providers let people change it.

import { accountNotFound, findAccount, noPassword } from '#accounts/people/accounts.ts'
import { type AccountTables, insertRow, prepare } from '#accounts/people/tables.ts'
import { takeChallenge } from '#accounts/sign-in/challenges.ts'
import { listPasskeys } from '#accounts/sign-in/passkeys.ts'
import { type AuditOrigin, recordAudit } from '#kit/audit/record-audit.ts'
import type { Session } from '#kit/database/database.ts'
import { findPlain, type PlainRow, plainRow } from '#kit/database/plain-row.ts'
import { locked } from '#kit/database/transactions.ts'
import { AppError } from '#kit/errors.ts'
import { createRecordId } from '#kit/identifiers.ts'
import { type Identity, signInFailed } from './identity-provider.ts'

/** Times are milliseconds since the epoch. */
export type ConnectedIdentity = PlainRow<AccountTables['identities']>

const maxIdentities = 5

const bySubject = prepare.select('identities', 'all', { issuer: 'issuer', subject: 'subject' })
const byId = prepare.select('identities', 'all', { id: 'id' })
const ofAccount = prepare.select(
  'identities',
  'all',
  { account_id: 'account' },
  { orderBy: ['created_at desc', 'id'], limit: maxIdentities },
)
const remove = prepare.delete('identities', { id: 'id' })
/** Inside a transaction: the identity has signed in. */
export const setIdentityUsed = prepare.update('identities', { last_used_at: 'now' }, { id: 'id' })
const setEmail = prepare.update('identities', { email: 'email' }, { id: 'id' })

/** Newest first. */
export const listIdentities = async (session: Session, account: string) =>
  (await session.all(ofAccount, { account })).map(plainRow)

export const findIdentity = (
  session: Session,
  { issuer, subject }: Pick<Identity, 'issuer' | 'subject'>,
) => findPlain(session, bySubject, { issuer, subject })

export const findIdentityById = (session: Session, id: string) => findPlain(session, byId, { id })

/** Inside a transaction: the provider describes the identity in another way. */
export async function updateIdentity(
  session: Session,
  { email: before, id }: ConnectedIdentity,
  { email }: Identity,
): Promise<void> {
  if (email && email.text !== before) await session.all(setEmail, { id, email: email.text })
}

/** Inside a transaction that holds the lock. The identity must not be connected yet. */
export async function insertIdentity(
  session: Session,
  accountId: string,
  { email, issuer, subject }: Identity,
  origin: AuditOrigin,
): Promise<ConnectedIdentity> {
  const id = createRecordId('idn', origin.at)
  const row = { id, accountId, issuer, subject, email: email?.text ?? null, createdAt: origin.at }
  await insertRow(session, 'identities', row)
  const target = { id: accountId, name: origin.actorName }
  const detail = { issuer, email: row.email }
  await recordAudit(session, origin, 'sign_in.identity_connected', target, detail)
  return { ...row, email: email?.text, lastUsedAt: undefined }
}

/** Connects an identity to the account of a session. Returns `identity_taken`, `limit_reached`, `sign_in_failed`. */
export const connectIdentity = locked(
  async (
    session,
    accountId: string,
    identity: Identity,
    challenge: string,
    origin: AuditOrigin,
  ): Promise<ConnectedIdentity | AppError> => {
    if (!(await takeChallenge(session, challenge))) return signInFailed()
    const connected = await findIdentity(session, identity)
    if (connected?.accountId === accountId) return connected
    if (connected) {
      const message = 'This identity is connected to another account. Remove it there first.'
      return new AppError('identity_taken', message)
    }
    if ((await listIdentities(session, accountId)).length >= maxIdentities) {
      const message = `You have ${maxIdentities} identities. Remove the ones that you no longer use.`
      return new AppError('limit_reached', message)
    }
    return await insertIdentity(session, accountId, identity, origin)
  },
)

/**
 * Removes an identity. `isUsable`: whether an identity can sign in with the present settings. Returns
 * `identity_not_found`, and a `conflict` when nothing else would be left to sign in with.
 */
export const removeIdentity = locked(
  async (
    session,
    accountId: string,
    id: string,
    isUsable: (identity: ConnectedIdentity) => boolean,
    origin: AuditOrigin,
  ): Promise<AppError | undefined> => {
    const account = await findAccount(session, accountId)
    if (!account) return accountNotFound()
    const all = await listIdentities(session, accountId)
    const removed = all.find((each) => each.id === id)
    if (!removed) return new AppError('identity_not_found', 'Identity not found.')
    const isOther = (each: ConnectedIdentity): boolean => each !== removed && isUsable(each)
    const hasOtherWay =
      account.passwordHash !== noPassword ||
      all.some(isOther) ||
      (await listPasskeys(session, accountId)).length > 0
    if (!hasOtherWay) {
      const message =
        'This is the only way to sign in to your account. Set a password under Account first.'
      return new AppError('conflict', message)
    }
    await session.all(remove, { id })
    const target = { id: accountId, name: origin.actorName }
    const detail = { issuer: removed.issuer, email: removed.email ?? null }
    await recordAudit(session, origin, 'sign_in.identity_removed', target, detail)
    return undefined
  },
)
