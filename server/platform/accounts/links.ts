// One-time links: the set-up link of the first start, invitations and password resets. The token is in the
// link's fragment, which browsers do not send, so it is in no log. Only its hash is stored.
import { type Database, each, findOne, type Session } from '../database/database.ts'
import { AppError } from '../errors.ts'
import type { Plan, Role } from '../management/caller.ts'
import { createRecordId } from '../record-id.ts'
import { hashSecret, randomToken } from '../secret-text.ts'
import { lockAccounts } from './lock-accounts.ts'
import type { linkKinds } from './schema.ts'
import { prepareQuery } from './tables.ts'

export type LinkKind = (typeof linkKinds)[number]

export interface AccountLink {
  id: string
  kind: LinkKind
  /** The account whose password it sets. */
  accountId: string | undefined
  /** The address that the account has or must get. */
  email: string | undefined
  /** Of the account that it creates. */
  role: Role
  plan: Plan
  createdBy: string | undefined
  /** Milliseconds since the epoch, like all times here. */
  createdAt: number
  expiresAt: number
}

export interface NewInvitation {
  email?: string | undefined
  role: Role
  plan: Plan
  createdBy?: string | undefined
}

const dayMs = 24 * 60 * 60_000
const lifeMs: Record<LinkKind, number> = {
  set_up: 7 * dayMs,
  invitation: 7 * dayMs,
  password: dayMs,
}
const pages: Record<LinkKind, string> = {
  set_up: 'set-up',
  invitation: 'invitation',
  password: 'password',
}
const maxInvitations = 100

const columns = [
  'id',
  'kind',
  'account_id',
  'email',
  'role',
  'plan',
  'created_by',
  'created_at',
  'expires_at',
] as const

type Row = { [K in (typeof columns)[number]]: string | bigint | null }

const openByHash = prepareQuery<{ hash: string; now: number }>()((db, param) =>
  db
    .selectFrom('account_links')
    .select(columns)
    .where('token_hash', '=', param('hash'))
    .where('used_at', 'is', null)
    .where('expires_at', '>', param('now')),
)
const openOfKind = prepareQuery<{ kind: string; now: number; most: number }>()((db, param) =>
  db
    .selectFrom('account_links')
    .select(columns)
    .where('kind', '=', param('kind'))
    .where('used_at', 'is', null)
    .where('expires_at', '>', param('now'))
    .orderBy('id', 'desc')
    .limit(param('most')),
)
const insert = prepareQuery<{
  id: string
  kind: string
  hash: string
  account_id: string | null
  email: string | null
  role: string | null
  plan: string | null
  created_by: string | null
  now: number
  end: number
}>()((db, param) =>
  db.insertInto('account_links').values({
    id: param('id'),
    kind: param('kind'),
    token_hash: param('hash'),
    account_id: param('account_id'),
    email: param('email'),
    role: param('role'),
    plan: param('plan'),
    created_by: param('created_by'),
    created_at: param('now'),
    expires_at: param('end'),
  }),
)
const setUsed = prepareQuery<{ id: string; now: number }>()((db, param) =>
  db
    .updateTable('account_links')
    .set({ used_at: param('now') })
    .where('id', '=', param('id')),
)
const dropInvitation = prepareQuery<{ id: string; now: number }>()((db, param) =>
  db
    .deleteFrom('account_links')
    .where('id', '=', param('id'))
    .where('kind', '=', 'invitation')
    .where('used_at', 'is', null)
    .where('expires_at', '>', param('now'))
    .returning('id'),
)
const dropOfKind = prepareQuery<{ kind: string }>()((db, param) =>
  db.deleteFrom('account_links').where('kind', '=', param('kind')).where('used_at', 'is', null),
)
const dropOfAccount = prepareQuery<{ id: string }>()((db, param) =>
  db.deleteFrom('account_links').where('account_id', '=', param('id')).where('used_at', 'is', null),
)
const dropOfMaker = prepareQuery<{ id: string }>()((db, param) =>
  db.deleteFrom('account_links').where('created_by', '=', param('id')).where('used_at', 'is', null),
)

/** The URL of a link. */
export function linkAddress(dashboardUrl: URL, kind: LinkKind, token: string): string {
  return `${dashboardUrl.href.replace(/\/$/, '')}/${pages[kind]}#${token}`
}

/** The link of a token; undefined if it was used or has expired. */
export async function findLink(
  session: Session,
  token: string,
  now: number,
): Promise<AccountLink | undefined> {
  const row = await findOne(session, openByHash, { hash: hashSecret(token), now })
  return row && toLink(row)
}

