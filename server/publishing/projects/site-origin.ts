// The origins of published sites.
import type { Config } from '../../platform/config/config.ts'

/** Slug of the project with the documentation of the program itself. */
export const firstProjectSlug = 'animal-store'

/** Returns the origin of a project's site by its slug, such as `http://my-docs.docs.localhost:8080`. */
export function siteOriginOf({ dashboardUrl, platformHost }: Config): (slug: string) => string {
  const port = dashboardUrl.port === '' ? '' : `:${dashboardUrl.port}`
  return (slug) => `${dashboardUrl.protocol}//${slug}.${platformHost}${port}`
}
