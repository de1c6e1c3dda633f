// The operations on the audit log of a process, and the only deletion of its entries: after 400 days.
import { type Static, Type } from 'typebox'
import { writeCsvText } from '../api/download.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { oldRowsOf } from '../jobs/delete-old-rows.ts'
import { bindRoutes, routesOf } from '../management/route.ts'
import { invalid } from '../schema/checks.ts'
import { type AuditFilter, listAudit } from './list-audit.ts'
import {
  AuditEntries,
  ExportAuditQuery,
  ListAuditQuery,
  type AuditEntry as WireEntry,
  wireEntryFor,
} from './schema.ts'
import type { AuditTables } from './tables.ts'

interface AuditContext {
  /** All that have an audit log. */
  databases: readonly Database[]
  clock: Clock
}

export function openAudit(databases: readonly Database[], clock: Clock) {
  return {
    routes: bindRoutes(auditRoutes, { databases, clock }),
    async deleteOld(): Promise<void> {
      for (const database of databases) await deleteOldEntries(database, clock())
    },
  }
}

const deleteOldEntries = oldRowsOf<AuditTables>()({
  table: 'audit_log',
  key: ['id'],
  time: 'at',
  keptMs: 400 * 24 * 3_600_000,
})

const exported = {
  'text/csv': Type.String({ description: 'RFC 4180, in UTF-8, with a header line.' }),
  'application/x-ndjson': Type.String({ description: 'An entry on each line.' }),
}

const forOwners = routesOf<AuditContext>({ tag: 'account', access: 'account' })
const forOperators = routesOf<AuditContext>({ tag: 'audit-log', access: 'operator' })

export const auditRoutes = [
  forOperators('GET /audit-log', 'listAudit', {
    summary: 'List the audit log, newest first',
    description: 'Entries are kept for 400 days. They cannot be changed.',
    query: ListAuditQuery,
    returns: AuditEntries,
    handle: ({ query }, context) => list(context, query),
  }),
  forOperators('GET /audit-log/export', 'exportAudit', {
    summary: 'Get the audit log as a file',
    description:
      'Newest first, at most 100,000 entries. Get more by periods, with since and until.',
    query: ExportAuditQuery,
    download: exported,
    handle: async ({ query }, context) => download(context, query),
  }),
  forOwners('GET /account/audit-log', 'listOwnAudit', {
    summary: 'List what the current account did and what was done to it, newest first',
    description:
      'Entries of the audit log with the account as actor or target, and about its projects and domains. The addresses and credentials of others are left out.',
    query: ListAuditQuery,
    returns: AuditEntries,
    handle: ({ caller, query }, context) => list(context, query, caller.account.id),
  }),
  forOwners('GET /account/audit-log/export', 'exportOwnAudit', {
    summary: 'Get the entries of the current account as a file',
    description: 'Newest first, at most 100,000 entries.',
    query: ExportAuditQuery,
    download: exported,
    handle: async ({ caller, query }, context) => download(context, query, caller.account.id),
  }),
] as const

/** `viewer`: an account that sees its own entries only. */
async function list(
  { databases }: AuditContext,
  { limit, ...query }: Static<typeof ListAuditQuery>,
  viewer?: string,
) {
  const entries = await listAudit(databases, { ...withTimes(query), viewer }, limit + 1)
  const items = entries.slice(0, limit)
  const next = entries.length > limit ? (items.at(-1)?.id ?? null) : null
  return { items: items.map(wireEntryFor(viewer)), next }
}

function download(
  { clock, databases }: AuditContext,
  { form, ...query }: Static<typeof ExportAuditQuery>,
  viewer?: string,
) {
  return {
    mediaType: form === 'csv' ? 'text/csv' : 'application/x-ndjson',
    fileName: `audit-log-${new Date(clock()).toISOString().slice(0, 10)}.${form}`,
    parts: exportAudit(databases, { ...withTimes(query), viewer }, form),
  }
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

const exportForms = ['csv', 'ndjson'] as const
type ExportForm = (typeof exportForms)[number]

/** More than this is exported by periods, with `since` and `until`. */
const maxExported = 100_000
const pageSize = 1000

/** At most `max` entries that match the filter, newest first, as a file: read page by page, never held whole in memory. */
export async function* exportAudit(
  databases: readonly Pick<Database, 'read'>[],
  filter: AuditFilter,
  form: ExportForm,
  max = maxExported,
): AsyncGenerator<string> {
  const write = form === 'csv' ? csvLine : (entry: WireEntry) => `${JSON.stringify(entry)}\n`
  const show = wireEntryFor(filter.viewer)
  if (form === 'csv') yield `${csvColumns.join(',')}\r\n`
  let { before } = filter
  for (let left = max; left > 0; ) {
    const size = Math.min(pageSize, left)
    const entries = await listAudit(databases, { ...filter, before }, size)
    if (entries.length > 0) yield entries.map((entry) => write(show(entry))).join('')
    if (entries.length < size) return
    before = entries.at(-1)?.id
    left -= size
  }
}

const csvColumns = [
  ...['id', 'at', 'action', 'actorId', 'actorName', 'via', 'credentialId', 'address'],
  ...['targetId', 'targetName', 'detail'],
]

function csvLine({ action, actor, address, at, detail, id, target }: WireEntry): string {
  const values = [
    ...[id, at, action, actor.id, actor.name, actor.via, actor.credentialId, address],
    ...[target.id, target.name, JSON.stringify(detail)],
  ]
  return `${values.map((value) => writeCsvText(value ?? '')).join(',')}\r\n`
}
