// Entries of the audit log as sent to clients.
import type { AuditEntry } from './list-audit.ts'
import type { AuditEntry as WireEntry } from './schema.ts'

export function wireEntry(entry: AuditEntry): WireEntry {
  const { action, address, at, detail, id, targetId, targetName } = entry
  const { actorId, actorName, credentialId, via } = entry
  return {
    id,
    at: new Date(at).toISOString(),
    action,
    actor: { id: actorId, name: actorName, via, credentialId },
    address,
    target: { id: targetId, name: targetName },
    detail: detail as WireEntry['detail'],
  }
}
