// Records by their type, so that what follows may read their data.
import type { DnsRecord } from './exchange.ts'

export function recordsOf<Type extends DnsRecord['type']>(
  records: DnsRecord[],
  ...types: Type[]
): (DnsRecord & { type: Type })[] {
  return records.filter((record): record is DnsRecord & { type: Type } =>
    types.some((type) => type === record.type),
  )
}
