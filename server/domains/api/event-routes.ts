// Routes of the domain events: find the project for the caller, call, reply.
import type { ServerEvent } from '#kit/api/event-stream.ts'
import type { Session } from '#kit/database/database.ts'
import { AppError } from '#kit/errors.ts'
import { type Route, route } from '#kit/management/route.ts'
import { getOwnProject } from '#publishing/projects/routes.ts'
import { findDomainInProject } from '../database/find-domains.ts'
import type { EventWatch } from '../events/event-watch.ts'
import { findPosition, listEvents, listEventsAfter } from '../events/list-events.ts'
import { readHostname } from '../host-names/hostname.ts'
import type { DomainView } from './domain-response.ts'
import { operations } from './event-operations.ts'
import type { FollowEventsQuery, ListEventsQuery, StreamedEvent } from './event-schema.ts'
import { showEvent, showStreamedEvent } from './streamed-event.ts'

const beyondAll = BigInt(Number.MAX_SAFE_INTEGER)

/** The number of events that a stream reads together. */
const maxRead = 20

interface EventSource {
  read: Session
  watch: EventWatch
  view: DomainView
}

/** `stopping`: ends the open streams. */
export function domainEventRoutes(source: EventSource, stopping: AbortSignal): Route[] {
  const { read, watch } = source

  async function page(project: string, { before, limit }: ListEventsQuery, host?: string) {
    // An unknown or deleted event has nothing before it.
    const position =
      before === undefined ? beyondAll : ((await findPosition(read, project, before)) ?? 0n)
    const found = await listEvents(read, { project, before: position, max: limit + 1 }, host)
    const items = found.slice(0, limit).map(showEvent)
    return { items, next: found.length > limit ? (items.at(-1)?.id ?? null) : null }
  }

  return [
    route(operations.listDomainEvents, async ({ caller, params, query }) => {
      const { id } = await getOwnProject(read, caller, params.slug, 'read')
      return await page(id, query as ListEventsQuery)
    }),
    route(operations.followDomainEvents, async ({ caller, params, query, request }) => {
      const { id } = await getOwnProject(read, caller, params.slug, 'read')
      const lastSeen = request.headers['last-event-id'] ?? (query as FollowEventsQuery).after
      const known = lastSeen === undefined ? undefined : await findPosition(read, id, `${lastSeen}`)
      const from = known ?? (await watch.now())
      return {
        events: (signal) => streamEvents(source, id, from, AbortSignal.any([signal, stopping])),
        confirm: (again) => getOwnProject(read, again, params.slug, 'read'),
      }
    }),
    route(operations.listEventsOfDomain, async ({ caller, params, query }) => {
      const { id } = await getOwnProject(read, caller, params.slug, 'read')
      const host = readHostname(params.host).ok?.host ?? ''
      const found = await page(id, query as ListEventsQuery, host)
      if (found.items.length === 0 && !(await findDomainInProject(read, id, host))) {
        throw new AppError('domain_not_found', 'The project has no such domain, and had none.')
      }
      return found
    }),
  ]
}

/**
 * Streams the events of a project from a position. Reads them from the database as fast as the client receives
 * them: a slow client needs no memory and misses nothing. Ends when it is aborted, or when the project is deleted.
 */
async function* streamEvents(
  { read, view, watch }: EventSource,
  projectId: string,
  from: bigint,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent<StreamedEvent>> {
  let position = from
  while (!signal.aborted) {
    // Read the position first: an event that arrives meanwhile is then either listed or waited for.
    const last = await watch.now()
    const found = await listEventsAfter(read, { project: projectId, after: position, max: maxRead })
    for (const event of found) {
      const streamed = await showStreamedEvent(read, view, event)
      if (!streamed) return
      const { project: _, ...data } = streamed
      yield { id: event.id, name: event.type, data }
      position = event.position
    }
    if (found.length > 0) continue
    if (last > position) position = last
    await watch.beyond(position, signal)
  }
}
