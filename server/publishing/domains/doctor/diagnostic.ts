// A diagnostic of the doctor: short, with the value that was found and the fix, and without blame.

export const diagnosticCodes = [
  'D01',
  'D02',
  'D03',
  'D04',
  'D05',
  'D06',
  'D07',
  'D08',
  'D09',
  'D10',
  'D11',
  'D12',
  'D13',
  'D14',
  'D15',
  'D16',
  'D17',
  'D18',
  'D19',
  'D20',
  'D21',
  'D22',
  'D23',
  'D24',
  'D25',
  'C01',
  'C02',
  'C03',
  'C04',
  'C05',
  'C06',
  'C07',
  'T01',
  'T02',
  'T03',
  'T04',
  'T05',
  'T06',
  'T07',
  'T08',
  'T09',
] as const
export type DiagnosticCode = (typeof diagnosticCodes)[number]

/** `blocks`: must be fixed before setup continues. `waits`: resolves automatically. `warns`: should be fixed. */
export type Severity = 'blocks' | 'waits' | 'warns' | 'fine'

export interface Diagnostic {
  code: DiagnosticCode
  severity: Severity
  /** One line: what is wrong. */
  title: string
  /** What was found, and what it means; one to three sentences. */
  detail: string
  /** What to do; undefined when there is nothing to do. */
  fix: Fix | undefined
  /** The value found and the one expected, if the diagnostic is about a value. The reader marks the difference. */
  found?: string[]
  expected?: string[]
  /** When cached records expire, or the next check starts: milliseconds since the epoch. */
  until?: number
}

export interface Fix {
  text: string
  /** Records to remove and to add, for the generated forms (fixes.ts). */
  remove: PlainRecord[]
  add: PlainRecord[]
}

export interface PlainRecord {
  /** Full name. */
  name: string
  type: 'A' | 'AAAA' | 'ALIAS' | 'CAA' | 'CNAME' | 'TXT'
  value: string
  ttlSeconds: number
}
