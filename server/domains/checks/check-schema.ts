// The API schemas of DNS checks.
import { type Static, Type } from 'typebox'
import { count, nullable, words } from '#kit/schema/described-schema.ts'

export const moment = Type.String({ format: 'date-time' })

const Span = Type.Object({ start: Type.Integer(), end: Type.Integer() })

export const PlainRecord = Type.Object(
  {
    name: Type.String({ description: 'The full name.' }),
    type: words(['A', 'AAAA', 'ALIAS', 'CAA', 'CNAME', 'TXT'], 'ALIAS stands for ANAME, too.'),
    value: Type.String(),
    ttlSeconds: Type.Integer({ minimum: 0 }),
  },
  { $id: 'DnsRecord', description: 'A DNS record.' },
)

export const ZoneLine = Type.String({ description: 'The record as a line of a zone file.' })

const Diagnostic = Type.Object(
  {
    code: Type.String({ description: 'Such as D10.' }),
    severity: words(
      ['blocks', 'waits', 'warns', 'fine'],
      'blocks: must be fixed before setup continues. waits: resolves automatically. warns: should be fixed.',
    ),
    title: Type.String({ description: 'One line: what is wrong.' }),
    detail: Type.String({ description: 'What was found, and what it means.' }),
    fix: nullable(
      Type.Object({
        text: Type.String(),
        remove: Type.Array(PlainRecord),
        add: Type.Array(PlainRecord),
        zoneLines: Type.Array(ZoneLine, { description: 'Of the records in `add`.' }),
      }),
      'What to do; null where there is nothing to do but wait.',
    ),
    found: Type.Array(Type.String()),
    expected: Type.Array(Type.String()),
    difference: nullable(
      Type.Object({
        found: Type.Array(Span),
        expected: Type.Array(Span),
        notes: Type.Array(Type.String()),
      }),
      'Where the first value found and the first expected differ. No spans where most differs.',
    ),
    until: nullable(moment, 'When cached records expire, or the next check starts.'),
  },
  { $id: 'Diagnostic', description: 'One thing that the doctor found.' },
)

const NameServerStatus = Type.Object({
  name: nullable(Type.String(), 'Of the name server.'),
  address: Type.String(),
  state: words(['ok', 'lame', 'refused', 'timeout', 'error'], 'Whether and how it answers.'),
  answer: words(['correct', 'wrong', 'missing', 'unknown'], 'What it answers for the host.'),
  records: Type.Array(Type.String(), { description: 'Such as `CNAME docs.example.net`.' }),
  cachedUntil: nullable(moment, 'Until when a cache that queries now keeps it.'),
})

const Propagation = Type.Object(
  {
    servers: Type.Array(NameServerStatus),
    resolver: nullable(NameServerStatus, 'What a public resolver answers now.'),
    responding: count('Name servers that answered.'),
    updated: count('Those of them that point to us.'),
    cachedUntil: nullable(moment, 'When the last cached record that points elsewhere expires.'),
  },
  { $id: 'Propagation', description: 'The propagation of a DNS change.' },
)

const checkFields = {
  result: words(
    ['ok', 'missing', 'conflict', 'wrong_target', 'partial', 'unknown'],
    'Where DNS points. unknown: the lookup failed.',
  ),
  diagnostics: Type.Array(Diagnostic, { description: 'The first is the headline.' }),
  propagation: Propagation,
  isCutShort: Type.Boolean({
    description: 'Whether the check hit its limit of queries or time.',
  }),
  zone: Type.String({ description: 'The zone that contains the host.' }),
  provider: nullable(
    Type.Object({
      name: Type.String({ description: 'Such as Cloudflare.' }),
      hasAlias: Type.Boolean({ description: 'Whether it can point an apex at a name.' }),
    }),
    'The DNS provider of the zone, where it is known.',
  ),
}

export const DomainCheck = Type.Object(
  {
    host: Type.String(),
    unicodeHost: Type.String(),
    hasOtherSite: nullable(
      Type.Boolean(),
      'Whether another server responds to requests for it, so that a site may be live there. Null when the look-up did not find out in time.',
    ),
    ...checkFields,
  },
  { $id: 'DomainCheck', description: 'The diagnostics of a host.' },
)
export type DomainCheck = Static<typeof DomainCheck>

export const LastCheck = Type.Object(
  { at: moment, ...checkFields },
  { $id: 'LastDomainCheck', description: 'The diagnostics of the last check.' },
)
export type LastCheck = Static<typeof LastCheck>

export const EvidenceBundle = Type.Object(
  { format: Type.Literal(1), at: Type.Integer(), durationMs: Type.Integer() },
  {
    $id: 'EvidenceBundle',
    additionalProperties: true,
    description: 'All queries and answers of the last check, for the support of a DNS provider.',
  },
)
