// An event as the management API, the live stream and webhooks give it.
import type { FoundEvent } from '../events/list-events.ts'
import type { DomainEvent } from './event-schema.ts'

export function showEvent({ actor, at, detail, host, id, type }: FoundEvent): DomainEvent {
  return { id, at: new Date(at).toISOString(), type, host, actor, detail }
}
