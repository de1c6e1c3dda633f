// The operations on the current account, its sessions and its access tokens. No operation on accounts accepts an access
// token: a leaked one cannot create further tokens or change the account.
import { originOf } from '#kit/audit/record-audit.ts'
import { AppError } from '#kit/errors.ts'
import { routesOf } from '#kit/management/route.ts'
import { tokenScopes } from '#kit/management/token-scopes.ts'
import {
  createToken,
  listTokens,
  maxTokens,
  revokeToken,
  revokeTokens,
  standardTokenDays,
} from './access-tokens.ts'
import type { AccountContext } from './account-context.ts'
import { changeOwnAccount, changeOwnPassword } from './own-account.ts'
import {
  AccessTokens,
  Account,
  AccountPatch,
  IssuedAccessToken,
  NewAccessToken,
  PasswordChange,
  Sessions,
} from './schema.ts'
import { endSessionNow, endSessionsNow, listSessions } from './sessions.ts'
import { wireAccount, wireSession, wireToken } from './wire.ts'

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
    handle: async ({ address, body, caller }, context) =>
      wireAccount(await changeOwnAccount(context, caller, body, address)),
  }),
  route('PUT /account/password', 'changePassword', {
    summary: 'Change password',
    description: 'Ends all other sessions of the account. Access tokens stay valid.',
    body: PasswordChange,
    errors: ['invalid_credentials', 'rate_limited', 'conflict'],
    async handle({ address, body, caller }, context) {
      await changeOwnPassword(context, caller, body, address)
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
    async handle(call, { clock, database }) {
      const origin = originOf(call, clock())
      const { caller, params } = call
      if (!(await endSessionNow(database, caller.account.id, params.sessionId, origin)))
        throw new AppError('session_not_found', 'Session not found.')
    },
  }),
  route('DELETE /account/sessions', 'endOtherSessions', {
    summary: 'End all other sessions',
    async handle(call, { clock, database }) {
      const { account, by } = call.caller
      await endSessionsNow(database, account.id, originOf(call, clock()), by.id)
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
    async handle(call, { clock, database }) {
      const { body, caller } = call
      const { expiresInDays = standardTokenDays, label, scopes = [...tokenScopes] } = body
      const now = clock()
      const accountId = caller.account.id
      const expiresAt = now + expiresInDays * dayMs
      const wanted = { accountId, label, scopes, expiresAt, projectId: undefined }
      const created = await createToken(database, wanted, originOf(call, now))
      if (!created) {
        const message = `You have ${maxTokens} access tokens. Revoke the ones that you no longer use.`
        throw new AppError('limit_reached', message)
      }
      return { ...wireToken(created.token), token: created.text }
    },
  }),
  route('DELETE /account/tokens', 'revokeTokens', {
    summary: 'Revoke all access tokens of the current account',
    async handle(call, { clock, database }) {
      await revokeTokens(database, call.caller.account.id, originOf(call, clock()))
    },
  }),
  route('DELETE /account/tokens/{tokenId}', 'revokeToken', {
    summary: 'Revoke an access token',
    errors: ['token_not_found'],
    async handle(call, { clock, database }) {
      const origin = originOf(call, clock())
      const of = { accountId: call.caller.account.id }
      if (!(await revokeToken(database, call.params.tokenId, origin, of)))
        throw new AppError('token_not_found', 'Access token not found.')
    },
  }),
] as const
