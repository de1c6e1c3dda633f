// An event with the domain that it is about, for whoever is told of it later.
import type { Session } from '../../../platform/database/database.ts'
import { type FoundProject, findProjectById } from '../../projects/find-project.ts'
import { findDomainById } from '../database/find-domains.ts'
import { findEventAt } from '../events/list-events.ts'
import type { DomainView } from './domain-response.ts'
import { showEvent } from './event-response.ts'
import type { StreamedEvent } from './event-schema.ts'

/** Undefined when the event or its project has gone. */
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
