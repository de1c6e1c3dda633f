// The operations on custom domains with those of Domain Connect, for a process of the server and for commands on the local
// database.
import { authoritiesOf } from '#domains/certificates/open-certificates.ts'
import { createRateLimitReader } from '#domains/certificates/rate-limits/attempt-log.ts'
import { domainsUpkeep, openDomains } from '#domains/domains.ts'
import { createRemovalVerifier } from '#domains/edge/removal/node-presence.ts'
import type { Config } from '#kit/config/config.ts'
import { openDomainConnect } from '#optional/domain-connect/open.ts'
import type { PublishingContext } from '#publishing/database/publishing-context.ts'

type Context = Pick<PublishingContext, 'clock' | 'database' | 'platformHost' | 'stopping'> &
  Pick<Parameters<typeof openDomains>[1], 'allowances' | 'onChecked'> &
  Pick<Parameters<typeof createRemovalVerifier>[0], 'node'>

export function openDomainOperations(config: Config, { node, ...context }: Context) {
  const { clock, database } = context
  const authorities = authoritiesOf(config, context)
  const domains = openDomains(config, {
    ...context,
    verifyRemoval: createRemovalVerifier({ config, database, clock, node }),
    authorities: authorities.forCaa,
    readHostRateLimits: createRateLimitReader(database, clock, config.acme.directory),
  })
  const connect = openDomainConnect(config, context, domains)
  return {
    ...domains,
    /** Stopped by the caller. */
    authorities,
    /** Part of the management API. */
    routes: [...domains.routes, ...connect.routes],
    upkeep: [...domainsUpkeep, ...connect.upkeep],
  }
}
