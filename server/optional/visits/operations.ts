// The operations on visits, as the management API declares them.
import { declareOperations } from '#kit/management/operation.ts'
import * as schema from './schema.ts'

export const operations = declareOperations(
  { tag: 'projects', access: 'account' },
  {
    getVisits: {
      route: 'GET /projects/{slug}/visits',
      summary: 'Get what visitors did',
      description:
        'Views by day, page and source, searches without a result, and paths that were not found, compared with as many days before. Visits at other processes are included after ten seconds.',
      scope: 'projects:read',
      query: schema.VisitsQuery,
      returns: schema.Visits,
      errors: ['project_not_found'],
    },
  },
)
