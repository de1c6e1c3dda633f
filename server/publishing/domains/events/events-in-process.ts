// What happened to domains, in one process: the operations on it, and upkeep.
import type { Config } from '../../../platform/config.ts'
import type { Route } from '../../../platform/management/route.ts'
import type { PublishingContext } from '../../publishing-context.ts'
import { createDomainView } from '../domain-view.ts'
import { createEventWatch } from './event-watch.ts'
import { createEventForgetter } from './forget-events.ts'
import { domainEventRoutes } from './routes.ts'

export interface DomainEventsInProcess {
  /** Part of the management API. */
  routes: Route[]
  /** Forgets what is old. */
  keepUp(): Promise<void>
}

export function openDomainEvents(
  config: Config,
  { clock, database, stopping }: Pick<PublishingContext, 'clock' | 'database' | 'stopping'>,
): DomainEventsInProcess {
  const { read } = database
  const forget = createEventForgetter(database)
  const view = createDomainView(read, clock, config.platformHost)
  const source = { read, view, watch: createEventWatch(database) }
  return {
    routes: domainEventRoutes(source, stopping),
    keepUp: () => forget(clock()),
  }
}
