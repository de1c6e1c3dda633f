// What the doctor says about a host: short, with the value that was found and the fix, and without blame.
import type { Reading } from './reading.ts'

/** One possible problem of a host; undefined when the rule does not apply. Never throws. */
export type Rule = (reading: Reading) => Finding | undefined

/** `blocks`: must be fixed before setup continues. `waits`: resolves automatically. `warns`: should be fixed. */
export type Severity = 'blocks' | 'waits' | 'warns' | 'fine'

export interface Finding {
  severity: Severity
  /** One line: what is wrong. */
  title: string
  /** What was found, and what it means; one to three sentences. */
  detail: string
  /** What to do, if there is anything to do. */
  fix?: Fix
  /** The value found and the one expected, if it is about a value. The reader marks the difference. */
  found?: string[]
  expected?: string[]
  /** When cached records expire, or the next check starts: milliseconds since the epoch. */
  until?: number
}

export interface Fix {
  text: string
  /** Records to remove and to add. */
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
