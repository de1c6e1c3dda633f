// The operations on the current account, its sessions and its access tokens. None accepts an access token: a leaked one cannot
// create further tokens or change the account. A change of the e-mail address or the password requires the current
// password, so that an unattended browser is not enough.
import type { Static } from 'typebox'
import { type AuditOrigin, recordAudit } from '#kit/audit/record-audit.ts'
import { type Caller, tokenScopes } from '#kit/caller.ts'
import { locked } from '#kit/database/transactions.ts'
import { AppError } from '#kit/errors.ts'
import { routesOf } from '#kit/management/route.ts'
import { invalid } from '#kit/schema/checks.ts'
import type { AccountContext } from '../people/account-context.ts'
import {
  accountNotFound,
  changeAccount,
  findAccount,
  noPassword,
  type StoredAccount,
  targetOf,
} from '../people/accounts.ts'
import { parseEmail } from '../people/email-address.ts'
import type { Hashing } from '../people/passwords.ts'
import {
  AccessTokens,
  Account,
  AccountPatch,
  IssuedAccessToken,
  NewAccessToken,
  PasswordChange,
  Sessions,
  wireAccount,
  wireSession,
  wireToken,
} from '../people/schema.ts'
import {
  createToken,
  listTokens,
  maxTokens,
  revokeToken,
  revokeTokens,
  standardTokenDays,
} from '../sessions/access-tokens.ts'
import { endSessionNow, endSessionsNow, listSessions } from '../sessions/sessions.ts'
import { checkPassword, readEmail, requirePassword, setPassword } from '../sign-in/sign-in.ts'
import { applicantOf } from '../sign-in/sign-in-limits.ts'
import { requestEmailChange } from './change-email.ts'

const dayMs = 24 * 60 * 60_000

const route = routesOf<AccountContext>({ tag: 'account', access: 'account' })

export const ownAccountRoutes = [
  route('GET /account', 'getAccount', {
    isForEnrolment: true,
    summary: 'Get current account',
    returns: Account,
    handle: async ({ caller }) => wireAccount(caller.account),
  }),
  route('PATCH /account', 'changeAccount', {
    summary: 'Change the name or e-mail address of the current account',
    description:
      'A new e-mail address takes effect when it is confirmed by the link that is sent to it; until then the account keeps its address. The response does not tell whether another account has the address: its owner is told by mail. Without a mail server, a member gets a `conflict`, and the address of an operator changes at once.',
    body: AccountPatch,
    returns: Account,
    errors: ['invalid_credentials', 'conflict', 'email_taken', 'rate_limited'],
    handle: async (call, context) => wireAccount(await changeOwnAccount(context, call)),
  }),
  route('PUT /account/password', 'changePassword', {
    summary: 'Change password',
    description: 'Ends all other sessions of the account. Access tokens stay valid.',
    body: PasswordChange,
    errors: ['invalid_credentials', 'rate_limited', 'conflict'],
    async handle(call, context) {
      const { body, caller, origin } = call
      requirePassword(body.newPassword, caller.account.email, 'newPassword')
      const { account, hashing } = await requireOwnPassword(context, call)
      const hash = await hashing.hash(body.newPassword)
      if (!(await setOwnPassword(context.database, account, hash, origin, caller.by.id)))
        throw new AppError('conflict', 'The password has just been changed by another request.')
    },
  }),
  route('GET /account/sessions', 'listSessions', {
    summary: 'List sessions of the current account',
    returns: Sessions,
    async handle({ caller: { account, by } }, { clock, database }) {
      const sessions = await listSessions(database.read, account.id, clock())
      return { items: sessions.map((session) => wireSession(session, by.id)) }
    },
  }),
  route('DELETE /account/sessions/{sessionId}', 'endSession', {
    summary: 'End a session',
    errors: ['session_not_found'],
    async handle({ caller, origin, params }, { database }) {
      if (!(await endSessionNow(database, caller.account.id, params.sessionId, origin)))
        throw new AppError('session_not_found', 'Session not found.')
    },
  }),
  route('DELETE /account/sessions', 'endOtherSessions', {
    summary: 'End all other sessions',
    async handle({ caller: { account, by }, origin }, { database }) {
      await endSessionsNow(database, account.id, origin, by.id)
    },
  }),
  route('GET /account/tokens', 'listTokens', {
    summary: 'List access tokens of the current account',
    returns: AccessTokens,
    async handle({ caller }, context) {
      const { database } = context
      const tokens = await listTokens(database.read, caller.account.id)
      const ids = tokens.flatMap(({ projectId }) => projectId ?? [])
      const projects = await context.nameProjects(database.read, ids)
      return { items: tokens.map((token) => wireToken(token, projects.get(token.projectId ?? ''))) }
    },
  }),
  route('POST /account/tokens', 'createToken', {
    summary: 'Create a personal access token',
    description:
      'For the command line and for automation. The token is shown only in this response.',
    body: NewAccessToken,
    status: 201,
    returns: IssuedAccessToken,
    errors: ['limit_reached'],
    async handle({ body, caller, origin }, { database }) {
      const { expiresInDays = standardTokenDays, label, scopes = [...tokenScopes] } = body
      const accountId = caller.account.id
      const expiresAt = origin.at + expiresInDays * dayMs
      const newToken = { accountId, label, scopes, expiresAt, projectId: undefined }
      const created = await createToken(database, newToken, origin)
      if (!created) {
        const message = `You have ${maxTokens} access tokens. Revoke the ones that you no longer use.`
        throw new AppError('limit_reached', message)
      }
      return { ...wireToken(created.token), token: created.text }
    },
  }),
  route('DELETE /account/tokens', 'revokeTokens', {
    summary: 'Revoke all access tokens of the current account',
    async handle({ caller, origin }, { database }) {
      await revokeTokens(database, caller.account.id, origin)
    },
  }),
  route('DELETE /account/tokens/{tokenId}', 'revokeToken', {
    summary: 'Revoke an access token',
    errors: ['token_not_found'],
    async handle({ caller, origin, params }, { database }) {
      const of = { accountId: caller.account.id }
      if (!(await revokeToken(database, params.tokenId, origin, of)))
        throw new AppError('token_not_found', 'Access token not found.')
    },
  }),
] as const

