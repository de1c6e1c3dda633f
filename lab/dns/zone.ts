// A zone as a server holds it: never changed, replaced as a whole. Names between the apex and a record exist
// although they hold nothing (empty non-terminals, RFC 4592, section 2.2.2).
import { isWithin, parentOf, type SoaRecord, type ZoneRecord } from './zone-record.ts'

export interface Zone {
  name: string
  soa: SoaRecord
  /** All records, the SOA too, in the order in which they were given. */
  records: ZoneRecord[]
  /** The records of a name; empty for an empty non-terminal; undefined when the name does not exist. */
  findNode(name: string): ZoneRecord[] | undefined
}

/** Throws when a record is outside of the zone, or the apex has not exactly one SOA. */
export function createZone(name: string, records: ZoneRecord[]): Zone {
  const nodes = new Map<string, ZoneRecord[]>()
  for (const record of records) {
    if (!isWithin(record.name, name)) throw new Error(`${record.name} is not in ${name}`)
    for (let at: string | undefined = record.name; at !== undefined; at = parentOf(at)) {
      if (!nodes.has(at)) nodes.set(at, [])
      if (at === name) break
    }
    nodes.get(record.name)?.push(record)
  }
  const soas = records.filter((record) => record.type === 'SOA')
  const [soa] = soas
  if (!soa || soas.length > 1 || soa.name !== name) throw new Error(`${name} needs one SOA`)
  return { name, soa, records, findNode: (at) => nodes.get(at) }
}
