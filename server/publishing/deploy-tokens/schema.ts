// The wire shapes of deploy tokens and site tokens: access tokens of one project.
import { type Static, Type } from 'typebox'
import { expiresInDays, token, tokenFields } from '#accounts/schema.ts'
import { projectScopes } from '#kit/management/token-scopes.ts'

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

export const DeployToken = Type.Object(fields, {
  $id: 'DeployToken',
  description: 'A deploy token or site token of a project, without its secret.',
})
export type DeployToken = Static<typeof DeployToken>

export const DeployTokens = Type.Object(
  { items: Type.Array(DeployToken, { maxItems: 100 }) },
  { $id: 'DeployTokens', description: 'Newest first, including expired tokens.' },
)

export const NewDeployToken = Type.Object(
  {
    label: tokenFields.label,
    scope: Type.Optional(
      Type.Enum([...projectScopes], {
        type: 'string',
        description:
          'project:deploy (default): deploys. site:read: reads the site; only the owner and operators can create it.',
      }),
    ),
    expiresInDays,
  },
  { $id: 'NewDeployToken' },
)

export const IssuedDeployToken = Type.Object({ ...fields, token }, { $id: 'IssuedDeployToken' })
