// The operations on deploy tokens. None has a scope: a leaked token cannot create further ones.
import { declareOperations } from '../../platform/management/operation.ts'
import * as schema from './schema.ts'

export const operations = declareOperations(
  { tag: 'deploys', access: 'account', errors: ['project_not_found'] },
  {
    listDeployTokens: {
      route: 'GET /projects/{slug}/tokens',
      summary: 'List the deploy tokens of a project',
      answer: schema.DeployTokens,
      errors: ['role_required'],
    },
    createDeployToken: {
      route: 'POST /projects/{slug}/tokens',
      summary: 'Create a deploy token',
      description:
        'It can deploy to this project and read the deploys of it, and nothing else. The token is shown only in this response.',
      body: schema.NewDeployToken,
      status: 201,
      answer: schema.IssuedDeployToken,
      errors: ['role_required', 'limit_reached'],
    },
    revokeDeployToken: {
      route: 'DELETE /projects/{slug}/tokens/{tokenId}',
      summary: 'Revoke a deploy token',
      errors: ['role_required', 'token_not_found'],
    },
  },
)
