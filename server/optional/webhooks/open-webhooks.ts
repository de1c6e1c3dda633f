// Webhooks of the store in one process: their operations, the dispatcher of each environment, and the deletion of old
// deliveries. The store writes the events (changes/record-events.ts) of which this sends those that a webhook wants.
import type { Clock } from '#kit/clock.ts'
import type { Config } from '#kit/config/config.ts'
import type { Logger } from '#kit/log.ts'
import { bindRoutes } from '#kit/management/route.ts'
import type { Metrics } from '#kit/metrics.ts'
import { type Resolve, resolveBy } from '#kit/network/http-client.ts'
import { judgeAddresses } from '#kit/network/public-address.ts'
import { openSecrets } from '#kit/secrets.ts'
import { type EnvironmentName, environmentNames } from '#store/database/environment-name.ts'
import type { Store } from '#store/store.ts'
import { readQueue } from './deliveries.ts'
import { startDispatcher } from './dispatcher.ts'
import { deleteOldDeliveries } from './forget-deliveries.ts'
import { webhookRoutes } from './routes.ts'

/** How requests to others go out; as usual without it. */
export interface Outgoing {
  resolve?: Resolve
  answerWithinMs?: number
}

export function openWebhooks(
  config: Config,
  { databases, mayClaim }: Pick<Store, 'databases' | 'mayClaim'>,
  clock: Clock,
  metrics: Metrics,
  log: Logger,
  { answerWithinMs, resolve = resolveBy(config.dnsServers) }: Outgoing = {},
) {
  const secrets = openSecrets(config)
  const destinations = { judge: judgeAddresses(config.webhookAllow), resolve }
  const queues = {
    production: () => readQueue(databases.production, clock()),
    staging: () => readQueue(databases.staging, clock()),
  }
  const dispatcher = (environment: EnvironmentName) => {
    metrics.watchWebhookQueue(environment, queues[environment])
    return startDispatcher({
      ...{ database: databases[environment], environment, secrets, destinations },
      ...{ clock, mayClaim, metrics, log, answerWithinMs },
    })
  }
  const dispatchers = { production: dispatcher('production'), staging: dispatcher('staging') }
  let sends = true
  return {
    /** Part of the management API. */
    routes: bindRoutes(webhookRoutes, { databases, clock, secrets, destinations }),
    dispatchers,
    /** How much waits to be delivered. */
    queues,
    async maintain() {
      for (const name of environmentNames) {
        if (!sends) return
        dispatchers[name].wake()
        await deleteOldDeliveries(databases[name], clock())
      }
    },
    /** Sends no more; resolves when what is on its way has come back. */
    async stop() {
      sends = false
      await Promise.all(environmentNames.map((name) => dispatchers[name].stop()))
    },
  }
}
