// Domain events as the management API, the live stream, webhooks and mails have them.
import type { Session } from '#kit/database/database.ts'
import { findProjectById } from '#publishing/projects/find-project.ts'
import { findDomainById } from '../database/find-domains.ts'
import { type FoundEvent, findEventAt } from '../events/list-events.ts'
import { describeBlocker } from '../state/badge.ts'
import type { DomainView } from './domain-response.ts'
import type { DomainEvent } from './event-schema.ts'

export function showEvent({ actor, at, detail, host, id, type }: FoundEvent): DomainEvent {
  const { code } = detail
  const reason = code === undefined ? {} : { reason: describeBlocker(code) }
  return { id, at: new Date(at).toISOString(), type, host, actor, detail: { ...detail, ...reason } }
}

/** The event with its domain. Undefined when its project was deleted. */
export async function showStreamedEvent(read: Session, view: DomainView, event: FoundEvent) {
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
