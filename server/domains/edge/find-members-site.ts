// Which site of members a host shows, and the origin by which visitors reach it.
import { type Awaitable, withValue } from '#kit/database/database.ts'
import type { HostFinder } from './find-host.ts'
import type { HostOrigins } from './host-handler.ts'

interface MembersSiteContext {
  hosts: HostFinder
  origins: HostOrigins
  /** Of a host below the platform host, by its label. */
  siteOrigin(label: string): string
  platformHost: string
}

export function createMembersSiteFinder(context: MembersSiteContext) {
  const { hosts, origins, platformHost, siteOrigin } = context
  const below = `.${platformHost}`

  return (host: string): Awaitable<{ projectId: string; origin: string } | undefined> =>
    withValue(hosts.find(host), (found) => {
      if (found?.restriction?.kind !== 'members') return undefined
      if (found.serving !== 'https' && found.serving !== 'http_only') return undefined
      const { certificate, restriction } = found
      // Browsers do not trust the internal authority: the site's address remains the configured one.
      const isConfigured = host.endsWith(below) && certificate?.isTrusted !== true
      const origin = isConfigured
        ? siteOrigin(host.slice(0, -below.length))
        : origins.of(host, certificate !== undefined)
      return { projectId: restriction.projectId, origin }
    })
}
