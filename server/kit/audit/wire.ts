// Entries of the audit log as sent to clients.
import type { AuditEntry } from './list-audit.ts'
import type { AuditEntry as WireEntry } from './schema.ts'

/** As the account `viewer` may see it; operators see all. Where others were and what they used is theirs. */
export function wireEntryFor(viewer: string | undefined): (entry: AuditEntry) => WireEntry {
  return (entry) => {
    const isOwn = viewer === undefined || entry.actorId === null || entry.actorId === viewer
    return wireEntry(isOwn ? entry : { ...entry, address: null, credentialId: null })
  }
}

function wireEntry(entry: AuditEntry): WireEntry {
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
