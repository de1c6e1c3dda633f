// Routes of the domain events: find the project for the caller, call, reply.
import { AppError } from '../../../platform/errors.ts'
import { type Route, route } from '../../../platform/management/route.ts'
import { getOwnProject } from '../../projects/routes.ts'
import { findDomainInProject } from '../database/find-domains.ts'
import { findPosition, listEvents } from '../events/list-events.ts'
import { readHostname } from '../host-names/hostname.ts'
import { operations } from './event-operations.ts'
import { showEvent } from './event-response.ts'
import type { DomainEvent, FollowEventsQuery, ListEventsQuery } from './event-schema.ts'
import { type EventSource, followEvents } from './follow-events.ts'

const beyondAll = BigInt(Number.MAX_SAFE_INTEGER)

/** `stopping`: ends the open streams. */
export function domainEventRoutes(source: EventSource, stopping: AbortSignal): Route[] {
  const { read, watch } = source

  async function page(
    project: string,
    { before, limit }: ListEventsQuery,
    host?: string,
  ): Promise<{ items: DomainEvent[]; next: string | null }> {
    // An unknown or deleted event has nothing before it.
    const position =
      before === undefined ? beyondAll : ((await findPosition(read, project, before)) ?? 0n)
    const found = await listEvents(read, {
      project,
      before: position,
      most: limit + 1,
      ...(host === undefined ? {} : { host }),
    })
    const items = found.slice(0, limit).map(showEvent)
    return { items, next: found.length > limit ? (items.at(-1)?.id ?? null) : null }
  }

  return [
    route(operations.listDomainEvents, async ({ caller, params, query }) => {
      const { id } = await getOwnProject(read, caller, params.slug)
      return await page(id, query as ListEventsQuery)
    }),
    route(operations.followDomainEvents, async ({ caller, params, query, request }) => {
      const { id } = await getOwnProject(read, caller, params.slug)
      const lastSeen = request.headers['last-event-id'] ?? (query as FollowEventsQuery).after
      const known = lastSeen === undefined ? undefined : await findPosition(read, id, `${lastSeen}`)
      const from = known ?? (await watch.now())
      return {
        events: (signal) => followEvents(source, id, from, AbortSignal.any([signal, stopping])),
        confirm: (again) => getOwnProject(read, again, params.slug),
      }
    }),
    route(operations.listEventsOfDomain, async ({ caller, params, query }) => {
      const { id } = await getOwnProject(read, caller, params.slug)
      const name = readHostname(params.host, { hosts: [], platformHost: '' }).ok
      const host = name?.host ?? ''
      const found = await page(id, query as ListEventsQuery, host)
      if (found.items.length === 0 && !(await findDomainInProject(read, id, host))) {
        throw new AppError('domain_not_found', 'The project has no such domain, and had none.')
      }
      return found
    }),
  ]
}
