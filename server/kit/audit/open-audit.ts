// The audit log of a process: its routes, and the deletion of entries after 400 days, which is the only one.
import type { Static } from 'typebox'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { oldRowsOf } from '../jobs/delete-old-rows.ts'
import { type Route, route } from '../management/route.ts'
import { invalid } from '../schema/checks.ts'
import { exportAudit } from './export-audit.ts'
import { listAudit } from './list-audit.ts'
import { operations, ownOperations } from './operations.ts'
import type { ExportAuditQuery, ListAuditQuery } from './schema.ts'
import type { AuditTables } from './tables.ts'
import { wireEntryFor } from './wire.ts'

type ListQuery = Static<typeof ListAuditQuery>
type ExportQuery = Static<typeof ExportAuditQuery>

const keptMs = 400 * 24 * 3_600_000

/** `databases`: all that have an audit log. */
export function openAudit(databases: readonly Database[], clock: Clock) {
  return {
    routes: auditRoutes(databases, clock),
    async deleteOld(): Promise<void> {
      for (const database of databases) await deleteOldEntries(database, clock())
    },
  }
}

const deleteOldEntries = oldRowsOf<AuditTables>()({
  table: 'audit_log',
  key: ['id'],
  time: 'at',
  keptMs,
})

function auditRoutes(databases: readonly Database[], clock: Clock): Route[] {
  /** `viewer`: an account that sees its own entries only. */
  async function list({ limit, ...query }: ListQuery, viewer?: string) {
    const filter = { ...withTimes(query), viewer }
    const entries = await listAudit(databases, filter, limit + 1)
    const items = entries.slice(0, limit)
    const next = entries.length > limit ? (items.at(-1)?.id ?? null) : null
    return { items: items.map(wireEntryFor(viewer)), next }
  }

  function download({ form, ...query }: ExportQuery, viewer?: string) {
    return {
      mediaType: form === 'csv' ? ('text/csv' as const) : ('application/x-ndjson' as const),
      fileName: `audit-log-${new Date(clock()).toISOString().slice(0, 10)}.${form}`,
      parts: exportAudit(databases, { ...withTimes(query), viewer }, form),
    }
  }

  return [
    route(operations.listAudit, async ({ query }) => await list(query)),
    route(operations.exportAudit, async ({ query }) => download(query)),
    route(ownOperations.listOwnAudit, async ({ caller, query }) => {
      return await list(query, caller.account.id)
    }),
    route(ownOperations.exportOwnAudit, async ({ caller, query }) => {
      return download(query, caller.account.id)
    }),
  ]
}

function withTimes<Query extends { since?: string; until?: string }>(query: Query) {
  return { ...query, since: readTime('since', query.since), until: readTime('until', query.until) }
}

/** Milliseconds since the epoch. Throws `invalid_parameter`. */
function readTime(path: string, text: string | undefined): number | undefined {
  const time = text === undefined ? undefined : Date.parse(text)
  if (time === undefined || !Number.isNaN(time)) return time
  throw invalid('invalid_parameter', [{ path, message: `${path} is no existing time.` }])
}
