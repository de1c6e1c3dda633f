// Activity: the entries of the audit log about the current account, its projects and domains.
import { AuditLog } from './audit-log.tsx'

export function Component() {
  return (
    <AuditLog
      source="GET /account/audit-log"
      title="Activity"
      lead="What you did, and what was done to your account, projects and domains. Entries are kept for 400 days and cannot be changed."
    />
  )
}