/** Inside a transaction that holds the lock: marks the link as used and returns it. */
export async function takeLink(
  session: Session,
  kinds: readonly LinkKind[],
  token: string,
  now: number,
): Promise<AccountLink | undefined> {
  const link = await findLink(session, token, now)
  if (!link || !kinds.includes(link.kind)) return undefined
  await session.all(setUsed, { id: link.id, now })
  return link
}

/** Inside a transaction that holds the lock: replaces the set-up link and returns the new token. */
export async function renewSetUpLink(session: Session, now: number): Promise<string> {
  await dropSetUpLink(session)
  return (await insertLink(session, { kind: 'set_up', role: 'operator', plan: 'paid' }, now)).token
}

/** Inside a transaction. */
export async function dropSetUpLink(session: Session): Promise<void> {
  await session.all(dropOfKind, { kind: 'set_up' })
}

/** Creates an invitation. `token` is not stored. Returns `limit_reached` at `maxInvitations` open ones. */
export async function createInvitation(
  database: Database,
  invitation: NewInvitation,
  now: number,
): Promise<{ link: AccountLink; token: string } | AppError> {
  return await database.write(createInvitationTransaction, { invitation, now })
}

const createInvitationTransaction = each(
  async (
    session,
    { invitation, now }: { invitation: NewInvitation; now: number },
  ): Promise<{ link: AccountLink; token: string } | AppError> => {
    await lockAccounts(session)
    if ((await listInvitations(session, now)).length >= maxInvitations) {
      const message = `${maxInvitations} invitations are pending. Revoke the ones that you no longer need.`
      return new AppError('limit_reached', message)
    }
    const plan = invitation.role === 'operator' ? 'paid' : invitation.plan
    return await insertLink(session, { ...invitation, plan, kind: 'invitation' }, now)
  },
)

/** Invitations that can still be used, newest first. */
export async function listInvitations(session: Session, now: number): Promise<AccountLink[]> {
  const rows = await session.all(openOfKind, { kind: 'invitation', now, most: maxInvitations })
  return rows.map(toLink)
}

/** False if there is no such invitation that can still be used. */
export async function revokeInvitation(
  database: Database,
  id: string,
  now: number,
): Promise<boolean> {
  return await database.write(revokeInvitationTransaction, { id, now })
}

const revokeInvitationTransaction = each(
  async (session, { id, now }: { id: string; now: number }) => {
    await lockAccounts(session)
    return (await session.all(dropInvitation, { id, now })).length > 0
  },
)

/** Inside a transaction that holds the lock: replaces the account's password links by a new one. */
export async function renewPasswordLink(
  session: Session,
  { accountId, createdBy, email }: Pick<AccountLink, 'accountId' | 'createdBy' | 'email'>,
  now: number,
): Promise<{ link: AccountLink; token: string }> {
  await dropLinksOfAccount(session, accountId ?? '')
  return await insertLink(session, { kind: 'password', accountId, createdBy, email }, now)
}

/** Inside a transaction: deletes the account's unused password links. */
export async function dropLinksOfAccount(session: Session, id: string): Promise<void> {
  await session.all(dropOfAccount, { id })
}

/** Inside a transaction: deletes the unused links that an account has created, as it loses the role for them. */
export async function dropLinksOfMaker(session: Session, id: string): Promise<void> {
  await session.all(dropOfMaker, { id })
}

async function insertLink(
  session: Session,
  link: Partial<AccountLink> & { kind: LinkKind },
  now: number,
): Promise<{ link: AccountLink; token: string }> {
  const token = randomToken()
  const id = createRecordId(link.kind === 'invitation' ? 'inv' : 'lnk', now)
  const row = {
    id,
    kind: link.kind,
    account_id: link.accountId ?? null,
    email: link.email ?? null,
    role: link.role ?? null,
    plan: link.plan ?? null,
    created_by: link.createdBy ?? null,
  }
  const end = now + lifeMs[link.kind]
  await session.all(insert, { ...row, hash: hashSecret(token), now, end })
  return { link: toLink({ ...row, created_at: BigInt(now), expires_at: BigInt(end) }), token }
}

function toLink(row: Row): AccountLink {
  const text = (value: string | bigint | null): string | undefined => value?.toString()
  return {
    id: String(row.id),
    kind: row.kind as LinkKind,
    accountId: text(row.account_id),
    email: text(row.email),
    role: (row.role ?? 'member') as Role,
    plan: (row.plan ?? 'free') as Plan,
    createdBy: text(row.created_by),
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
  }
}
