// Starts sessions by an identity at the provider. An identity finds its account by issuer and subject only. An unknown
// one gets an account by an invitation, or where the operator allows it; never an existing one by its e-mail address:
// whoever can enter an address at the provider would take the account over.

import type { AccountContext } from '#accounts/people/account-context.ts'
import {
  findAccount,
  insertAccount,
  noPassword,
  targetOf,
  withoutSecrets,
} from '#accounts/people/accounts.ts'
import { parseEmail } from '#accounts/people/email-address.ts'
import {
  type AccountLink,
  findLink,
  listInvitations,
  markLinkUsed,
} from '#accounts/people/links.ts'
import { takeChallenge, wasTaken } from '#accounts/sign-in/challenges.ts'
import { verifySecondFactor, wrongCode } from '#accounts/sign-in/second-factor.ts'
import { enter, linkNotValid, type SignedIn, type Visitor } from '#accounts/sign-in/sign-in.ts'
import { recordFailedSignIn, withCodeAttempt } from '#accounts/sign-in/sign-in-limits.ts'
import { originOfAccount, recordAudit } from '#kit/audit/record-audit.ts'
import type { Account } from '#kit/caller.ts'
import type { Session } from '#kit/database/database.ts'
import { locked } from '#kit/database/transactions.ts'
import { AppError } from '#kit/errors.ts'
import {
  findIdentity,
  findIdentityById,
  insertIdentity,
  setIdentityUsed,
  updateIdentity,
} from './identities.ts'
import { type Identity, type IdentityProvider, signInFailed } from './identity-provider.ts'
import { type CodeFlow, challengeOf, type SignInFlow } from './provider-flow.ts'

/** The account requires a code, too. */
interface CodeMissing {
  accountId: string
  identityId: string
}

/** Throws `identity_not_allowed` for an address that the email_domains of OIDC_URL do not allow. */
export function requireAllowed({ settings }: IdentityProvider, identity: Identity): void {
  const { emailDomains, name } = settings
  if (emailDomains.length === 0) return
  const domain = identity.email?.key.split('@')[1] ?? ''
  if (identity.isEmailVerified && emailDomains.includes(domain)) return
  const message = identity.isEmailVerified
    ? `Accounts of ${domain} at ${name} cannot be used here.`
    : `${name} has not verified your e-mail address.`
  throw new AppError('identity_not_allowed', message)
}

/** Throws `sign_in_failed`, `identity_not_connected`, `link_not_valid`. */
export async function signInByProvider(
  { clock, database, secrets }: AccountContext,
  { settings: { createsAccounts } }: IdentityProvider,
  { invitation, state }: SignInFlow,
  identity: Identity,
  visitor: Visitor,
): Promise<SignedIn | CodeMissing> {
  const now = clock()
  const enterByProvider = locked(async (session): Promise<SignedIn | CodeMissing | AppError> => {
    if (!(await takeChallenge(session, challengeOf(state)))) return signInFailed()
    const linked = await findIdentity(session, identity)
    const stored = linked && (await findAccount(session, linked.accountId))
    const wanted = { createsAccounts, identity, invitation }
    const account = stored
      ? withoutSecrets(stored)
      : await createByProvider(session, wanted, visitor, now)
    if (account instanceof AppError) return account
    const origin = originOfAccount(account, visitor.address, now)
    const connected = linked ?? (await insertIdentity(session, account.id, identity, origin))
    const isVerifiedTwice = hasTwoFactors(identity.amr)
    if (!isVerifiedTwice) {
      const factor = await verifySecondFactor(session, account.id, undefined, secrets, origin)
      if (factor !== 'off') return { accountId: account.id, identityId: connected.id }
    }
    await updateIdentity(session, connected, identity)
    await session.all(setIdentityUsed, { id: connected.id, now })
    const method = isVerifiedTwice ? 'provider_mfa' : 'provider'
    return await enter(session, account, method, visitor, now)
  })
  return await enterByProvider(database)
}

