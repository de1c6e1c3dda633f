// Ways to a session: e-mail and password, and the one-time links. For an account that does not exist the
// same is counted, computed and answered as for a wrong password.

import { refundAllowance, spendAllowance } from '../allowances/spend-allowance.ts'
import type { RateLimit } from '../config/variables.ts'
import { type Database, each, type Session } from '../database/database.ts'
import { AppError } from '../errors.ts'
import type { Account, Caller } from '../management/caller.ts'
import { networkOf } from '../network/network-of.ts'
import { invalid } from '../schema/checks.ts'
import { hashSecret } from '../secret-text.ts'
import type { AccountContext } from './account-context.ts'
import {
  findAccount,
  findAccountByEmail,
  hasOperator,
  insertAccount,
  replacePasswordHash,
  type StoredAccount,
} from './accounts.ts'
import { type EmailAddress, parseEmail } from './email-address.ts'
import {
  type AccountLink,
  dropLinksOfAccount,
  dropSetUpLink,
  findLink,
  type LinkKind,
  takeLink,
} from './links.ts'
import { lockAccounts } from './lock-accounts.ts'
import { refusePassword } from './password-rules.ts'
import type { Hashing } from './passwords.ts'
import { beginSession, endSession, endSessions, listAddresses, type Origin } from './sessions.ts'

export interface SignedIn {
  account: Account
  /** Of the session that has begun; it is kept nowhere. */
  token: string
}

/** Who is at the door: where from, and the caller that the request came by, whose session ends. */
export interface Visitor extends Origin {
  caller: Caller | undefined
}

/**
 * Begins a session. Throws `invalid_credentials`, `rate_limited` after too many failures, and
 * `unavailable` when too many sign in at once.
 */
export async function signIn(
  context: AccountContext,
  given: { email: string; password: string },
  visitor: Visitor,
): Promise<SignedIn> {
  const { clock, database, passwords } = context
  return await passwords.admit(async (hashing) => {
    const key = parseEmail(given.email)?.key ?? given.email.toLowerCase()
    const found = await findAccountByEmail(database.read, key)
    const claim = { account: found, key, password: given.password, address: visitor.address }
    const account = await checkPassword(context, hashing, claim)
    const hash = passwords.isOutdated(account.passwordHash)
      ? // Who signs in gets the parameters of today; when there is no time for that, another time.
        await hashing.hash(given.password).catch(() => undefined)
      : undefined
    const signedIn = await database.write(beginning, { account, hash, visitor, now: clock() })
    if (!signedIn) throw wrongCredentials()
    return signedIn
  })
}

/** What somebody says: that this is the password of the account, which may not exist. */
interface Claim {
  account: StoredAccount | undefined
  /** That of the e-mail address. */
  key: string
  password: string
  address: string
}

/** Gives the account when the claim is right, and throws as signIn does. */
export async function checkPassword(
  { allowances, clock, database }: AccountContext,
  { verify }: Hashing,
  { account, address, key, password }: Claim,
): Promise<StoredAccount> {
  const isKnownNetwork = async (network: string): Promise<boolean> => {
    const addresses = await listAddresses(database.read, account?.id ?? '')
    return addresses.some((known) => networkOf(known) === network)
  }
  const attempt = { target: key, address, isKnownNetwork }
  const takeBack = await countAttempt(allowances, attempt, clock())
  let isRight: boolean
  try {
    isRight = await verify(password, account?.passwordHash)
  } catch (error) {
    await takeBack()
    throw error
  }
  if (!account || !isRight) throw wrongCredentials()
  await takeBack()
  return account
}

interface Beginning {
  account: StoredAccount
  /** Of the same password, by better parameters. */
  hash: string | undefined
  visitor: Visitor
  now: number
}

const beginning = each(
  async (session, { account, hash, now, visitor }: Beginning): Promise<SignedIn | undefined> => {
    await lockAccounts(session)
    // The password may have been changed while it was checked; its sessions have ended then.
    const current = await findAccount(session, account.id)
    if (current?.passwordHash !== account.passwordHash) return undefined
    if (hash !== undefined) await replacePasswordHash(session, account, hash)
    return await enter(session, current, visitor, now)
  },
)

