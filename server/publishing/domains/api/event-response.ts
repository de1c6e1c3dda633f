// An event as the management API, the live stream and webhooks give it.
import type { FoundEvent } from '../events/list-events.ts'
import { describeBlocker } from '../state/describe-blocker.ts'
import type { DomainEvent } from './event-schema.ts'

export function showEvent({ actor, at, detail, host, id, type }: FoundEvent): DomainEvent {
  const { code } = detail
  const reason = code === undefined ? {} : { reason: describeBlocker(code) }
  return { id, at: new Date(at).toISOString(), type, host, actor, detail: { ...detail, ...reason } }
}
