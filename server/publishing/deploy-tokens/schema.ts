// The wire shapes of deploy tokens: access tokens of one project.
import { type Static, Type } from 'typebox'
import { expiresInDays, token, tokenFields } from '../../platform/accounts/schema.ts'

const fields = {
  ...tokenFields,
  createdBy: Type.Object(
    { id: Type.String(), name: Type.String() },
    {
      description:
        'The account that created it. Its deploys are recorded as those of this account.',
    },
  ),
}

export const DeployToken = Type.Object(fields, {
  $id: 'DeployToken',
  description: 'A deploy token of a project, without its secret.',
})
export type DeployToken = Static<typeof DeployToken>

export const DeployTokens = Type.Object(
  { items: Type.Array(DeployToken, { maxItems: 100 }) },
  { $id: 'DeployTokens', description: 'Newest first, including expired tokens.' },
)

export const NewDeployToken = Type.Object(
  { label: tokenFields.label, expiresInDays },
  { $id: 'NewDeployToken' },
)

export const IssuedDeployToken = Type.Object({ ...fields, token }, { $id: 'IssuedDeployToken' })
