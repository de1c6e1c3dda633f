// The boundary of two zones in an answer: a referral, or the SOA record of a zone on the same servers as its parent
// (RFC 1034, section 4.2; RFC 2308, section 2).
import { isWithin } from '../messages/dns-name.ts'
import { type DnsAnswer, type DnsRecord, recordsOfType } from '../messages/exchange.ts'

export interface ZoneCut {
  apex: string
  /** The zone that delegates it; undefined for the root, and if a forwarder found the zone. */
  parent: string | undefined
  /** Its name servers by the parent's delegation; those of the parent if `isDelegated` is false. */
  parentNames: string[]
  /** False for a zone on the servers of its parent, without a referral. */
  isDelegated: boolean
  /** Addresses that came with the names. */
  glue: Map<string, string[]>
  ttlSeconds: number
}

/** The delegation in an answer of a server of `zone`, if it is for `name` or a zone above it. */
export function referralIn(answer: DnsAnswer, zone: string, name: string): ZoneCut | undefined {
  if (answer.rcode !== 'NOERROR' || answer.isAuthoritative || answer.answers.length > 0) {
    return undefined
  }
  const delegation = recordsOfType(answer.authorities, 'NS')
  const apex = delegation[0]?.name
  if (apex === undefined || apex === zone || !isWithin(apex, zone) || !isWithin(name, apex)) {
    return undefined
  }
  const ofApex = delegation.filter((record) => record.name === apex)
  const parentNames = [...new Set(ofApex.map((record) => record.target))]
  return {
    apex,
    parent: zone,
    parentNames,
    isDelegated: true,
    // A zone is trusted only for the addresses of names below itself.
    glue: glueFor(
      parentNames.filter((server) => isWithin(server, zone)),
      answer.additionals,
    ),
    ttlSeconds: Math.min(...ofApex.map((record) => record.ttlSeconds)),
  }
}

/** The addresses of those names among the records. */
export function glueFor(names: string[], records: DnsRecord[]): Map<string, string[]> {
  const addresses = recordsOfType(records, 'A', 'AAAA').filter(({ name }) => names.includes(name))
  const byName = Map.groupBy(addresses, ({ name }) => name)
  return new Map([...byName].map(([name, found]) => [name, found.map(({ address }) => address)]))
}

/** Whether the server is authoritative and answered with records or with none. */
export function isAuthoritative(answer: DnsAnswer | undefined): answer is DnsAnswer {
  return (
    answer?.isAuthoritative === true && (answer.rcode === 'NOERROR' || answer.rcode === 'NXDOMAIN')
  )
}
