// Common wording of diagnostics for records, lists and counts; and the fix that makes a host point to us.
import type { DnsRecord, ServerAddress } from '#dns/messages/exchange.ts'
import type { Finding, Fix, PlainRecord, Severity } from './diagnostic.ts'
import type { Reading } from './reading.ts'

export const recordTtlSeconds = 3600

/** `fix`: with its records, or text alone. */
const createFinding =
  (severity: Severity) =>
  (
    title: string,
    detail: string,
    more: Pick<Finding, 'found' | 'expected'> & {
      fix?: Fix | string | undefined
      until?: number | undefined
    } = {},
  ): Finding => {
    const { fix, until, ...values } = more
    return {
      severity,
      title,
      detail,
      ...(fix !== undefined && { fix: typeof fix === 'string' ? createFix(fix) : fix }),
      ...values,
      ...(until !== undefined && Number.isFinite(until) && { until }),
    }
  }

export const blocks = createFinding('blocks')
export const waits = createFinding('waits')
export const warns = createFinding('warns')
export const fine = createFinding('fine')

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

export function cnameRecord(name: string, value: string): PlainRecord {
  return { name, type: 'CNAME', value, ttlSeconds: recordTtlSeconds }
}

/** The fix that makes the host point to us, after the given records are removed. */
export function createPointerFix(reading: Reading, remove: PlainRecord[] = []): Fix {
  const { platform, zone } = reading
  const { host } = reading.subject
  const { provider } = zone
  const records = remove.map(({ type, value }) => `the ${type} record ${value}`)
  const deletion = createDeletion(reading, listed(records), remove)
  const add = deletion.text === '' ? 'Add' : `${deletion.text} Then add`
  const pointer = cnameRecord(host, platform.host)
  if (!reading.isApex) {
    const [old, ...more] = deletion.remove
    if (old?.type === 'CNAME' && more.length === 0) {
      const edit = `Change the value of the CNAME record ${reading.label} from ${old.value} to ${platform.host}.`
      return createFix(edit, [old], [pointer])
    }
    const text = `${add} a CNAME record: name ${reading.label}, value ${platform.host}.`
    return createFix(text, deletion.remove, [pointer])
  }
  if (provider?.hasAlias === false) {
    const text =
      `${provider.name} has no ALIAS record for ${host} itself. Add www.${host} ` +
      `as a domain with a CNAME record (name www, value ${platform.host}), and redirect ${host} to it at your DNS provider; ` +
      'or move the DNS to a provider that has ALIAS.'
    return createFix(text, [], [cnameRecord(`www.${host}`, platform.host)])
  }
  const without = provider?.hasAlias
    ? ''
    : ` If your provider has neither, redirect ${host} to www there.`
  const text = `${add} an ALIAS or ANAME record: name @, value ${platform.host}.${without}`
  return createFix(text, deletion.remove, [{ ...pointer, type: 'ALIAS' }])
}

/** The deletion of records that the host itself has: those of a wildcard belong to all other names, too. */
export function createDeletion(
  { hasOwn, label }: Reading,
  what: string,
  remove: PlainRecord[],
): Fix {
  if (remove.length === 0 || hasOwn === 'no') return createFix('')
  if (hasOwn === 'yes') return createFix(`Delete ${what}.`, remove)
  return createFix(`If ${label} itself has ${what}, and not a wildcard (*), delete that.`)
}

/** The records of types that a fix can contain, without duplicates. */
export function plainRecords(records: readonly DnsRecord[]): PlainRecord[] {
  const plain = records.flatMap((record): PlainRecord[] => {
    const { name, ttlSeconds } = record
    const as = (type: PlainRecord['type'], value: string) => [{ name, type, value, ttlSeconds }]
    switch (record.type) {
      case 'A':
      case 'AAAA':
        return as(record.type, record.address)
      case 'CNAME':
        return as('CNAME', record.target)
      case 'TXT':
        return as('TXT', record.strings.join(''))
      case 'CAA':
        return as('CAA', `${record.flags} ${record.tag} "${record.value}"`)
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
