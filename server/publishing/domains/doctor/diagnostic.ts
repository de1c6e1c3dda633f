// What the doctor says. A diagnostic is short, names the value that was found and the mend, and never blames.

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

/** `blocks`: nothing goes on until it is mended. `warns`: it goes on, and should be mended. */
export type Severity = 'blocks' | 'waits' | 'warns' | 'fine'

export interface Diagnostic {
  code: DiagnosticCode
  severity: Severity
  /** One line: what is the case. */
  title: string
  /** What was found, and what it means; a sentence or three. */
  detail: string
  /** What to do; undefined where there is nothing to do but wait. */
  fix: Fix | undefined
  /** What was found beside what is expected, where that is a value. Differing characters are marked by the reader. */
  found?: string[]
  expected?: string[]
  /** When caches forget, or the next look: milliseconds since the epoch. */
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
