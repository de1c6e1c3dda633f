// The API schemas of removed domains whose DNS records are to be deleted.
import { type Static, Type } from 'typebox'
import { nullable } from '../../../platform/schema/described-schema.ts'
import { moment, PlainRecord, words } from '../checks/check-schema.ts'
import { maxRemovedDomains } from '../database/removed-domains.ts'
import { leftRecordStates } from '../doctor/judge-left-records.ts'

const RecordToDelete = Type.Object(
  {
    ...PlainRecord.properties,
    state: words(
      leftRecordStates,
      'deleted: no name server of its zone has it. present: at least one has it. unknown: none of those that responded has it, but not all did.',
    ),
    detail: nullable(Type.String(), 'What the last check found. Null before the first one.'),
    servers: Type.Array(
      Type.Object({
        name: nullable(Type.String(), 'Of the name server.'),
        address: Type.String(),
        answer: words(['present', 'deleted', 'unknown'], 'Whether it has the record.'),
        state: words(
          ['ok', 'lame', 'refused', 'timeout', 'error', 'not_asked'],
          'Whether and how it answers. not_asked: the check hit its limit of queries or time.',
        ),
      }),
      { maxItems: 100, description: 'The authoritative name servers of its zone.' },
    ),
    note: nullable(Type.String(), 'Of a persistent record: what it allowed.'),
  },
  { $id: 'DnsRecordToDelete', description: 'A DNS record that is to be deleted.' },
)

export const DomainRemoval = Type.Object(
  {
    host: Type.String({ description: 'As DNS has it: lower-case ASCII.' }),
    unicodeHost: Type.String({ description: 'For display: Unicode where that is safe.' }),
    removedAt: moment,
    state: words(
      leftRecordStates,
      'Of all records: the first of present, unchecked, unknown that any has; otherwise deleted.',
    ),
    records: Type.Array(RecordToDelete, { maxItems: 100 }),
    checkedAt: nullable(moment, 'Null before the first check.'),
    nextVerifyAt: nullable(
      moment,
      'Until then, a request to verify it returns the result of the last check. Null before the first.',
    ),
  },
  {
    $id: 'DomainRemoval',
    description: 'A removed domain, and whether its DNS records are deleted.',
  },
)
export type DomainRemoval = Static<typeof DomainRemoval>

export const DomainRemovals = Type.Object(
  { items: Type.Array(DomainRemoval, { maxItems: maxRemovedDomains }) },
  { $id: 'DomainRemovals', description: 'Removed domains, newest first.' },
)
export type DomainRemovals = Static<typeof DomainRemovals>
