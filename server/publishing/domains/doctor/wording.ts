// Common wording of diagnostics for records, lists and counts; and the fix that makes a host point to us.
import type { DnsRecord, ServerAddress } from '../../dns/messages/exchange.ts'
import type { Evidence } from '../evidence/evidence.ts'
import type { Diagnostic, DiagnosticCode, Fix, PlainRecord, Severity } from './diagnostic.ts'
import type { DnsReading } from './reading.ts'

export const recordTtlSeconds = 3600

/** Creates a diagnostic; leaves out what `more` leaves out. */
export function createDiagnostic(
  code: DiagnosticCode,
  severity: Severity,
  title: string,
  detail: string,
  more: {
    fix?: Fix | undefined
    found?: string[]
    expected?: string[]
    until?: number | undefined
  } = {},
): Diagnostic {
  const { fix, found, expected, until } = more
  return {
    code,
    severity,
    title,
    detail,
    fix,
    ...(found && { found }),
    ...(expected && { expected }),
    ...(until !== undefined && Number.isFinite(until) && { until }),
  }
}

/** A fix as text, with the records to remove and to add. */
export function createFix(text: string, remove: PlainRecord[] = [], add: PlainRecord[] = []): Fix {
  return { text, remove, add }
}

/** "a", "a and b", "a, b and c". */
export function listed(words: readonly string[]): string {
  const unique = [...new Set(words)]
  if (unique.length < 2) return unique[0] ?? ''
  return `${unique.slice(0, -1).join(', ')} and ${unique.at(-1)}`
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

export function serverName({ name, address }: ServerAddress): string {
  return name ?? address
}

/** `ns1.example.net (192.0.2.1)`. */
export function addressed({ name, address }: ServerAddress): string {
  return name === undefined ? address : `${name} (${address})`
}

/** The record that makes the host point to us: a CNAME, or ALIAS for the zone itself. */
export function pointerRecord(
  { subject, platform }: Evidence,
  { isApex }: DnsReading,
): PlainRecord {
  return {
    name: subject.host,
    type: isApex ? 'ALIAS' : 'CNAME',
    value: platform.host,
    ttlSeconds: recordTtlSeconds,
  }
}

/** The fix that makes the host point to us, after the given records are removed. */
export function createPointerFix(
  evidence: Evidence,
  reading: DnsReading,
  remove: PlainRecord[] = [],
): Fix {
  const { subject, platform, zone } = evidence
  const gone = remove.length === 0 ? '' : `Delete ${listed(remove.map(briefly))}. Then add`
  const add = gone === '' ? 'Add' : gone
  if (!reading.isApex) {
    const text = `${add} a CNAME record: name ${reading.label}, value ${platform.host}.`
    return createFix(text, remove, [pointerRecord(evidence, reading)])
  }
  const www: PlainRecord = {
    name: `www.${subject.host}`,
    type: 'CNAME',
    value: platform.host,
    ttlSeconds: recordTtlSeconds,
  }
  if (zone.provider?.hasAlias === false) {
    const text =
      `${zone.provider.name} has no ALIAS record for ${subject.host} itself. Add www.${subject.host} ` +
      `as a domain with a CNAME record (name www, value ${platform.host}), and redirect ${subject.host} to it; ` +
      'or move the DNS to a provider that has ALIAS.'
    return createFix(text, [], [www])
  }
  const kind = zone.provider?.hasAlias
    ? ''
    : ' If your provider has neither, use www and a redirect.'
  const text = `${add} an ALIAS or ANAME record: name @, value ${platform.host}.${kind}`
  return createFix(text, remove, [pointerRecord(evidence, reading)])
}

/** "the A record 1.2.3.4". */
export function briefly({ type, value }: PlainRecord): string {
  return `the ${type} record ${value}`
}

/** The records of types that a fix can contain, without duplicates. */
export function plainRecords(records: readonly DnsRecord[]): PlainRecord[] {
  const plain = records.flatMap((record): PlainRecord[] => {
    const { name, ttlSeconds } = record
    switch (record.type) {
      case 'A':
      case 'AAAA':
        return [{ name, type: record.type, value: record.address, ttlSeconds }]
      case 'CNAME':
        return [{ name, type: 'CNAME', value: record.target, ttlSeconds }]
      case 'TXT':
        return [{ name, type: 'TXT', value: record.strings.join(''), ttlSeconds }]
      case 'CAA': {
        const value = `${record.flags} ${record.tag} "${record.value}"`
        return [{ name, type: 'CAA', value, ttlSeconds }]
      }
      default:
        return []
    }
  })
  return withoutDuplicates(plain)
}

/** Short form of a record: `MX mail.example.com`. */
export function written(record: DnsRecord): string {
  const [plain] = plainRecords([record])
  if (plain) return `${plain.type} ${plain.value}`
  return record.type === 'MX' ? `MX ${record.target}` : record.type
}

/** Removes duplicates: several servers give the same record. */
export function withoutDuplicates(records: readonly PlainRecord[]): PlainRecord[] {
  const seen = new Set<string>()
  return records.filter(({ name, type, value }) => {
    const key = `${name} ${type} ${value}`
    return !seen.has(key) && seen.add(key)
  })
}

/** A name as a provider's form expects it: `@`, or labels below the zone; the full name outside the zone. */
export function inForm(name: string, zone: string): string {
  if (name === zone) return '@'
  return name.endsWith(`.${zone}`) ? name.slice(0, -zone.length - 1) : name
}
