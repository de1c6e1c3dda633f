// The wire shapes of what a check of DNS found.
import { type Static, type TSchema, Type } from 'typebox'

export const orNull = <T extends TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description })
export const moment = Type.String({ format: 'date-time' })
export const words = <const T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>(Type.Enum([...values], { type: 'string', description }))

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

export const RecordForm = Type.Object(
  {
    tool: words(
      ['zone-file', 'nsupdate', 'terraform-route53', 'terraform-cloudflare', 'dig'],
      'What takes it.',
    ),
    text: Type.String(),
  },
  { $id: 'RecordForm', description: 'Records as a tool takes them.' },
)

export const Diagnostic = Type.Object(
  {
    code: Type.String({ description: 'Such as D10.' }),
    severity: words(
      ['blocks', 'waits', 'warns', 'fine'],
      'blocks: nothing goes on until it is mended. waits: it goes on by itself. warns: it goes on, and should be mended.',
    ),
    title: Type.String({ description: 'One line: what is the case.' }),
    detail: Type.String({ description: 'What was found, and what it means.' }),
    fix: orNull(
      Type.Object({
        text: Type.String(),
        remove: Type.Array(PlainRecord),
        add: Type.Array(PlainRecord),
        forms: Type.Array(RecordForm),
      }),
      'What to do; null where there is nothing to do but wait.',
    ),
    found: Type.Array(Type.String()),
    expected: Type.Array(Type.String()),
    difference: orNull(
      Type.Object({
        found: Type.Array(Span),
        expected: Type.Array(Span),
        notes: Type.Array(Type.String()),
      }),
      'Where the first value found and the first expected differ.',
    ),
    until: orNull(moment, 'When caches forget, or the next look.'),
  },
  { $id: 'Diagnostic', description: 'One thing that the doctor found.' },
)

const NameServerStatus = Type.Object({
  name: orNull(Type.String(), 'Of the name server.'),
  address: Type.String(),
  state: words(['ok', 'lame', 'refused', 'timeout', 'error'], 'Whether and how it answers.'),
  answer: words(['correct', 'wrong', 'missing', 'unknown'], 'What it answers for the host.'),
  records: Type.Array(Type.String(), { description: 'Such as `CNAME docs.example.net`.' }),
  cachedUntil: orNull(moment, 'How long a cache that asks now keeps it.'),
})

const Propagation = Type.Object(
  {
    servers: Type.Array(NameServerStatus),
    resolver: orNull(NameServerStatus, 'What caches give at present.'),
    responding: Type.Integer({ minimum: 0, description: 'Name servers that answered.' }),
    updated: Type.Integer({ minimum: 0, description: 'Those of them that point to us.' }),
    cachedUntil: orNull(moment, 'When the last cache has forgotten what points elsewhere.'),
  },
  { $id: 'Propagation', description: 'How far a change of DNS has come.' },
)

const checkFields = {
  result: words(
    ['ok', 'missing', 'conflict', 'wrong_target', 'partial', 'unknown'],
    'Where DNS leads. unknown: it could not be looked up.',
  ),
  diagnostics: Type.Array(Diagnostic, { description: 'The first is the headline.' }),
  propagation: Propagation,
  isCutShort: Type.Boolean({
    description: 'Whether questions or time ran out before all was asked.',
  }),
  zone: Type.String({ description: 'The zone that holds the host.' }),
  provider: orNull(
    Type.Object({
      name: Type.String({ description: 'Such as Cloudflare.' }),
      hasAlias: Type.Boolean({ description: 'Whether it can point an apex at a name.' }),
    }),
    'The DNS provider of the zone, where it is known.',
  ),
}

export const DomainCheck = Type.Object(
  { host: Type.String(), unicodeHost: Type.String(), ...checkFields },
  { $id: 'DomainCheck', description: 'What the doctor says of a host.' },
)
export type DomainCheck = Static<typeof DomainCheck>

export const LastCheck = Type.Object(
  { at: moment, ...checkFields },
  { $id: 'LastDomainCheck', description: 'What the doctor said at the last check.' },
)
export type LastCheck = Static<typeof LastCheck>

export const EvidenceBundle = Type.Object(
  { format: Type.Literal(1), at: Type.Integer(), durationMs: Type.Integer() },
  {
    $id: 'EvidenceBundle',
    additionalProperties: true,
    description: 'Everything that was asked and answered at the last check, for a DNS provider.',
  },
)
