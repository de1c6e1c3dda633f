// Streams the events of a project from a position. Reads them from the database as fast as the client receives
// them: a slow client needs no memory and misses nothing.

import type { ServerEvent } from '../../../platform/api/event-stream.ts'
import type { Session } from '../../../platform/database/database.ts'
import { findProjectById } from '../../projects/find-project.ts'
import { findDomainById } from '../database/find-domains.ts'
import type { EventWatch } from '../events/event-watch.ts'
import { type FoundEvent, listEventsAfter } from '../events/list-events.ts'
import type { DomainView } from './domain-response.ts'
import { showEvent } from './event-response.ts'
import type { StreamedEvent } from './event-schema.ts'

const atOnce = 20

export interface EventSource {
  read: Session
  watch: EventWatch
  view: DomainView
}

/** Ends when it is aborted, or when the project is deleted. */
export async function* followEvents(
  { read, view, watch }: EventSource,
  projectId: string,
  from: bigint,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent<StreamedEvent>> {
  let position = from
  while (!signal.aborted) {
    // Read the position first: an event that arrives meanwhile is then either listed or waited for.
    const last = await watch.now()
    const found = await listEventsAfter(read, projectId, position, atOnce)
    for (const event of found) {
      const slug = (await findProjectById(read, projectId))?.slug
      if (slug === undefined) return
      yield { id: event.id, name: event.type, data: await withDomain(event, slug) }
      position = event.position
    }
    if (found.length > 0) continue
    if (last > position) position = last
    await watch.beyond(position, signal)
  }

  async function withDomain(event: FoundEvent, slug: string): Promise<StreamedEvent> {
    const domain = await findDomainById(read, event.domainId)
    return { event: showEvent(event), domain: domain ? await view(domain, slug) : null }
  }
}