/**
 * Changes the name, and requests the change of the e-mail address: it takes effect when it is confirmed. Without a
 * mail server it takes effect at once for operators only. Throws like checkPassword and requestEmailChange.
 */
async function changeOwnAccount(
  context: AccountContext,
  call: Omit<OwnCall, 'body'> & { body: Static<typeof AccountPatch> },
) {
  const { body, caller, origin } = call
  const { currentPassword, email: typed, name } = body
  const email = typed === undefined ? undefined : readEmail(typed, 'email')
  if (email) {
    if (currentPassword === undefined) {
      const message = 'currentPassword is required to change the e-mail address.'
      throw invalid('invalid_body', [{ path: 'currentPassword', message }])
    }
    await requireOwnPassword(context, { ...call, body: { currentPassword } })
  }
  const { account } = caller
  const isImmediate =
    email?.key === parseEmail(account.email)?.key ||
    (!context.sendMail && account.role === 'operator')
  if (email && !isImmediate) await requestEmailChange(context, account.id, email, origin)
  const change = { name, email: isImmediate ? email : undefined }
  return await changeAccount(context.database, account.id, change, origin)
}

const firstPasswordMs = 10 * 60_000

/**
 * Sets the password of an account that has none. There is nothing else to ask for, so the user has just signed in.
 * Throws `sign_in_too_old`, `conflict`.
 */
export async function setFirstPassword(
  { database, passwords }: AccountContext,
  { address, caller, origin }: Omit<OwnCall, 'body'>,
  newPassword: string,
): Promise<void> {
  const account = await findAccount(database.read, caller.account.id)
  if (!account) throw accountNotFound()
  if (account.passwordHash !== noPassword) {
    throw new AppError('conflict', 'The account has a password already. Change it instead.')
  }
  const sessions = await listSessions(database.read, account.id, origin.at)
  const current = sessions.find(({ id }) => id === caller.by.id)
  if (!current || origin.at - current.createdAt > firstPasswordMs) {
    const message = 'Sign out, sign in again, and set the password within ten minutes.'
    throw new AppError('sign_in_too_old', message)
  }
  requirePassword(newPassword, account.email, 'newPassword')
  const applicant = applicantOf({ target: account.emailKey, address, isKnown: true })
  const hash = await passwords.hashingOf(applicant).hash(newPassword)
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

interface OwnCall {
  address: string
  caller: Caller
  origin: AuditOrigin
  body: { currentPassword: string }
}

/** The caller's account, and hashing for the same client. Throws unless the password is right, like checkPassword. */
export async function requireOwnPassword(
  context: AccountContext,
  { address, body, caller }: OwnCall,
): Promise<{ account: StoredAccount; hashing: Hashing }> {
  const account = await findAccount(context.database.read, caller.account.id)
  if (!account) throw accountNotFound()
  const password = body.currentPassword
  const claim = { account, key: account.emailKey, password, address, isSignedIn: true } as const
  return await checkPassword(context, claim)
}
