// Audit log of the operators: everything.
import { headOf } from '../platform/page-frames.ts'
import { AuditLog } from './audit-log.tsx'

export function Component() {
  return <AuditLog source="GET /audit-log" {...headOf('/audit-log')} />
}
