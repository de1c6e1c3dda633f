// The operations on deploy tokens and site tokens: access tokens of one project. The owner and editors see and
// revoke all of them.

import { type Static, Type } from 'typebox'
import { expiresInDays, token, tokenFields } from '#accounts/people/schema.ts'
import {
  type AccessToken,
  createToken,
  listProjectTokens,
  maxTokens,
  revokeToken,
  standardTokenDays,
} from '#accounts/sessions/access-tokens.ts'
import { deployScope, projectScopes, siteScope } from '#kit/caller.ts'
import { AppError } from '#kit/errors.ts'
import { listOf, toWire, words } from '#kit/schema/described-schema.ts'
import type { PublishingContext } from './database/publishing-context.ts'
import { projectRoutesOf, requirePermission } from './projects/routes.ts'

const dayMs = 24 * 3_600_000

const fields = {
  ...tokenFields,
  createdBy: Type.Object(
    { id: Type.String(), name: Type.String() },
    {
      description:
        'The account that created it. Its deploys are recorded as those of this account. A site token works while this account owns the project, or is an operator.',
    },
  ),
}

const DeployToken = Type.Object(fields, {
  $id: 'DeployToken',
  description: 'A deploy token or site token of a project, without its secret.',
})
type DeployToken = Static<typeof DeployToken>

const DeployTokens = listOf(DeployToken, 'DeployTokens', 'Newest first, including expired tokens.')

const NewDeployToken = Type.Object(
  {
    label: tokenFields.label,
    scope: Type.Optional(
      words(
        projectScopes,
        'project:deploy (default): deploys. site:read: reads the site; only the owner and operators can create it.',
      ),
    ),
    expiresInDays,
  },
  { $id: 'NewDeployToken' },
)

const IssuedDeployToken = Type.Object({ ...fields, token }, { $id: 'IssuedDeployToken' })

const route = projectRoutesOf<Pick<PublishingContext, 'clock' | 'database'>>('deploys')

export const deployTokenRoutes = [
  route('GET /projects/{slug}/tokens', 'listDeployTokens', {
    summary: 'List the deploy tokens and site tokens of a project',
    needs: 'edit',
    returns: DeployTokens,
    async handle({ project }, { database }) {
      const tokens = await listProjectTokens(database.read, project.id)
      return { items: tokens.map((token) => wireDeployToken(token, token.accountName)) }
    },
  }),
  route('POST /projects/{slug}/tokens', 'createDeployToken', {
    summary: 'Create a deploy token or a site token',
    description:
      'A deploy token can deploy to this project, manage its previews and read both. A site token can read the site of this project at its hosts, as `Authorization: Bearer <TOKEN>`, also if not everyone may see it; this API refuses it. Neither can do anything else. The token is shown only in this response.',
    needs: 'edit',
    body: NewDeployToken,
    status: 201,
    returns: IssuedDeployToken,
    errors: ['limit_reached'],
    async handle({ body, caller, origin, project }, { database }) {
      const { expiresInDays = standardTokenDays, label, scope = deployScope } = body
      // As with the visibility, only the owner lets others see the site.
      if (scope === siteScope) requirePermission(project, 'own')
      const newToken = {
        ...{ accountId: caller.account.id, projectId: project.id, label },
        scopes: [scope],
        expiresAt: origin.at + expiresInDays * dayMs,
      }
      const created = await createToken(database, newToken, origin)
      if (!created) {
        const message = `An account and a project have at most ${maxTokens} tokens. Revoke the ones that are no longer used.`
        throw new AppError('limit_reached', message)
      }
      return { ...wireDeployToken(created.token, caller.account.name), token: created.text }
    },
  }),
  route('DELETE /projects/{slug}/tokens/{tokenId}', 'revokeDeployToken', {
    summary: 'Revoke a deploy token or a site token',
    description: 'Takes effect with the next request on every node.',
    needs: 'edit',
    errors: ['token_not_found'],
    async handle({ origin, params, project }, { database }) {
      const of = { projectId: project.id }
      const isRevoked = await revokeToken(database, params.tokenId, origin, of)
      if (!isRevoked) throw new AppError('token_not_found', 'The project has no such token.')
    },
  }),
] as const

const wireDeployToken = (token: AccessToken, name: string): DeployToken =>
  toWire(DeployToken, { ...token, createdBy: { id: token.accountId, name } })
