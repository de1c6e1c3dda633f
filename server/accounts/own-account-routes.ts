// Routes for the current account, its sessions and its access tokens.
import { originOf } from '#kit/audit/record-audit.ts'
import { AppError } from '#kit/errors.ts'
import { type Route, route } from '#kit/management/route.ts'
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
import { accountOperations } from './operations.ts'
import { changeOwnAccount, changeOwnPassword } from './own-account.ts'
import { endSessionNow, endSessionsNow, listSessions } from './sessions.ts'
import { wireAccount, wireSession, wireToken } from './wire.ts'

const dayMs = 24 * 60 * 60_000

export function ownAccountRoutes(context: AccountContext): Route[] {
  const { clock, database } = context
  return [
    route(accountOperations.getAccount, async ({ caller }) => wireAccount(caller.account)),

    route(accountOperations.changeAccount, async ({ address, body, caller }) =>
      wireAccount(await changeOwnAccount(context, caller, body, address)),
    ),

    route(accountOperations.changePassword, async ({ address, body, caller }) => {
      await changeOwnPassword(context, caller, body, address)
      return undefined
    }),

    route(accountOperations.listSessions, async ({ caller: { account, by } }) => {
      const sessions = await listSessions(database.read, account.id, clock())
      return { items: sessions.map((session) => wireSession(session, by.id)) }
    }),

    route(accountOperations.endSession, async (call) => {
      const origin = originOf(call, clock())
      const { caller, params } = call
      if (!(await endSessionNow(database, caller.account.id, params.sessionId, origin)))
        throw new AppError('session_not_found', 'Session not found.')
      return undefined
    }),

    route(accountOperations.endOtherSessions, async (call) => {
      const { account, by } = call.caller
      await endSessionsNow(database, account.id, originOf(call, clock()), by.id)
      return undefined
    }),

    route(accountOperations.listTokens, async ({ caller }) => {
      const tokens = await listTokens(database.read, caller.account.id)
      const ids = tokens.flatMap(({ projectId }) => projectId ?? [])
      const projects = await context.nameProjects(database.read, ids)
      return { items: tokens.map((token) => wireToken(token, projects.get(token.projectId ?? ''))) }
    }),

    route(accountOperations.createToken, async (call) => {
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
    }),

    route(accountOperations.revokeTokens, async (call) => {
      await revokeTokens(database, call.caller.account.id, originOf(call, clock()))
      return undefined
    }),

    route(accountOperations.revokeToken, async (call) => {
      const origin = originOf(call, clock())
      const of = { accountId: call.caller.account.id }
      if (!(await revokeToken(database, call.params.tokenId, origin, of)))
        throw new AppError('token_not_found', 'Access token not found.')
      return undefined
    }),
  ]
}
