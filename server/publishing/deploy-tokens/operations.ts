// The operations on deploy tokens and site tokens. None has a scope: a leaked token cannot create further ones.
import { declareOperations } from '#kit/management/operation.ts'
import * as schema from './schema.ts'

export const operations = declareOperations(
  { tag: 'deploys', access: 'account', errors: ['project_not_found'] },
  {
    listDeployTokens: {
      route: 'GET /projects/{slug}/tokens',
      summary: 'List the deploy tokens and site tokens of a project',
      returns: schema.DeployTokens,
      errors: ['role_required'],
    },
    createDeployToken: {
      route: 'POST /projects/{slug}/tokens',
      summary: 'Create a deploy token or a site token',
      description:
        'A deploy token can deploy to this project and read the deploys of it. A site token can read the site of this project at its hosts, as `Authorization: Bearer <TOKEN>`, also if not everyone may see it; this API refuses it. Neither can do anything else. The token is shown only in this response.',
      body: schema.NewDeployToken,
      status: 201,
      returns: schema.IssuedDeployToken,
      errors: ['role_required', 'limit_reached'],
    },
    revokeDeployToken: {
      route: 'DELETE /projects/{slug}/tokens/{tokenId}',
      summary: 'Revoke a deploy token or a site token',
      description: 'Takes effect with the next request on every node.',
      errors: ['role_required', 'token_not_found'],
    },
  },
)
