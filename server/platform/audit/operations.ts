// The operations on the audit log in the management API.
import { Type } from 'typebox'
import { declareOperations } from '../management/operation.ts'
import * as schema from './schema.ts'

export const operations = declareOperations(
  { tag: 'audit-log', access: 'operator' },
  {
    listAudit: {
      route: 'GET /audit-log',
      summary: 'List the audit log, newest first',
      description: 'Entries are kept for 400 days. They cannot be changed.',
      query: schema.ListAuditQuery,
      answer: schema.AuditEntries,
    },
    exportAudit: {
      route: 'GET /audit-log/export',
      summary: 'Get the audit log as a file',
      description:
        'Newest first, at most 100,000 entries. Get more by periods, with since and until.',
      query: schema.ExportAuditQuery,
      download: {
        'text/csv': Type.String({ description: 'RFC 4180, in UTF-8, with a header line.' }),
        'application/x-ndjson': Type.String({ description: 'An entry on each line.' }),
      },
    },
  },
)
