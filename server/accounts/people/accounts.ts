// Finds, lists, creates, changes and removes accounts. The last operator cannot be removed, and operators
// are always on the paid plan.

import { sql } from 'kysely'
import { type AuditOrigin, recordAudit } from '#kit/audit/record-audit.ts'
import type { Account, Plan, Role } from '#kit/caller.ts'
import { findOne, getOne, type Session } from '#kit/database/database.ts'
import { findPlain, type PlainRow, plainRow } from '#kit/database/plain-row.ts'
import { locked } from '#kit/database/transactions.ts'
import { AppError } from '#kit/errors.ts'
import { createRecordId } from '#kit/identifiers.ts'
import type { AccountContext } from './account-context.ts'
import { removePendingEmail } from './confirmed-email.ts'
import type { EmailAddress } from './email-address.ts'
import { deleteUnusedLinks, insertLink, renewSetUpLink } from './links.ts'
import { type AccountTables, insertRow, prepare, prepareQuery } from './tables.ts'

/** An account with the fields that are never sent to clients. */
export type StoredAccount = PlainRow<AccountTables['accounts']>

const shown = ['id', 'email', 'name', 'role', 'plan', 'created_at'] as const
const columns = [...shown, 'email_key', 'password_hash'] as const

/** Of the account that a row is joined with. */
export const joinedColumns = [
  'account_id',
  'email',
  'name',
  'role',
  'plan',
  'accounts.created_at as account_created_at',
] as const

export function toAccount(
  row: Omit<AccountTables['accounts'], 'id' | 'created_at' | 'email_key' | 'password_hash'> & {
    account_id: string
    account_created_at: bigint
  },
): Account {
  const { account_created_at: createdAt, account_id: id, email, name, plan, role } = row
  return { id, email, name, role, plan, createdAt: Number(createdAt) }
}

const byId = prepare.select('accounts', columns, { id: 'id' })
const byKey = prepare.select('accounts', columns, { email_key: 'key' })
const page = prepareQuery<{ after: string; most: number; pattern: string }>()((db, param) =>
  db
    .selectFrom('accounts')
    .select(shown)
    .where('id', '>', param('after'))
    .where((eb) =>
      eb.or([
        sql<boolean>`lower(name) like ${param('pattern')} escape '!'`,
        sql<boolean>`lower(email) like ${param('pattern')} escape '!'`,
      ]),
    )
    .orderBy('id')
    .limit(param('most')),
)
const update = prepare.update(
  'accounts',
  { email: 'email', email_key: 'key', name: 'name' },
  { id: 'id' },
)
const updateStanding = prepare.update('accounts', { role: 'role', plan: 'plan' }, { id: 'id' })
const updatePassword = prepare.update(
  'accounts',
  { password_hash: 'hash' },
  { id: 'id', password_hash: 'before' },
  ['id'],
)
const remove = prepare.delete('accounts', { id: 'id' })
const countOperators = prepare.count('accounts', { role: { value: 'operator' } })

export const findAccount = (session: Session, id: string): Promise<StoredAccount | undefined> =>
  findPlain(session, byId, { id })

/** `key` is the key of an EmailAddress. */
export const findAccountByEmail = (session: Session, key: string) =>
  findPlain(session, byKey, { key })

/** Oldest first, starting after the id `after`, which may be any text. */
export async function listAccounts(
  session: Session,
  after: string,
  most: number,
  text = '',
): Promise<Account[]> {
  const pattern = `%${text.toLowerCase().replaceAll(/[!%_]/g, '!$&')}%`
  return (await session.all(page, { after, most, pattern })).map(plainRow)
}

export async function hasOperator(session: Session): Promise<boolean> {
  return (await getOne(session, countOperators, {})).count > 0n
}

/** Before serving: renews the set-up link and returns its token; undefined once there is an operator. */
export const prepareAccounts = locked(async (session, now: number) =>
  (await hasOperator(session)) ? undefined : await renewSetUpLink(session, now),
)

/** Of an account that has no password: it signs in by a provider. No password matches it. */
export const noPassword = ''

/** Inside a transaction that holds the lock. Returns `email_taken` if another account has the address. */
export async function insertAccount(
  session: Session,
  {
    email,
    passwordHash,
    ...fields
  }: Omit<Account, 'id' | 'email'> & { email: EmailAddress; passwordHash: string },
): Promise<Account | AppError> {
  if (await findOne(session, byKey, { key: email.key })) return emailTaken()
  const { createdAt, name, role } = fields
  const id = createRecordId('acc', createdAt)
  const plan = role === 'operator' ? 'paid' : fields.plan
  const row = { id, email: email.text, emailKey: email.key, name, passwordHash, role, plan }
  await insertRow(session, 'accounts', { ...row, createdAt })
  return { ...fields, id, email: email.text, plan }
}

/**
 * Changes name and e-mail address at once. Returns `email_taken` if another account has the address: for operators,
 * who see all accounts, and for spellings of the account's own address.
 */
