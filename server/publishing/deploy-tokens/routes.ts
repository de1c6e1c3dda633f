// Handlers of the operations on deploy tokens and site tokens. The owner and editors see and revoke all of them.
import {
  type AccessToken,
  createToken,
  listProjectTokens,
  maxTokens,
  revokeToken,
  standardTokenDays,
} from '#accounts/access-tokens.ts'
import { wireTime } from '#accounts/wire.ts'
import { originOf } from '#kit/audit/record-audit.ts'
import { AppError } from '#kit/errors.ts'
import { type Route, route } from '#kit/management/route.ts'
import { deployScope, siteScope } from '#kit/management/token-scopes.ts'
import type { PublishingContext } from '../database/publishing-context.ts'
import { getOwnProject } from '../projects/routes.ts'
import { operations } from './operations.ts'
import type { DeployToken } from './schema.ts'

const dayMs = 24 * 3_600_000

export function deployTokenRoutes({ clock, database }: PublishingContext): Route[] {
  const { read } = database
  return [
    route(operations.listDeployTokens, async ({ caller, params }) => {
      const { id } = await getOwnProject(read, caller, params.slug, 'edit')
      const tokens = await listProjectTokens(read, id)
      return { items: tokens.map((token) => wireDeployToken(token, token.accountName)) }
    }),
    route(operations.createDeployToken, async (call) => {
      const { body, caller, params } = call
      const { expiresInDays = standardTokenDays, label, scope = deployScope } = body
      // As with the visibility, only the owner lets others see the site.
      const permission = scope === siteScope ? 'own' : 'edit'
      const project = await getOwnProject(read, caller, params.slug, permission)
      const now = clock()
      const wanted = {
        ...{ accountId: caller.account.id, projectId: project.id, label },
        scopes: [scope],
        expiresAt: now + expiresInDays * dayMs,
      }
      const created = await createToken(database, wanted, originOf(call, now))
      if (!created) {
        const message = `An account and a project have at most ${maxTokens} tokens. Revoke the ones that are no longer used.`
        throw new AppError('limit_reached', message)
      }
      return { ...wireDeployToken(created.token, caller.account.name), token: created.text }
    }),
    route(operations.revokeDeployToken, async (call) => {
      const { caller, params } = call
      const { id: projectId } = await getOwnProject(read, caller, params.slug, 'edit')
      const isRevoked = await revokeToken(database, params.tokenId, originOf(call, clock()), {
        projectId,
      })
      if (!isRevoked) throw new AppError('token_not_found', 'The project has no such token.')
      return undefined
    }),
  ]
}

function wireDeployToken(token: AccessToken, accountName: string): DeployToken {
  const { accountId, createdAt, expiresAt, id, label, lastUsedAt, scopes } = token
  return {
    id,
    label,
    scopes,
    createdBy: { id: accountId, name: accountName },
    createdAt: wireTime(createdAt),
    expiresAt: wireTime(expiresAt),
    lastUsedAt: lastUsedAt === undefined ? null : wireTime(lastUsedAt),
  }
}
