// The operations on the uploaded logo and favicon of a site, as the management API declares them.
import { Type } from 'typebox'
import { declareOperations } from '#kit/management/operation.ts'
import { maxImageBytes, maxImagePixels, mediaTypes } from './records/image-types.ts'
import * as schema from './schema.ts'

const types = Object.values(mediaTypes)

export const operations = declareOperations(
  { tag: 'projects', access: 'account', errors: ['project_not_found', 'image_not_found'] },
  {
    getSiteImage: {
      route: 'GET /projects/{slug}/site-images/{image}',
      summary: 'Get the uploaded logo or favicon of a site',
      scope: 'projects:read',
      download: Object.fromEntries(types.map((type) => [type, Type.String()])),
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
      answer: schema.SavedSiteImage,
      errors: ['role_required', 'invalid_body', 'limit_reached'],
    },
    removeSiteImage: {
      route: 'DELETE /projects/{slug}/site-images/{image}',
      summary: 'Remove the uploaded logo or favicon of a site',
      description: 'The live deploy is built again without it.',
      scope: 'projects:write',
      answer: schema.RemovedSiteImage,
      errors: ['role_required', 'limit_reached'],
    },
  },
)
