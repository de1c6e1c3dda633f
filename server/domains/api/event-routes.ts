// Domain events as the management API, the live stream, webhooks and mails have them, and the operations on them.

import type { Static } from 'typebox'
import { readHostname } from '#doctor/hostname.ts'
import type { ServerEvent } from '#kit/api/event-stream.ts'
import type { Session } from '#kit/database/database.ts'
import { AppError } from '#kit/errors.ts'
import { toPage } from '#kit/schema/described-schema.ts'
import type { PublishingContext } from '#publishing/database/publishing-context.ts'
import { findProjectById } from '#publishing/projects/find-project.ts'
import { getOwnProject, projectRoutesOf } from '#publishing/projects/routes.ts'
import { findDomainById, findDomainInProject } from '../database/find-domains.ts'
import {
  type EventWatch,
  type FoundEvent,
  findEventAt,
  findPosition,
  listEvents,
  listEventsAfter,
} from '../database/list-events.ts'
import { describeBlocker } from '../state/badge.ts'
import type { DomainView } from './domain-response.ts'
import type { DomainEvent } from './event-schema.ts'
import * as schema from './event-schema.ts'

const beyondAll = BigInt(Number.MAX_SAFE_INTEGER)

/** The number of events that a stream reads together. */
const maxRead = 20

interface EventsContext extends Pick<PublishingContext, 'clock' | 'database'> {
  watch: EventWatch
  view: DomainView
  /** Ends the open streams. */
  stopping: AbortSignal
}

const route = projectRoutesOf<EventsContext>('domains')

export const domainEventRoutes = [
  route('GET /projects/{slug}/domain-events', 'listDomainEvents', {
    summary: 'List the domain events of a project, newest first',
    needs: 'read',
    description:
      'Includes removed domains. Events are kept for 400 days, at most the last 10,000 of a project.',
    scope: 'projects:read',
    query: schema.ListEventsQuery,
    returns: schema.DomainEvents,
    handle: async ({ project, query }, { database }) => page(database.read, project.id, query),
  }),
  route('GET /projects/{slug}/domain-events/stream', 'followDomainEvents', {
    summary: 'Follow the domain events of a project',
    needs: 'read',
    description:
      'A stream of server-sent events: the type as `event`, the id as `id`, event and domain as `data`. It starts after the event of `Last-Event-ID` or `after`, otherwise with new events.',
    scope: 'projects:read',
    query: schema.FollowEventsQuery,
    events: schema.StreamedEvent,
    errors: ['rate_limited'],
    async handle({ params, project: { id }, query, request }, context) {
      const { stopping, watch } = context
      const { read } = context.database
      const lastSeen = request.headers['last-event-id'] ?? query.after
      const after = lastSeen === undefined ? undefined : await findPosition(read, id, `${lastSeen}`)
      const from = after ?? (await watch.now())
      return {
        events: (signal) => streamEvents(context, id, from, AbortSignal.any([signal, stopping])),
        confirm: (again) => getOwnProject(read, again, params.slug, 'read'),
      }
    },
  }),
  route('GET /projects/{slug}/domains/{host}/events', 'listEventsOfDomain', {
    summary: 'List the events of a custom domain, newest first',
    needs: 'read',
    description: 'Also of a removed one.',
    scope: 'projects:read',
    query: schema.ListEventsQuery,
    returns: schema.DomainEvents,
    errors: ['domain_not_found'],
    async handle({ params, project: { id }, query }, { database: { read } }) {
      const host = readHostname(params.host).ok?.host ?? ''
      const list = await page(read, id, query, host)
      if (list.items.length === 0 && !(await findDomainInProject(read, id, host))) {
        throw new AppError('domain_not_found', 'The project has no such domain, and had none.')
      }
      return list
    },
  }),
] as const

async function page(
  read: Session,
  project: string,
  { before, limit }: Static<typeof schema.ListEventsQuery>,
  host?: string,
) {
  // An unknown or deleted event has nothing before it.
  const position =
    before === undefined ? beyondAll : ((await findPosition(read, project, before)) ?? 0n)
  const list = await listEvents(read, { project, before: position, max: limit + 1 }, host)
  return toPage(list, limit, 'id', showEvent)
}

/**
 * Streams the events of a project from a position. Reads them from the database as fast as the client receives
 * them: a slow client needs no memory and misses nothing. Ends when it is aborted, or when the project is deleted.
 */
async function* streamEvents(
  { database: { read }, view, watch }: EventsContext,
  projectId: string,
  from: bigint,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent<schema.StreamedEvent>> {
  let position = from
  while (!signal.aborted) {
    // Read the position first: an event that arrives meanwhile is then either listed or waited for.
    const last = await watch.now()
    const list = await listEventsAfter(read, { project: projectId, after: position, max: maxRead })
    for (const event of list) {
      const streamed = await showStreamedEvent(read, view, event)
      if (!streamed) return
      const { project: _, ...data } = streamed
      yield { id: event.id, name: event.type, data }
      position = event.position
    }
    if (list.length > 0) continue
    if (last > position) position = last
    await watch.beyond(position, signal)
  }
}

function showEvent({ actor, at, detail, host, id, type }: FoundEvent): DomainEvent {
  const { code } = detail
  const reason = code === undefined ? {} : { reason: describeBlocker(code) }
  return { id, at: new Date(at).toISOString(), type, host, actor, detail: { ...detail, ...reason } }
}

/** The event with its domain. Undefined when its project was deleted. */
async function showStreamedEvent(read: Session, view: DomainView, event: FoundEvent) {
  const project = await findProjectById(read, event.projectId)
  if (!project) return undefined
  const domain = await findDomainById(read, event.domainId)
  const shown = domain ? await view(domain, project.slug) : null
  return { project, event: showEvent(event), domain: shown }
}

/** Undefined when the event or its project was deleted. */
export async function findStreamedEvent(read: Session, view: DomainView, position: bigint) {
  const event = await findEventAt(read, position)
  return event && (await showStreamedEvent(read, view, event))
}
