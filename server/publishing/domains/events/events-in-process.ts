// What happened to domains, in one process: the operations on it, and upkeep.
import type { Route } from '../../../platform/management/route.ts'
import type { PublishingContext } from '../../publishing-context.ts'
import { createEventForgetter } from './forget-events.ts'
import { domainEventRoutes } from './routes.ts'

export interface DomainEventsInProcess {
  /** Part of the management API. */
  routes: Route[]
  /** Forgets what is old. */
  keepUp(): Promise<void>
}

export function openDomainEvents({
  clock,
  database,
}: Pick<PublishingContext, 'clock' | 'database'>): DomainEventsInProcess {
  const forget = createEventForgetter(database)
  return {
    routes: domainEventRoutes(database),
    keepUp: () => forget(clock()),
  }
}
