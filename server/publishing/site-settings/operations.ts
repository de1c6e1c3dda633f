// The operations on the settings of a site and on its uploaded logo and favicon, as the management API declares them.
import { Type } from 'typebox'
import { declareOperations } from '#kit/management/operation.ts'
import * as schema from './records/schema.ts'

export const maxImageBytes = 1024 * 1024
/** Of each side, in pixels. */
export const maxImagePixels = 4096
const types = Object.values(schema.mediaTypes)

export const operations = declareOperations(
  { tag: 'projects', access: 'account', errors: ['project_not_found'] },
  {
    getSiteSettings: {
      route: 'GET /projects/{slug}/site-settings',
      summary: 'Get the settings of a site',
      scope: 'projects:read',
      returns: schema.SiteSettingsState,
    },
    setSiteSettings: {
      route: 'PUT /projects/{slug}/site-settings',
      summary: 'Set the settings of a site',
      description:
        'The live deploy is built again from its sources, as a new deploy. What site.yaml and _redirects of a deploy set is used instead.',
      scope: 'projects:write',
      body: schema.SiteSettings,
      returns: schema.SavedSiteSettings,
      errors: ['role_required', 'limit_reached'],
    },
    getSiteImage: {
      route: 'GET /projects/{slug}/site-images/{image}',
      summary: 'Get the uploaded logo or favicon of a site',
      scope: 'projects:read',
      download: Object.fromEntries(types.map((type) => [type, Type.String()])),
      errors: ['image_not_found'],
    },
    setSiteImage: {
      route: 'PUT /projects/{slug}/site-images/{image}',
      summary: 'Upload the logo or favicon of a site',
      description: `A logo is SVG, PNG, WebP or JPEG, a favicon SVG, PNG or ICO, by its content; at most ${maxImageBytes / 1024 / 1024} MB and ${maxImagePixels} pixels on each side. It is used instead of the path in the settings, unless site.yaml of a deploy sets one. The live deploy is built again, as after a change of the settings.`,
      scope: 'projects:write',
      upload: {
        mediaTypes: [...types, 'image/vnd.microsoft.icon', 'application/octet-stream'],
        maxBytes: maxImageBytes,
      },
      returns: schema.SavedSiteImage,
      errors: ['image_not_found', 'role_required', 'invalid_body', 'limit_reached'],
    },
    removeSiteImage: {
      route: 'DELETE /projects/{slug}/site-images/{image}',
      summary: 'Remove the uploaded logo or favicon of a site',
      description: 'The live deploy is built again without it.',
      scope: 'projects:write',
      returns: schema.RemovedSiteImage,
      errors: ['image_not_found', 'role_required', 'limit_reached'],
    },
  },
)
