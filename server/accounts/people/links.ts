// One-time links: the set-up link of the first start, invitations and password resets. The token is in the fragment, which
// browsers do not send, so that it is in no log; only its hash is stored. A link is open until it is used, expires or is
// deleted.

import { type AuditOrigin, recordAudit } from '#kit/audit/record-audit.ts'
import type { Plan, Role } from '#kit/caller.ts'
import type { Session } from '#kit/database/database.ts'
import { findPlain, type PlainRow, plainRow, type StoredRow } from '#kit/database/plain-row.ts'
import { locked } from '#kit/database/transactions.ts'
import { AppError } from '#kit/errors.ts'
import { createRecordId, hashSecret, randomToken } from '#kit/identifiers.ts'
import type { LinkKind } from './schema.ts'
import { type AccountTables, insertRow, prepare } from './tables.ts'

interface NewInvitation {
  email: string
  role: Role
  plan: Plan
}

const dayMs = 24 * 60 * 60_000
const lifeMs: Record<LinkKind, number> = {
  set_up: 7 * dayMs,
  invitation: 7 * dayMs,
  password: dayMs,
}
const maxInvitations = 100

export type AccountLink = Omit<PlainRow<AccountTables['account_links']>, 'tokenHash' | 'usedAt'>

const isOpen = { used_at: null, expires_at: { '>': 'now' } } as const
const openByHash = prepare.select('account_links', 'all', { token_hash: 'hash', ...isOpen })
const openInvitations = prepare.select(
  'account_links',
  'all',
  { kind: { value: 'invitation' }, ...isOpen },
  { orderBy: ['id desc'], limit: maxInvitations },
)
const setUsed = prepare.update('account_links', { used_at: 'now' }, { id: 'id' })
const deleteInvitation = prepare.delete(
  'account_links',
  { id: 'id', kind: { value: 'invitation' }, ...isOpen },
  ['id', 'email'],
)
const deleteUnused = {
  kind: prepare.delete('account_links', { kind: 'value', used_at: null }),
  account_id: prepare.delete('account_links', { account_id: 'value', used_at: null }),
  created_by: prepare.delete('account_links', { created_by: 'value', used_at: null }),
}

/** The URL of a link. */
export function linkAddress(dashboardUrl: URL, kind: LinkKind, token: string): string {
  return `${dashboardUrl.href.replace(/\/$/, '')}/${kind.replace('_', '-')}#${token}`
}

/** The link of a token; undefined if it was used or has expired. */
export const findLink = (session: Session, token: string, now: number) =>
  findPlain(session, openByHash, { hash: hashSecret(token), now })

/** Inside a transaction that holds the lock. */
export async function markLinkUsed(session: Session, id: string, now: number): Promise<void> {
  await session.all(setUsed, { id, now })
}

/** Inside a transaction that holds the lock: replaces the set-up link and returns the new token. */
export async function renewSetUpLink(session: Session, now: number): Promise<string> {
  await deleteUnusedLinks(session, 'kind', 'set_up')
  return (await insertLink(session, { kind: 'set_up', role: 'operator', plan: 'paid' }, now)).token
}

/** Inside a transaction: deletes the unused links of a kind, for an account, or created by one. */
export async function deleteUnusedLinks(
  session: Session,
  column: keyof typeof deleteUnused,
  value: string,
): Promise<void> {
  await session.all(deleteUnused[column], { value })
}

/** Creates an invitation. `token` is not stored. Returns `limit_reached` at `maxInvitations` open ones. */
export const createInvitation = locked(
  async (
    session,
    invitation: NewInvitation,
    origin: AuditOrigin,
  ): Promise<{ link: AccountLink; token: string } | AppError> => {
    const { actorId, at } = origin
    if ((await listInvitations(session, at)).length >= maxInvitations) {
      const message = `${maxInvitations} invitations are pending. Revoke the ones that you no longer need.`
      return new AppError('limit_reached', message)
    }
    const plan = invitation.role === 'operator' ? 'paid' : invitation.plan
    const link = { ...invitation, createdBy: actorId, plan, kind: 'invitation' } as const
    const inserted = await insertLink(session, link, at)
    const detail = { role: invitation.role, plan }
    await recordAudit(session, origin, 'account.invited', targetOf(inserted.link), detail)
    return inserted
  },
)

/** Invitations that can still be used, newest first. */
export const listInvitations = async (session: Session, now: number) =>
  (await session.all(openInvitations, { now })).map(plainRow)

/** Returns `invitation_not_found` if there is no such invitation that can still be used. */
export const revokeInvitation = locked(
  async (session, id: string, origin: AuditOrigin): Promise<AppError | undefined> => {
    const [deleted] = await session.all(deleteInvitation, { id, now: origin.at })
    if (!deleted) return new AppError('invitation_not_found', 'Invitation not found.')
    const target = targetOf(plainRow(deleted))
    await recordAudit(session, origin, 'account.invitation_revoked', target)
    return undefined
  },
)

/** An invitation as the audit log names it. */
function targetOf({ email = '', id }: { id: string; email?: string | undefined }) {
  return { id, name: email }
}

/** Inside a transaction that holds the lock. `token` is not stored. */
export async function insertLink(
  session: Session,
  link: { kind: LinkKind } & Partial<
    Pick<StoredRow<AccountTables['account_links']>, 'accountId' | 'createdBy' | keyof NewInvitation>
  >,
  now: number,
): Promise<{ link: AccountLink; token: string }> {
  const token = randomToken()
  const row = {
    id: createRecordId(link.kind === 'invitation' ? 'inv' : 'lnk', now),
    ...{ accountId: null, email: null, role: null, plan: null, createdBy: null, ...link },
    createdAt: now,
    expiresAt: now + lifeMs[link.kind],
  }
  await insertRow(session, 'account_links', { ...row, tokenHash: hashSecret(token) })
  return { link: plainRow(row), token }
}
