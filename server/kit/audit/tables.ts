// The audit log's table, in each database whose changes it records. Times are milliseconds since the epoch.
import { insertsFor, queriesFor } from '../database/query.ts'
import type { AuditAction, AuditArea } from './actions.ts'

export const auditSources = ['session', 'token', 'link', 'command_line', 'program'] as const
export type AuditSource = (typeof auditSources)[number]

export interface AuditTables {
  audit_log: {
    id: string
    at: bigint
    area: AuditArea
    action: AuditAction
    actor_id: string | null
    actor_name: string
    via: AuditSource
    credential_id: string | null
    address: string | null
    target_id: string
    target_name: string
    /** The account that owned the target; null if none does, or the target is an account. */
    owner_id: string | null
    /** JSON of an AuditDetail. */
    detail: string
  }
}

export const prepareQuery = queriesFor<AuditTables>()
export const prepareInsert = insertsFor<AuditTables>()
