// A record as one line of a zone file (RFC 1035, section 5.1). Values come from untrusted zones: what would end a name, a
// string or the line is escaped.
import type { PlainRecord } from './diagnostic.ts'

/** With full names, so that it means the same in every zone file: `docs.example.com. 3600 IN CNAME docs.example.net.` */
export function zoneLine(record: PlainRecord): string {
  return `${escaped(record.name)}. ${record.ttlSeconds} IN ${record.type} ${rdata(record)}`
}

function rdata({ type, value }: PlainRecord): string {
  if (type === 'TXT') return quotedStrings(value).join(' ')
  if (type === 'CAA') {
    const [, flags, tag, text] = /^(\d{1,3}) ([a-z0-9]+) "(.*)"$/is.exec(value) ?? []
    return text === undefined ? escaped(value) : `${flags} ${tag} ${quotedStrings(text).join('')}`
  }
  return type === 'A' || type === 'AAAA' ? escaped(value) : `${escaped(value)}.`
}

/** Escapes characters that end a name, a line or a string as `\DDD`. */
function escaped(text: string): string {
  return unitsOf(text)
    .map(({ text: unit, isEscape }) =>
      isEscape || /[a-z0-9._*:/-]/i.test(unit) ? unit : numbered(unit.charCodeAt(0)),
    )
    .join('')
}

const maxBytes = 255

/** Strings of at most 255 bytes each, in quotes (RFC 1035, section 3.3). */
function quotedStrings(value: string): string[] {
  const units = unitsOf(value)
  const count = Math.max(1, Math.ceil(units.length / maxBytes))
  return Array.from({ length: count }, (_, i) => {
    const text = units.slice(i * maxBytes, (i + 1) * maxBytes).map(({ text: unit, isEscape }) => {
      if (/^["\\]$/.test(unit)) return `\\${unit}`
      return isEscape || /[\x20-\x7e]/.test(unit) ? unit : numbered(unit.charCodeAt(0))
    })
    return `"${text.join('')}"`
  })
}

interface Unit {
  /** One byte: a character of ASCII, or `\DDD`. */
  text: string
  isEscape: boolean
}

/** Splits into bytes; `\DDD` in the value is kept. */
function unitsOf(value: string): Unit[] {
  const parts = value.match(/\\\d{3}|[\s\S]/gu) ?? []
  return parts.flatMap((part): Unit[] => {
    if (/^\\(?:[01]\d\d|2[0-4]\d|25[0-5])$/.test(part)) return [{ text: part, isEscape: true }]
    if (/^[\0-\x7f]*$/.test(part)) return Array.from(part, (text) => ({ text, isEscape: false }))
    return Array.from(Buffer.from(part), (byte) => ({ text: numbered(byte), isEscape: true }))
  })
}

const numbered = (byte: number) => `\\${String(byte).padStart(3, '0')}`
