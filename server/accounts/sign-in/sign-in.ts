// Starts sessions by e-mail and password, or by one-time link. An unknown account is treated exactly like
// a wrong password: the same counts, computation and response.

import type { Static } from 'typebox'
import type { ApiCall } from '#kit/api/operation.ts'
import { originOfAccount, recordAudit } from '#kit/audit/record-audit.ts'
import type { Account, Caller } from '#kit/caller.ts'
import type { Session } from '#kit/database/database.ts'
import { locked } from '#kit/database/transactions.ts'
import { AppError } from '#kit/errors.ts'
import { invalid } from '#kit/schema/checks.ts'
import type { AccountContext } from '../people/account-context.ts'
import {
  findAccount,
  findAccountByEmail,
  hasOperator,
  insertAccount,
  replacePasswordHash,
  type StoredAccount,
  targetOf,
  withoutSecrets,
} from '../people/accounts.ts'
import { type EmailAddress, parseEmail } from '../people/email-address.ts'
import { type AccountLink, deleteUnusedLinks, findLink, markLinkUsed } from '../people/links.ts'
import { findPasswordProblem, type Hashing } from '../people/passwords.ts'
import type {
  LinkKind,
  NewAccount,
  PasswordByLink,
  SignIn,
  SignInMethod,
} from '../people/schema.ts'
import { removeTokens } from '../sessions/access-tokens.ts'
import { endSession, endSessions, type Origin, startSession } from '../sessions/sessions.ts'
import { type SecondFactorOutcome, verifySecondFactor, wrongCode } from './second-factor.ts'
import {
  applicantOf,
  countAttempt,
  isKnownAddress,
  recordFailedSignIn,
  withCodeAttempt,
} from './sign-in-limits.ts'

export interface SignedIn {
  account: Account
  /** Of the new session; only its hash is stored. */
  token: string
}

/** The origin of a sign-in request, and its current caller, whose session ends. */
export interface Visitor extends Origin {
  caller: Caller | undefined
}

export function visitorOf({
  address,
  caller,
  request,
}: Pick<ApiCall<Caller | undefined>, 'address' | 'caller' | 'request'>): Visitor {
  return { caller, address, userAgent: request.headers['user-agent'] ?? '' }
}

/**
 * Starts a session. Throws `invalid_credentials`, `rate_limited` after too many failures, and
 * `unavailable` when too many people sign in at the same time. Only if the password is right:
 * `second_factor_required` without a code that the account requires, `invalid_code`.
 */
export async function signIn(
  context: AccountContext,
  { code, email, password }: Static<typeof SignIn>,
  visitor: Visitor,
): Promise<SignedIn> {
  const { clock, database, passwords, secrets } = context
  const { address } = visitor
  const key = parseEmail(email)?.key ?? email.toLowerCase()
  const stored = await findAccountByEmail(database.read, key)
  try {
    const claim = { account: stored, key, password, address }
    const { account, hashing } = await checkPassword(context, claim)
    const hash = passwords.isOutdated(account.passwordHash)
      ? // Rehash with the current parameters; under load, leave it to a later sign-in.
        await hashing.hash(password).catch(() => undefined)
      : undefined
    const start = locked(async (session): Promise<SignedIn | AppError> => {
      // If the password was changed during the check, its sessions have ended.
      const current = await findAccount(session, account.id)
      if (current?.passwordHash !== account.passwordHash) return wrongCredentials()
      const now = clock()
      const origin = originOfAccount(account, address, now)
      const factor = await verifySecondFactor(session, account.id, code, secrets, origin)
      if (factor === 'missing' || factor === 'wrong') return refusalOf(factor)
      if (hash !== undefined) await replacePasswordHash(session, account, hash)
      return await enter(session, withoutSecrets(current), methods[factor], visitor, now)
    })
    const attempt = { accountId: account.id, code, address }
    return await withCodeAttempt(context, attempt, () => start(database))
  } catch (error) {
    if (error instanceof AppError) await recordFailedSignIn(context, stored, address, error)
    throw error
  }
}