/** What a new account is made of, unchecked. */
interface AccountWanted {
  email: string
  name: string
  password: string
}

/**
 * Makes an account by the set-up link or an invitation, and begins a session. Throws `link_not_valid`,
 * `email_taken`, `invalid_body` for what cannot be an address or a password, and `rate_limited`.
 */
export async function makeAccount(
  context: AccountContext,
  kind: Exclude<LinkKind, 'password'>,
  token: string,
  { email: typed, name, password }: AccountWanted,
  visitor: Visitor,
): Promise<SignedIn> {
  const { clock, database, passwords } = context
  return await passwords.admit(async ({ hash }) => {
    const link = await getLink(context, kind, token, visitor)
    const email = readEmail(typed, 'email')
    if (link.email !== undefined && parseEmail(link.email)?.key !== email.key) {
      const message = `email must be ${link.email}: the invitation is for this address.`
      throw invalid('invalid_body', [{ path: 'email', message }])
    }
    requirePassword(password, email.text, 'password')
    const passwordHash = await hash(password)
    const input = { kind, token, email, name, passwordHash, visitor, now: clock() }
    const outcome = await database.write(making, input)
    if (outcome instanceof AppError) throw outcome
    return outcome
  })
}

interface Making {
  kind: LinkKind
  token: string
  email: EmailAddress
  name: string
  passwordHash: string
  visitor: Visitor
  now: number
}

const making = each(
  async (
    session,
    { kind, now, token, visitor, ...wanted }: Making,
  ): Promise<SignedIn | AppError> => {
    await lockAccounts(session)
    const link = await findLink(session, token, now)
    if (link?.kind !== kind) return linkNotValid()
    if (kind === 'set_up' && (await hasOperator(session))) return linkNotValid()
    const { plan, role } = link
    const account = await insertAccount(session, { ...wanted, plan, role, now })
    if (account instanceof AppError) return account
    await takeLink(session, [kind], token, now)
    if (role === 'operator') await dropSetUpLink(session)
    return await enter(session, account, visitor, now)
  },
)

/**
 * Sets a password by link, ends all the sessions of the account, and begins one. Throws `link_not_valid`,
 * `invalid_body` for what cannot be a password, and `rate_limited`.
 */
export async function resetPassword(
  context: AccountContext,
  { password, token }: { password: string; token: string },
  visitor: Visitor,
): Promise<SignedIn> {
  const { clock, database, passwords } = context
  return await passwords.admit(async (hashing) => {
    const link = await getLink(context, 'password', token, visitor)
    requirePassword(password, link.email ?? '', 'password')
    const hash = await hashing.hash(password)
    const signedIn = await database.write(resetting, { hash, token, visitor, now: clock() })
    if (!signedIn) throw linkNotValid()
    return signedIn
  })
}

interface Resetting {
  hash: string
  token: string
  visitor: Visitor
  now: number
}

const resetting = each(
  async (session, { hash, now, token, visitor }: Resetting): Promise<SignedIn | undefined> => {
    await lockAccounts(session)
    const link = await takeLink(session, ['password'], token, now)
    const account = await findAccount(session, link?.accountId ?? '')
    if (!account) return undefined
    await setPassword(session, account, hash, now)
    return await enter(session, account, visitor, now)
  },
)

/** Inside a write that has the lock: ends the account's sessions but one, and the links to set it anew. */
export async function setPassword(
  session: Session,
  account: StoredAccount,
  hash: string,
  now: number,
  keptSession?: string,
): Promise<boolean> {
  if (!(await replacePasswordHash(session, account, hash))) return false
  await endSessions(session, account.id, now, keptSession)
  await dropLinksOfAccount(session, account.id)
  return true
}

