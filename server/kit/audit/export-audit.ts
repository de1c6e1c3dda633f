// The audit log as a file, newest first, page by page: it is never held whole in memory.
import { writeCsvText } from '../csv-field.ts'
import type { Database } from '../database/database.ts'
import { type AuditFilter, listAudit } from './list-audit.ts'
import { type AuditEntry as WireEntry, wireEntryFor } from './schema.ts'

const exportForms = ['csv', 'ndjson'] as const
type ExportForm = (typeof exportForms)[number]

/** More than this is exported by periods, with `since` and `until`. */
const maxExported = 100_000
const pageSize = 1000

/** At most `max` entries that match the filter. */
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
