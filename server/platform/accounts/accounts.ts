// Finds, lists, creates, changes and removes accounts. The last operator cannot be removed, and operators
// are always on the paid plan.
import { type Database, each, findOne, getOne, type Session } from '../database/database.ts'
import { AppError } from '../errors.ts'
import type { Account, Plan, Role } from '../management/caller.ts'
import { createRecordId } from '../record-id.ts'
import type { AccountContext } from './account-context.ts'
import type { EmailAddress } from './email-address.ts'
import { dropLinksOfMaker } from './links.ts'
import { lockAccounts } from './lock-accounts.ts'
import { prepareQuery } from './tables.ts'

/** An account with the fields that are never sent to clients. */
export interface StoredAccount extends Account {
  emailKey: string
  passwordHash: string
}

export interface NewAccountRow {
  email: EmailAddress
  name: string
  passwordHash: string
  role: Role
  plan: Plan
  now: number
}

const columns = [
  'id',
  'email',
  'email_key',
  'name',
  'role',
  'plan',
  'created_at',
  'password_hash',
] as const

/** The columns of an Account, also in joins. */
export interface AccountRow {
  id: string
  email: string
  name: string
  role: string
  plan: string
  created_at: bigint
}

const byId = prepareQuery<{ id: string }>()((db, param) =>
  db.selectFrom('accounts').select(columns).where('id', '=', param('id')),
)
const byKey = prepareQuery<{ key: string }>()((db, param) =>
  db.selectFrom('accounts').select(columns).where('email_key', '=', param('key')),
)
const page = prepareQuery<{ after: string; most: number }>()((db, param) =>
  db
    .selectFrom('accounts')
    .select(columns)
    .where('id', '>', param('after'))
    .orderBy('id')
    .limit(param('most')),
)
const insert = prepareQuery<{
  id: string
  email: string
  key: string
  name: string
  password_hash: string
  role: string
  plan: string
  now: number
}>()((db, param) =>
  db.insertInto('accounts').values({
    id: param('id'),
    email: param('email'),
    email_key: param('key'),
    name: param('name'),
    password_hash: param('password_hash'),
    role: param('role'),
    plan: param('plan'),
    created_at: param('now'),
  }),
)
const update = prepareQuery<{ id: string; email: string; key: string; name: string }>()(
  (db, param) =>
    db
      .updateTable('accounts')
      .set({ email: param('email'), email_key: param('key'), name: param('name') })
      .where('id', '=', param('id')),
)
const updateStanding = prepareQuery<{ id: string; role: string; plan: string }>()((db, param) =>
  db
    .updateTable('accounts')
    .set({ role: param('role'), plan: param('plan') })
    .where('id', '=', param('id')),
)
const updatePassword = prepareQuery<{ id: string; before: string; hash: string }>()((db, param) =>
  db
    .updateTable('accounts')
    .set({ password_hash: param('hash') })
    .where('id', '=', param('id'))
    .where('password_hash', '=', param('before'))
    .returning('id'),
)
const remove = prepareQuery<{ id: string }>()((db, param) =>
  db.deleteFrom('accounts').where('id', '=', param('id')),
)
const countOperators = prepareQuery()((db) =>
  db
    .selectFrom('accounts')
    .select((eb) => eb.fn.countAll<bigint>().as('operators'))
    .where('role', '=', 'operator'),
)

export function toAccount(row: AccountRow): Account {
  const { created_at, email, id, name } = row
  const role = row.role as Role
  const plan = row.plan as Plan
  return { id, email, name, role, plan, createdAt: Number(created_at) }
}

function toStored(row: AccountRow & { email_key: string; password_hash: string }): StoredAccount {
  return { ...toAccount(row), emailKey: row.email_key, passwordHash: row.password_hash }
}

export async function findAccount(
  session: Session,
  id: string,
): Promise<StoredAccount | undefined> {
  const row = await findOne(session, byId, { id })
  return row && toStored(row)
}

/** `key` is the key of an EmailAddress. */
export async function findAccountByEmail(
  session: Session,
  key: string,
): Promise<StoredAccount | undefined> {
  const row = await findOne(session, byKey, { key })
  return row && toStored(row)
}

/** Oldest first, starting after the id `after`, which may be any text. */
export async function listAccounts(
  session: Session,
  after: string,
  most: number,
): Promise<Account[]> {
  return (await session.all(page, { after, most })).map(toAccount)
}