/** The authentication method references, `amr` (RFC 8176), by the kind of their factor. */
const methodsByKind = [
  'pwd pin kba', // knowledge
  'otp sms tel sc hwk swk pop', // possession
  'face fpt iris retina vbm', // inherence
].map((methods) => methods.split(' '))
/** `mfa` says so; a smart card or a hardware key is released by its user. */
const sufficient = new Set(['mfa', 'sc', 'hwk'])

/**
 * Whether the provider has checked two factors: it says so, or names methods of two kinds. `otp` alone does not count:
 * some providers mail a code instead of asking for a password.
 */
export function hasTwoFactors(amr: unknown): boolean {
  if (!Array.isArray(amr)) return false
  const methods = amr.filter((each) => typeof each === 'string')
  if (methods.some((method) => sufficient.has(method))) return true
  return methodsByKind.filter((kind) => methods.some((method) => kind.includes(method))).length >= 2
}

interface Wanted {
  identity: Identity
  /** The token of an invitation. */
  invitation: string | undefined
  createsAccounts: boolean
}

/** An account for an unknown identity. */
async function createByProvider(
  session: Session,
  { createsAccounts, identity, invitation: token }: Wanted,
  { address }: Visitor,
  now: number,
): Promise<Account | AppError> {
  const { email: claimed, isEmailVerified, name } = identity
  let link: AccountLink | undefined
  if (token !== undefined) {
    link = await findLink(session, token, now)
    if (link?.kind !== 'invitation') return linkNotValid()
  } else if (isEmailVerified) {
    const pending = await listInvitations(session, now)
    link = pending.find(
      ({ email = '', role }) => role === 'member' && parseEmail(email)?.key === claimed?.key,
    )
  }
  const isAllowed = link !== undefined || (createsAccounts && isEmailVerified)
  const email = link?.email === undefined ? claimed : parseEmail(link.email)
  if (!isAllowed || !email) return notConnected()
  const account = await insertAccount(session, {
    email,
    name: name ?? email.text.slice(0, 100),
    passwordHash: noPassword,
    role: link?.role ?? 'member',
    plan: link?.plan ?? 'free',
    createdAt: now,
  })
  if (account instanceof AppError) return token === undefined ? notConnected() : linkNotValid()
  if (link) await markLinkUsed(session, link.id, now)
  const via = link ? 'link' : 'session'
  const origin = originOfAccount(account, address, now, via)
  const detail = { role: account.role, plan: account.plan, issuer: identity.issuer }
  await recordAudit(session, origin, 'account.created', targetOf(account), detail)
  return account
}

const methods = {
  code: 'provider_code',
  recovery_code: 'provider_recovery_code',
  // Turned off since the code was asked for.
  off: 'provider',
} as const

/** Throws `invalid_code`, `sign_in_failed`, `rate_limited`. */
export async function confirmProviderSignIn(
  context: AccountContext,
  { accountId, identityId, state }: CodeFlow,
  code: string,
  visitor: Visitor,
): Promise<SignedIn> {
  const { clock, database, secrets } = context
  const { address } = visitor
  const enterByCode = locked(async (session, now: number): Promise<SignedIn | AppError> => {
    const account = await findAccount(session, accountId)
    const identity = await findIdentityById(session, identityId)
    // Removed, or used by another request, in the meantime.
    if (!account || identity?.accountId !== accountId || (await wasTaken(session, state))) {
      return signInFailed()
    }
    const origin = originOfAccount(account, address, now)
    const factor = await verifySecondFactor(session, accountId, code, secrets, origin)
    if (factor === 'missing' || factor === 'wrong') return wrongCode()
    await takeChallenge(session, state)
    await session.all(setIdentityUsed, { id: identityId, now })
    return await enter(session, withoutSecrets(account), methods[factor], visitor, now)
  })
  try {
    const attempt = { accountId, code, address }
    return await withCodeAttempt(context, attempt, () => enterByCode(database, clock()))
  } catch (error) {
    const account = await findAccount(database.read, accountId)
    if (account && error instanceof AppError)
      await recordFailedSignIn(context, account, address, error)
    throw error
  }
}

/** Says the same whether an account has the address or not. */
function notConnected(): AppError {
  return new AppError(
    'identity_not_connected',
    'No account is connected to this identity. Sign in with your password and connect it under Account, or ask an operator for an invitation.',
  )
}
