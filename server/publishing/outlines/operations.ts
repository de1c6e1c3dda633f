// The operation that gives the outline of a deploy, as the management API declares it.
import { declareOperations } from '../../platform/management/operation.ts'
import { DeployOutline } from './schema.ts'

export const operations = declareOperations(
  { tag: 'deploys', access: 'account', errors: ['project_not_found'] },
  {
    getDeployOutline: {
      route: 'GET /projects/{slug}/deploys/{number}/outline',
      summary: 'Get what the front page of a deploy shows, to draw a small picture of it',
      description: 'Read from its index.html and the style sheets that it links.',
      scope: 'projects:read',
      answer: DeployOutline,
      errors: ['deploy_not_found'],
    },
  },
)
