// The origins of published sites.
import type { Config } from '#kit/config/config.ts'

/** Slug of the project with the documentation of the program itself. */
export const firstProjectSlug = 'animal-store'

/** At which browsers may open the site of that project, unless it has domains of its own. */
export function firstProjectOrigins(
  config: Pick<Config, 'dashboardUrl' | 'httpsPort' | 'platformHost' | 'publicHttpsPort'>,
): string[] {
  const { httpsPort, platformHost, publicHttpsPort } = config
  const secure = `https://${firstProjectSlug}.${platformHost}:${publicHttpsPort}`
  return [
    siteOriginOf(config)(firstProjectSlug),
    ...(httpsPort === undefined ? [] : [new URL(secure).origin]),
  ]
}

/** Returns the origin of a project's site by its slug, such as `http://my-docs.docs.localhost:8080`. */
export function siteOriginOf({
  dashboardUrl,
  platformHost,
}: Pick<Config, 'dashboardUrl' | 'platformHost'>): (slug: string) => string {
  const port = dashboardUrl.port === '' ? '' : `:${dashboardUrl.port}`
  return (slug) => `${dashboardUrl.protocol}//${slug}.${platformHost}${port}`
}
