// The operations on previews, as the management API declares them.
import { declareOperations } from '#kit/management/operation.ts'
import { Deploy } from '../deploys/records/schema.ts'
import * as schema from './schema.ts'

export const operations = declareOperations(
  { tag: 'deploys', access: 'account', errors: ['project_not_found'] },
  {
    listPreviews: {
      route: 'GET /projects/{slug}/previews',
      summary: 'List the previews of a project',
      scope: 'projects:read',
      isForDeployTokens: true,
      returns: schema.Previews,
    },
    putPreview: {
      route: 'PUT /projects/{slug}/previews/{preview}',
      summary: 'Create a preview, or set its password',
      description:
        'Deploying to a preview creates it, too. Create it first if nobody should see its first deploy without a password.',
      scope: 'deploys:write',
      isForDeployTokens: true,
      body: schema.PreviewSettings,
      returns: schema.Preview,
      errors: ['role_required', 'invalid_parameter', 'conflict'],
    },
    promotePreview: {
      route: 'POST /projects/{slug}/previews/{preview}/promote',
      summary: 'Make the deploy of a preview live',
      description:
        'Without a build: visitors see exactly what the preview shows. The preview ends.',
      scope: 'deploys:write',
      returns: Deploy,
      errors: ['role_required', 'preview_not_found', 'conflict'],
    },
    endPreview: {
      route: 'DELETE /projects/{slug}/previews/{preview}',
      summary: 'End a preview',
      description: 'No node serves it from then on, and its deploys are deleted.',
      scope: 'deploys:write',
      isForDeployTokens: true,
      errors: ['role_required', 'preview_not_found'],
    },
  },
)
