// Audit log of the operators: everything.
import { AuditLog } from './audit-log.tsx'

export function Component() {
  return (
    <AuditLog
      source="GET /audit-log"
      title="Audit log"
      lead="Who changed accounts, plans, tokens, keys, projects, deploys, domains and webhooks. Entries are kept for 400 days and cannot be changed."
    />
  )
}
