// Where published sites are.
import type { Config } from '../../platform/config/config.ts'

/** Of the store's own documentation. */
export const firstProjectSlug = 'animal-store'

/** Gives the origin of a project's site by its slug, such as `http://my-docs.docs.localhost:8080`. */
export function siteOriginOf({ dashboardUrl, platformHost }: Config): (slug: string) => string {
  const port = dashboardUrl.port === '' ? '' : `:${dashboardUrl.port}`
  return (slug) => `${dashboardUrl.protocol}//${slug}.${platformHost}${port}`
}
