// An event with its domain, for the live stream and notices.
import type { Session } from '../../../platform/database/database.ts'
import { type FoundProject, findProjectById } from '../../projects/find-project.ts'
import { findDomainById } from '../database/find-domains.ts'
import { findEventAt } from '../events/list-events.ts'
import type { DomainView } from './domain-response.ts'
import { showEvent } from './event-response.ts'
import type { StreamedEvent } from './event-schema.ts'

/** Undefined when the event or its project was deleted. */
export async function findStreamedEvent(
  read: Session,
  view: DomainView,
  position: bigint,
): Promise<(StreamedEvent & { project: FoundProject }) | undefined> {
  const event = await findEventAt(read, position)
  const project = event && (await findProjectById(read, event.projectId))
  if (!project) return undefined
  const domain = await findDomainById(read, event.domainId)
  return {
    project,
    event: showEvent(event),
    domain: domain ? await view(domain, project.slug) : null,
  }
}