export const changeAccount = locked(
  async (
    session,
    id: string,
    { email, name }: { name?: string | undefined; email?: EmailAddress | undefined },
    origin: AuditOrigin,
  ): Promise<Account | AppError> => {
    const before = await findAccount(session, id)
    if (!before) return accountNotFound()
    if (email) {
      const holder = await findOne(session, byKey, { key: email.key })
      if (holder && holder.id !== id) return emailTaken()
    }
    const after = { email: email?.text ?? before.email, name: name ?? before.name }
    await session.all(update, { id, key: email?.key ?? before.emailKey, ...after })
    if (email) await removePendingEmail(session, id)
    const detail = {
      ...(after.email !== before.email && { email: after.email }),
      ...(after.name !== before.name && { name: after.name }),
    }
    if (Object.keys(detail).length > 0)
      await recordAudit(session, origin, 'account.changed', targetOf(before), detail)
    return { ...withoutSecrets(before), ...after }
  },
)

/** Inside a transaction that holds the lock, for an address that no other account has. */
export async function setEmail(
  session: Session,
  { id, name }: StoredAccount,
  { key, text }: EmailAddress,
): Promise<void> {
  await session.all(update, { id, name, email: text, key })
}

/** Changes role and plan. Returns a `conflict` for the last operator and for an operator's plan. */
export const changeStanding = locked(
  async (
    session,
    { id, plan, role }: { id: string; role?: Role; plan?: Plan },
    origin: AuditOrigin,
  ): Promise<Account | AppError> => {
    const before = await findAccount(session, id)
    if (!before) return accountNotFound()
    const after = { role: role ?? before.role, plan: plan ?? before.plan }
    if (after.role === 'operator') {
      if (plan === 'free') return new AppError('conflict', "An operator's plan is always paid.")
      after.plan = 'paid'
    } else if (before.role === 'operator') {
      if (await isLastOperator(session, before)) return lastOperator()
      // Otherwise the account could become an operator again with an invitation of its own.
      await deleteUnusedLinks(session, 'created_by', id)
    }
    await session.all(updateStanding, { id, ...after })
    for (const field of ['role', 'plan'] as const) {
      if (after[field] === before[field]) continue
      const action = field === 'role' ? 'account.role_changed' : 'plan.changed'
      const detail = { from: before[field], to: after[field] }
      await recordAudit(session, origin, action, targetOf(before), detail)
    }
    return { ...withoutSecrets(before), ...after }
  },
)

/** Removes an account with its sessions, tokens and links. Returns a `conflict` if it cannot be removed. */
export const removeAccount = locked(
  async (
    session,
    id: string,
    ownsProjects: AccountContext['ownsProjects'],
    origin: AuditOrigin,
  ): Promise<AppError | undefined> => {
    const account = await findOne(session, byId, { id })
    if (!account) return accountNotFound()
    if (await isLastOperator(session, account)) return lastOperator()
    if (await ownsProjects(session, id)) {
      const message = 'The account still owns projects. Delete or transfer them first.'
      return new AppError('conflict', message)
    }
    await deleteUnusedLinks(session, 'created_by', id)
    await session.all(remove, { id })
    await recordAudit(session, origin, 'account.deleted', { id, name: account.email })
    return undefined
  },
)

/**
 * Creates a link for resetting a forgotten password, which replaces earlier ones. The program does not send it: an
 * operator does. `token` is not stored.
 */
export const createPasswordLink = locked(
  async (session, accountId: string, origin: AuditOrigin) => {
    const account = await findAccount(session, accountId)
    if (!account) return accountNotFound()
    await deleteUnusedLinks(session, 'account_id', accountId)
    const { actorId: createdBy } = origin
    const link = { kind: 'password', accountId, createdBy, email: account.email } as const
    await recordAudit(session, origin, 'account.password_link_created', targetOf(account))
    return await insertLink(session, link, origin.at)
  },
)

/** Inside a transaction. False if the password has changed since the account was read. */
export async function replacePasswordHash(
  session: Session,
  { id, passwordHash }: StoredAccount,
  hash: string,
): Promise<boolean> {
  return (await session.all(updatePassword, { id, before: passwordHash, hash })).length > 0
}

/** An account as the audit log names it. */
export function targetOf({ email, id }: Pick<Account, 'email' | 'id'>) {
  return { id, name: email }
}

/** As it may be shown to its owner and to operators. */
export function withoutSecrets({
  emailKey: _,
  passwordHash: __,
  ...account
}: StoredAccount): Account {
  return account
}

async function isLastOperator(session: Session, { role }: { role: string }): Promise<boolean> {
  return role === 'operator' && (await getOne(session, countOperators, {})).count === 1n
}

export function accountNotFound(): AppError {
  return new AppError('account_not_found', 'Account not found.')
}

function lastOperator(): AppError {
  const message = 'This is the last operator. Make another account an operator first.'
  return new AppError('conflict', message)
}

export function emailTaken(): AppError {
  return new AppError('email_taken', 'Another account has this e-mail address.')
}