/** Begins a session, and ends the one that the request came by. */
async function enter(
  session: Session,
  account: Account,
  { caller, ...origin }: Visitor,
  now: number,
): Promise<SignedIn> {
  if (caller?.by.kind === 'session') await endSession(session, caller.account.id, caller.by.id, now)
  const { createdAt, email, id, name, plan, role } = account
  const { token } = await beginSession(session, id, origin, now)
  return { account: { id, email, name, role, plan, createdAt }, token }
}

/** Costly work is done for a link that is valid alone, and not too often for one. */
async function getLink(
  { allowances, clock, database }: AccountContext,
  kind: LinkKind,
  token: string,
  { address }: Visitor,
): Promise<AccountLink> {
  const link = await findLink(database.read, token, clock())
  if (link?.kind !== kind) throw linkNotValid()
  await countAttempt(allowances, { target: `link ${link.id}`, address }, clock())
  return link
}

/** Reads an address that a client has sent in the field `path`. Throws `invalid_body`. */
export function readEmail(text: string, path: string): EmailAddress {
  const email = parseEmail(text)
  if (email) return email
  const message = `${path} must be an e-mail address such as rosa@example.com.`
  throw invalid('invalid_body', [{ path, message }])
}

/** Throws `invalid_body` for a password that a client may not choose. */
export function requirePassword(password: string, email: string, path: string): void {
  const reason = refusePassword(password, email)
  if (reason) throw invalid('invalid_body', [{ path, message: `${path} ${reason}.` }])
}

function wrongCredentials(): AppError {
  return new AppError('invalid_credentials', 'Incorrect email or password.')
}

export function linkNotValid(): AppError {
  const message = 'This link was used, has expired, or never was. Ask for another.'
  return new AppError('link_not_valid', message)
}

// Sign-in attempts are counted per account and network, per network, and per account from everywhere.
// Unknown accounts are counted in the same way, so that the counts reveal nothing. The last limit does not
// apply to networks that the account's owner has signed in from: others cannot lock the owner out.
interface Attempt {
  /** What is tried, such as the key of an e-mail address; it is kept as a hash. */
  target: string
  /** Where it is tried from. */
  address: string
  /** Whether the target's owner is known to use this network; asked only when it matters. */
  isKnownNetwork?: (network: string) => Promise<boolean>
}

const quarter = 15 * 60
const limits = {
  network: { requests: 60, windowSeconds: quarter },
  pair: { requests: 10, windowSeconds: quarter },
  target: { requests: 100, windowSeconds: 3600 },
} as const satisfies Record<string, RateLimit>

interface Spent {
  key: string
  limit: RateLimit
}

/**
 * Counts an attempt. Throws `rate_limited` when there have been too many. What it gives takes the attempt
 * back: to be called when it succeeded, or nobody found out.
 */
async function countAttempt(
  allowances: Database,
  { address, isKnownNetwork, target }: Attempt,
  now: number,
): Promise<() => Promise<void>> {
  const network = networkOf(address)
  const hashed = hashSecret(target).slice(0, 32)
  const spent: Spent[] = []
  const takeBack = async (): Promise<void> => {
    for (const { key, limit } of spent.splice(0)) await refundAllowance(allowances, key, limit)
  }
  /** Seconds until there is one again; undefined when it was spent. */
  const spend = async (key: string, limit: RateLimit): Promise<number | undefined> => {
    const { isSpent, retryInSeconds } = await spendAllowance(allowances, key, limit, now)
    if (!isSpent) return retryInSeconds
    spent.push({ key, limit })
    return undefined
  }
  let waitSeconds =
    (await spend(`sign-in from ${network}`, limits.network)) ??
    (await spend(`sign-in ${hashed} from ${network}`, limits.pair))
  if (waitSeconds === undefined) {
    waitSeconds = await spend(`sign-in ${hashed}`, limits.target)
    if (waitSeconds !== undefined && (await isKnownNetwork?.(network))) waitSeconds = undefined
  }
  if (waitSeconds !== undefined) {
    // A refused attempt told nobody anything.
    await takeBack()
    throw new AppError('rate_limited', 'Too many attempts have failed. Try again later.', {
      headers: { 'Retry-After': `${waitSeconds}` },
    })
  }
  return takeBack
}
