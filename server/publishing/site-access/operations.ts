// The operation by which a visitor of a site shows that an account is signed in. It has no scope: only sessions can.
import { declareOperations } from '#kit/management/operation.ts'
import * as schema from './schema.ts'

export const operations = declareOperations(
  { tag: 'projects', access: 'account' },
  {
    enterSite: {
      route: 'POST /site-access',
      summary: 'Get access to a site that only members may see',
      description:
        'For the owner of its project, members and operators. The access ends with the session, or with the membership.',
      body: schema.SiteVisit,
      returns: schema.SiteAddress,
      errors: ['project_not_found'],
    },
  },
)
