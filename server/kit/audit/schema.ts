// Entries of the audit log as sent to clients. Times are RFC 3339.
import { type Static, Type } from 'typebox'
import { nullable, pageOf } from '../schema/described-schema.ts'
import { allAuditActions, auditAreas } from './actions.ts'
import type { AuditEntry as StoredEntry } from './list-audit.ts'
import { auditSources } from './tables.ts'

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
  area: Type.Optional(
    Type.Enum([...auditAreas], { type: 'string', description: 'Only actions of this area.' }),
  ),
  actor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 254,
      description: 'Only what this account did: its id, or the e-mail address that it had.',
    }),
  ),
  target: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 254,
      description: 'Only changes of this record: its id, or the name that it had.',
    }),
  ),
  since: time('Only from this time on.'),
  until: time('Only before this time.'),
}

export const ListAuditQuery = Type.Object({
  ...filters,
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 50, description: 'Page size.' }),
  before: Type.Optional(
    Type.String({ maxLength: 40, description: 'Only entries before the one with this id.' }),
  ),
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
    action: Type.Enum([...allAuditActions], { type: 'string', description: 'What was done.' }),
    actor: Type.Object({
      id: nullable(Type.String(), 'Id of the account; null for commands and the program itself.'),
      name: Type.String({ description: 'The e-mail address at that time.' }),
      via: Type.Enum([...auditSources], { type: 'string', description: 'How it was done.' }),
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
