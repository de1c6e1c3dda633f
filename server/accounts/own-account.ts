// Changes that owners make to their account. A change of the e-mail address or the password requires the
// current password, so that an unattended browser is not enough.

import type { Static } from 'typebox'
import { type AuditOrigin, originOf, recordAudit } from '#kit/audit/record-audit.ts'
import { locked } from '#kit/database/transactions.ts'
import { AppError } from '#kit/errors.ts'
import type { Account, Caller } from '#kit/management/caller.ts'
import { invalid } from '#kit/schema/checks.ts'
import type { AccountContext } from './account-context.ts'
import {
  accountNotFound,
  changeAccount,
  findAccount,
  noPassword,
  type StoredAccount,
  targetOf,
} from './accounts.ts'
import { requestEmailChange } from './change-email.ts'
import { parseEmail } from './email-address.ts'
import type { Hashing } from './passwords.ts'
import type { AccountPatch } from './schema.ts'
import { listSessions } from './sessions.ts'
import { checkPassword, readEmail, requirePassword, setPassword } from './sign-in.ts'
import { applicantOf } from './sign-in-limits.ts'

/**
 * Changes the name, and requests the change of the e-mail address: it takes effect when it is confirmed. Without a
 * mail server it takes effect at once for operators only. Throws like checkPassword and requestEmailChange.
 */
export async function changeOwnAccount(
  context: AccountContext,
  caller: Caller,
  { currentPassword, email: typed, name }: Static<typeof AccountPatch>,
  address: string,
): Promise<Account> {
  const email = typed === undefined ? undefined : readEmail(typed, 'email')
  if (email) {
    if (currentPassword === undefined) {
      const message = 'currentPassword is required to change the e-mail address.'
      throw invalid('invalid_body', [{ path: 'currentPassword', message }])
    }
    await requireOwnPassword(context, caller, currentPassword, address)
  }
  const { account } = caller
  const origin = originOf({ address, caller }, context.clock())
  const isImmediate =
    email?.key === parseEmail(account.email)?.key ||
    (!context.sendMail && account.role === 'operator')
  if (email && !isImmediate) await requestEmailChange(context, account.id, email, origin)
  const change = { name, email: isImmediate ? email : undefined }
  return await changeAccount(context.database, account.id, change, origin)
}

/** Sets a new password and ends all other sessions. Throws like checkPassword. */
export async function changeOwnPassword(
  context: AccountContext,
  caller: Caller,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
  address: string,
): Promise<void> {
  const { clock, database } = context
  requirePassword(newPassword, caller.account.email, 'newPassword')
  const { account, hashing } = await checkOwn(context, caller, currentPassword, address)
  const hash = await hashing.hash(newPassword)
  const origin = originOf({ address, caller }, clock())
  if (!(await setOwnPassword(database, account, hash, origin, caller.by.id)))
    throw new AppError('conflict', 'The password has just been changed by another request.')
}

const firstPasswordMs = 10 * 60_000

/**
 * Sets the password of an account that has none. There is nothing else to ask for, so the user has just signed in.
 * Throws `sign_in_too_old`, `conflict`.
 */
export async function setFirstPassword(
  context: AccountContext,
  caller: Caller,
  newPassword: string,
  address: string,
): Promise<void> {
  const { clock, database, passwords } = context
  const account = await findAccount(database.read, caller.account.id)
  if (!account) throw accountNotFound()
  if (account.passwordHash !== noPassword) {
    throw new AppError('conflict', 'The account has a password already. Change it instead.')
  }
  const now = clock()
  const sessions = await listSessions(database.read, account.id, now)
  const current = sessions.find(({ id }) => id === caller.by.id)
  if (!current || now - current.createdAt > firstPasswordMs) {
    const message = 'Sign out, sign in again, and set the password within ten minutes.'
    throw new AppError('sign_in_too_old', message)
  }
  requirePassword(newPassword, account.email, 'newPassword')
  const applicant = applicantOf({ target: account.emailKey, address, isKnown: true })
  const hash = await passwords.hashingOf(applicant).hash(newPassword)
  const origin = originOf({ address, caller }, now)
  if (!(await setOwnPassword(database, account, hash, origin, current.id)))
    throw new AppError('conflict', 'The password has just been set by another request.')
}

const setOwnPassword = locked(
  async (session, account: StoredAccount, hash: string, origin: AuditOrigin, kept: string) => {
    if (!(await setPassword(session, account, hash, origin.at, kept))) return false
    await recordAudit(session, origin, 'account.password_changed', targetOf(account))
    return true
  },
)

/** Throws unless the password is the caller's. Throws like checkPassword. */
export async function requireOwnPassword(
  context: AccountContext,
  caller: Caller,
  password: string,
  address: string,
): Promise<void> {
  await checkOwn(context, caller, password, address)
}

async function checkOwn(
  context: AccountContext,
  caller: Caller,
  password: string,
  address: string,
): Promise<{ account: StoredAccount; hashing: Hashing }> {
  const account = await findAccount(context.database.read, caller.account.id)
  if (!account) throw accountNotFound()
  const claim = { account, key: account.emailKey, password, address, isSignedIn: true } as const
  return await checkPassword(context, claim)
}
