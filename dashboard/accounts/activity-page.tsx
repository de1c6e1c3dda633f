// Activity: the entries of the audit log about the current account, its projects and domains.
import { headOf } from '../platform/page-frames.ts'
import { AuditLog } from './audit-log.tsx'

export function Component() {
  return <AuditLog source="GET /account/audit-log" {...headOf('/account/activity')} />
}
