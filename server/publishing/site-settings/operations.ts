// The operations on the settings of a site, as the management API declares them.
import { declareOperations } from '#kit/management/operation.ts'
import * as schema from './records/schema.ts'

export const operations = declareOperations(
  { tag: 'projects', access: 'account', errors: ['project_not_found'] },
  {
    getSiteSettings: {
      route: 'GET /projects/{slug}/site-settings',
      summary: 'Get the settings of a site',
      scope: 'projects:read',
      answer: schema.SiteSettingsState,
    },
    setSiteSettings: {
      route: 'PUT /projects/{slug}/site-settings',
      summary: 'Set the settings of a site',
      description:
        'The live deploy is built again from its sources, as a new deploy. What site.yaml and _redirects of a deploy set is used instead.',
      scope: 'projects:write',
      body: schema.SiteSettings,
      answer: schema.SavedSiteSettings,
      errors: ['role_required', 'limit_reached'],
    },
  },
)