/** A password to check for an account, which may not exist. */
interface Claim {
  account: StoredAccount | undefined
  /** The key of the e-mail address. */
  key: string
  password: string
  address: string
  /** The claim comes with a session of the account. */
  isSignedIn?: true
}

/** Returns the account if the password is correct, and hashing for the same client. Throws like signIn. */
export async function checkPassword(
  { allowances, database, passwords }: AccountContext,
  { account, address, isSignedIn, key, password }: Claim,
): Promise<{ account: StoredAccount; hashing: Hashing }> {
  const isKnown = await isKnownAddress(database.read, account?.id, address)
  const attempt = { target: key, address, isKnown }
  const refund = await countAttempt(allowances, attempt)
  const applicant = applicantOf(attempt)
  const hashing = passwords.hashingOf(isSignedIn ? { ...applicant, isKnown: true } : applicant)
  let isRight: boolean
  try {
    // An account without a password is treated like an unknown one.
    isRight = await hashing.verify(password, account?.passwordHash || undefined)
  } catch (error) {
    await refund()
    throw error
  }
  if (!account || !isRight) throw wrongCredentials()
  await refund()
  return { account, hashing }
}

const methods = {
  off: 'password',
  code: 'password_code',
  recovery_code: 'password_recovery_code',
} as const

function refusalOf(outcome: Extract<SecondFactorOutcome, 'missing' | 'wrong'>): AppError {
  if (outcome === 'wrong') return wrongCode()
  const message = 'Enter a code of your authenticator app, or a recovery code.'
  return new AppError('second_factor_required', message)
}

/**
 * Creates an account from the set-up link or an invitation, and starts a session. Throws `link_not_valid`, also if the
 * account of the invitation's address exists by now, `email_taken` for the set-up link, `invalid_body` for an invalid
 * address or password, and `rate_limited`.
 */
export async function createAccount(
  context: AccountContext,
  kind: Exclude<LinkKind, 'password'>,
  { email: typed, name, password, token }: Static<typeof NewAccount>,
  visitor: Visitor,
): Promise<SignedIn> {
  const { clock, database } = context
  const { hashing, link } = await getLink(context, kind, token, visitor)
  const email = readEmail(typed, 'email')
  if (link.email !== undefined && parseEmail(link.email)?.key !== email.key) {
    const message = `email must be ${link.email}: the invitation is for this address.`
    throw invalid('invalid_body', [{ path: 'email', message }])
  }
  requirePassword(password, email.text, 'password')
  const passwordHash = await hashing.hash(password)
  const redeem = locked(async (session): Promise<SignedIn | AppError> => {
    const now = clock()
    const current = await findLink(session, token, now)
    if (current?.kind !== kind) return linkNotValid()
    if (kind === 'set_up' && (await hasOperator(session))) return linkNotValid()
    const { plan = 'free', role = 'member' } = current
    const newAccount = { email, name, passwordHash, plan, role, createdAt: now }
    const account = await insertAccount(session, newAccount)
    if (account instanceof AppError) return kind === 'set_up' ? account : linkNotValid()
    const origin = originOfAccount(account, visitor.address, now, 'link')
    const detail = { role: account.role, plan: account.plan }
    await recordAudit(session, origin, 'account.created', targetOf(account), detail)
    await markLinkUsed(session, current.id, now)
    if (role === 'operator') await deleteUnusedLinks(session, 'kind', 'set_up')
    return await enter(session, account, 'link', visitor, now)
  })
  return await redeem(database)
}

/**
 * Sets a password by link, ends all sessions of the account, and starts a new one. Throws `link_not_valid`,
 * `invalid_body` for an invalid password, and `rate_limited`.
 */
