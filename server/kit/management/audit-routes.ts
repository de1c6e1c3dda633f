// The operations on the audit log of a process, its entries as sent to clients, and the only deletion of entries: after 400
// days. Times are RFC 3339.

import { type Static, Type } from 'typebox'
import { writeCsvText } from '../api/download.ts'
import { allAuditActions, auditAreas } from '../audit/actions.ts'
import { type AuditFilter, listAudit, type AuditEntry as StoredEntry } from '../audit/list-audit.ts'
import { type AuditTables, auditSources } from '../audit/tables.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { oldRowsOf } from '../jobs/delete-old-rows.ts'
import { invalid } from '../schema/checks.ts'
import { nullable, pageLimit, pageOf, text, toPage, words } from '../schema/described-schema.ts'
import { bindRoutes, routesOf } from './route.ts'

/** RFC 3339. */
const time = (description: string) =>
  Type.Optional(
    Type.String({
      maxLength: 40,
      pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)$',
      'x-pattern-message': 'must be a time such as 2026-11-22T08:00:00Z',
      description,
    }),
  )

const filters = {
  area: Type.Optional(words(auditAreas, 'Only actions of this area.')),
  actor: Type.Optional(
    text(254, 'Only what this account did: its id, or the e-mail address that it had.', 1),
  ),
  target: Type.Optional(
    text(254, 'Only changes of this record: its id, or the name that it had.', 1),
  ),
  since: time('Only from this time on.'),
  until: time('Only before this time.'),
}

export const ListAuditQuery = Type.Object({
  ...filters,
  limit: pageLimit(50),
  before: Type.Optional(text(40, 'Only entries before the one with this id.')),
})

export const ExportAuditQuery = Type.Object({
  ...filters,
  form: Type.Enum(['csv', 'ndjson'], {
    type: 'string',
    default: 'csv',
    description: 'Form of the file.',
  }),
})

export const AuditEntry = Type.Object(
  {
    id: Type.String(),
    at: Type.String({ format: 'date-time', description: 'When it happened.' }),
    action: words(allAuditActions, 'What was done.'),
    actor: Type.Object({
      id: nullable(Type.String(), 'Id of the account; null for commands and the program itself.'),
      name: Type.String({ description: 'The e-mail address at that time.' }),
      via: words(auditSources, 'How it was done.'),
      credentialId: nullable(Type.String(), 'Id of the session or access token.'),
    }),
    address: nullable(Type.String(), 'IP address of the client.'),
    target: Type.Object({
      id: Type.String({ description: 'Id of the record.' }),
      name: Type.String({ description: 'Its name at that time.' }),
    }),
    detail: Type.Record(
      Type.String(),
      Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]),
      { description: 'Further values of the action.' },
    ),
  },
  { $id: 'AuditEntry', description: 'An entry of the audit log.' },
)
export type AuditEntry = Static<typeof AuditEntry>

export const AuditEntries = pageOf(
  AuditEntry,
  'AuditEntries',
  'Entries of the audit log, newest first.',
  '`before` for the next page; null on the last page.',
)

/** As the account `viewer` may see it; operators see all. Where others were and what they used is theirs. */
export function wireEntryFor(viewer: string | undefined): (entry: StoredEntry) => AuditEntry {
  return (entry) => {
    const isOwn = viewer === undefined || entry.actorId === null || entry.actorId === viewer
    return wireEntry(isOwn ? entry : { ...entry, address: null, credentialId: null })
  }
}

function wireEntry(entry: StoredEntry): AuditEntry {
  const { action, address, at, detail, id, targetId, targetName } = entry
  const { actorId, actorName, credentialId, via } = entry
  return {
    id,
    at: new Date(at).toISOString(),
    action,
    actor: { id: actorId, name: actorName, via, credentialId },
    address,
    target: { id: targetId, name: targetName },
    detail: detail as AuditEntry['detail'],
  }
}

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
  return toPage(entries, limit, 'id', wireEntryFor(viewer))
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
  const write = form === 'csv' ? csvLine : (entry: AuditEntry) => `${JSON.stringify(entry)}\n`
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

function csvLine({ action, actor, address, at, detail, id, target }: AuditEntry): string {
  const values = [
    ...[id, at, action, actor.id, actor.name, actor.via, actor.credentialId, address],
    ...[target.id, target.name, JSON.stringify(detail)],
  ]
  return `${values.map((value) => writeCsvText(value ?? '')).join(',')}\r\n`
}
