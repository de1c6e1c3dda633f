// The operations on the audit log in the management API.
import { Type } from 'typebox'
import { declareOperations } from '../management/operation.ts'
import * as schema from './schema.ts'

const exported = {
  'text/csv': Type.String({ description: 'RFC 4180, in UTF-8, with a header line.' }),
  'application/x-ndjson': Type.String({ description: 'An entry on each line.' }),
}

export const ownOperations = declareOperations(
  { tag: 'account', access: 'account' },
  {
    listOwnAudit: {
      route: 'GET /account/audit-log',
      summary: 'List what the current account did and what was done to it, newest first',
      description:
        'Entries of the audit log with the account as actor or target, and about its projects and domains. The addresses and credentials of others are left out.',
      query: schema.ListAuditQuery,
      answer: schema.AuditEntries,
    },
    exportOwnAudit: {
      route: 'GET /account/audit-log/export',
      summary: 'Get the entries of the current account as a file',
      description: 'Newest first, at most 100,000 entries.',
      query: schema.ExportAuditQuery,
      download: exported,
    },
  },
)

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
      download: exported,
    },
  },
)