export async function resetPassword(
  context: AccountContext,
  { code, password, revokeTokens = true, token }: Static<typeof PasswordByLink>,
  visitor: Visitor,
): Promise<SignedIn> {
  const { clock, database, secrets } = context
  const { address } = visitor
  const { hashing, link } = await getLink(context, 'password', token, visitor)
  requirePassword(password, link.email ?? '', 'password')
  const hash = await hashing.hash(password)
  const redeem = locked(async (session): Promise<SignedIn | AppError> => {
    const now = clock()
    const current = await findLink(session, token, now)
    if (current?.kind !== 'password') return linkNotValid()
    const account = await findAccount(session, current.accountId ?? '')
    if (!account) return linkNotValid()
    const origin = originOfAccount(account, address, now, 'link')
    // A link that others have read is not enough. It stays valid until the code is right.
    const factor = await verifySecondFactor(session, account.id, code, secrets, origin)
    if (factor === 'missing' || factor === 'wrong') return refusalOf(factor)
    await markLinkUsed(session, current.id, now)
    await setPassword(session, account, hash, now)
    await recordAudit(session, origin, 'account.password_reset', targetOf(account))
    if (revokeTokens) await removeTokens(session, account.id, origin)
    const method = factor === 'off' ? 'link' : methods[factor]
    return await enter(session, withoutSecrets(account), method, visitor, now)
  })
  const attempt = { accountId: link.accountId ?? '', code, address, isByLink: true } as const
  return await withCodeAttempt(context, attempt, () => redeem(database))
}

/** Inside a transaction that holds the lock: also ends the other sessions and deletes password links. */
export async function setPassword(
  session: Session,
  account: StoredAccount,
  hash: string,
  now: number,
  keptSession?: string,
): Promise<boolean> {
  if (!(await replacePasswordHash(session, account, hash))) return false
  await endSessions(session, account.id, now, keptSession)
  await deleteUnusedLinks(session, 'account_id', account.id)
  return true
}

/** Inside a transaction that holds the lock: starts a session, and ends the caller's current one. */
export async function enter(
  session: Session,
  account: Account,
  method: SignInMethod,
  { caller, ...origin }: Visitor,
  now: number,
): Promise<SignedIn> {
  if (caller?.by.kind === 'session') await endSession(session, caller.account.id, caller.by.id, now)
  const { id, token } = await startSession(session, account.id, origin, method, now)
  const by = { ...originOfAccount(account, origin.address, now), credentialId: id }
  await recordAudit(session, by, 'session.started', { id, name: account.email }, { method })
  return { account, token }
}

/** Checks a link before any expensive work, and limits how often it is tried. Who has a link goes first. */
async function getLink(
  { allowances, clock, database, passwords }: AccountContext,
  kind: LinkKind,
  token: string,
  { address }: Visitor,
): Promise<{ link: AccountLink; hashing: Hashing }> {
  const link = await findLink(database.read, token, clock())
  if (link?.kind !== kind) throw linkNotValid()
  const attempt = { target: `link ${link.id}`, address, isKnown: false }
  await countAttempt(allowances, attempt)
  return { link, hashing: passwords.hashingOf({ ...applicantOf(attempt), isKnown: true }) }
}

/** Parses an address that a client sent in the field `path`. Throws `invalid_body`. */
export function readEmail(text: string, path: string): EmailAddress {
  const email = parseEmail(text)
  if (email) return email
  const message = `${path} must be an e-mail address such as rosa@example.com.`
  throw invalid('invalid_body', [{ path, message }])
}

/** Throws `invalid_body` if the password does not meet the rules. */
export function requirePassword(password: string, email: string, path: string): void {
  const reason = findPasswordProblem(password, email)
  if (reason) throw invalid('invalid_body', [{ path, message: `${path} ${reason}.` }])
}

function wrongCredentials(): AppError {
  return new AppError('invalid_credentials', 'Incorrect email or password.')
}

export function linkNotValid(): AppError {
  const message = 'This link is invalid, has expired or was already used. Ask for a new one.'
  return new AppError('link_not_valid', message)
}
