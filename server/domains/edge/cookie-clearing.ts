// At which hosts a 431 deletes the cookies that caused it (kit/http/listener/cookie-overflow.ts).
import { getDomain } from 'tldts'
import { type Config, ownHostsOf } from '#kit/config/config.ts'
import { type Awaitable, withValue } from '#kit/database/database.ts'
import type { HostFinder } from './find-host.ts'

/**
 * True for hosts that are served, unless they share the registrable domain with the dashboard or an API: browsers
 * delete cookies of the whole registrable domain, which would sign people out.
 */
export function createCookieClearing(hosts: HostFinder, config: Config) {
  const ownSites = new Set(ownHostsOf(config).map(siteOf))
  return (host: string): Awaitable<boolean> => {
    if (ownSites.has(siteOf(host))) return false
    return withValue(hosts.find(host), (found) => found !== undefined && found.serving !== 'off')
  }
}

/** The registrable domain; the host itself if it is one, an address or a single label. */
function siteOf(host: string): string {
  return getDomain(host, { allowPrivateDomains: true }) ?? host
}
