// An event as the management API, the live stream and webhooks give it.
import type { FoundEvent } from './list-events.ts'
import type { DomainEvent } from './schema.ts'

export function showEvent({ actor, at, detail, host, id, type }: FoundEvent): DomainEvent {
  return { id, at: new Date(at).toISOString(), type, host, actor, detail }
}