export async function hasOperator(session: Session): Promise<boolean> {
  return (await getOne(session, countOperators, {})).operators > 0n
}

/** Inside a transaction that holds the lock. Returns `email_taken` if another account has the address. */
export async function insertAccount(
  session: Session,
  { email, name, now, passwordHash, plan, role }: NewAccountRow,
): Promise<Account | AppError> {
  if (await findOne(session, byKey, { key: email.key })) return emailTaken()
  const id = createRecordId('acc', now)
  const { key, text } = email
  const row = { id, email: text, key, name, password_hash: passwordHash, now }
  await session.all(insert, { ...row, role, plan: role === 'operator' ? 'paid' : plan })
  return toAccount(await getOne(session, byId, { id }))
}

interface Change {
  id: string
  name?: string | undefined
  email?: EmailAddress | undefined
}

/** Changes name and e-mail address. Returns `email_taken` if another account has the address. */
export async function changeAccount(
  database: Database,
  change: Change,
): Promise<Account | AppError> {
  return await database.write(changeAccountTransaction, change)
}

const changeAccountTransaction = each(
  async (session, { email, id, name }: Change): Promise<Account | AppError> => {
    await lockAccounts(session)
    const before = await findOne(session, byId, { id })
    if (!before) return accountNotFound()
    if (email) {
      const holder = await findOne(session, byKey, { key: email.key })
      if (holder && holder.id !== id) return emailTaken()
    }
    const after = { ...before, email: email?.text ?? before.email, name: name ?? before.name }
    await session.all(update, {
      id,
      email: after.email,
      key: email?.key ?? before.email_key,
      name: after.name,
    })
    return toAccount(after)
  },
)

interface Standing {
  id: string
  role?: Role | undefined
  plan?: Plan | undefined
}

/** Changes role and plan. Returns a `conflict` for the last operator and for an operator's plan. */
export async function changeStanding(
  database: Database,
  standing: Standing,
): Promise<Account | AppError> {
  return await database.write(changeStandingTransaction, standing)
}

const changeStandingTransaction = each(
  async (session, { id, plan, role }: Standing): Promise<Account | AppError> => {
    await lockAccounts(session)
    const before = await findOne(session, byId, { id })
    if (!before) return accountNotFound()
    const after = { ...before, role: role ?? before.role, plan: plan ?? before.plan }
    if (after.role === 'operator') {
      if (plan === 'free') return new AppError('conflict', "An operator's plan is always paid.")
      after.plan = 'paid'
    } else if (before.role === 'operator') {
      if (await isLastOperator(session, before)) return lastOperator()
      // Otherwise the account could become an operator again with an invitation of its own.
      await dropLinksOfMaker(session, id)
    }
    await session.all(updateStanding, { id, role: after.role, plan: after.plan })
    return toAccount(after)
  },
)

/** Removes an account with its sessions, tokens and links. Returns a `conflict` if it cannot be removed. */
export async function removeAccount(
  { database, ownsProjects }: Pick<AccountContext, 'database' | 'ownsProjects'>,
  id: string,
): Promise<AppError | undefined> {
  return await database.write(removeAccountTransaction, { id, ownsProjects })
}

const removeAccountTransaction = each(
  async (
    session,
    { id, ownsProjects }: Pick<AccountContext, 'ownsProjects'> & { id: string },
  ): Promise<AppError | undefined> => {
    await lockAccounts(session)
    const found = await findOne(session, byId, { id })
    if (!found) return accountNotFound()
    if (await isLastOperator(session, found)) return lastOperator()
    if (await ownsProjects(session, id)) {
      return new AppError(
        'conflict',
        'The account still owns projects. Delete or transfer them first.',
      )
    }
    await dropLinksOfMaker(session, id)
    await session.all(remove, { id })
    return undefined
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

async function isLastOperator(session: Session, { role }: { role: string }): Promise<boolean> {
  return role === 'operator' && (await getOne(session, countOperators, {})).operators === 1n
}

export function accountNotFound(): AppError {
  return new AppError('account_not_found', 'Account not found.')
}

function lastOperator(): AppError {
  return new AppError(
    'conflict',
    'This is the last operator. Make another account an operator first.',
  )
}

export function emailTaken(): AppError {
  return new AppError('email_taken', 'Another account has this e-mail address.')
}
