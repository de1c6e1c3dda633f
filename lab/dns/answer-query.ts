// What a name server answers from its zones: the algorithm of RFC 1034, section 4.3.2, with wildcards by
// RFC 4592, negative answers by RFC 2308 and DS by RFC 4035, section 3.1.4.1. Pure.
import { isWithin, parentOf, type Zone, type ZoneRecord } from './zone.ts'

export interface LabQuestion {
  /** In lower case. */
  name: string
  /** As dns-packet names it; `ANY` wants all. */
  type: string
  /** The DO bit (RFC 3225): referrals carry DS only for those who asked. */
  wantsDnssec: boolean
}

export type LabRcode =
  | 'NOERROR'
  | 'FORMERR'
  | 'SERVFAIL'
  | 'NXDOMAIN'
  | 'NOTIMP'
  | 'REFUSED'
  | 'BADVERS'

export interface ZoneAnswer {
  rcode: LabRcode
  isAuthoritative: boolean
  answers: ZoneRecord[]
  authorities: ZoneRecord[]
  additionals: ZoneRecord[]
  /** The last owner is an ALIAS of this: whoever answers puts the target's addresses there. */
  alias?: Extract<ZoneRecord, { type: 'ALIAS' }>
}

const maxAliases = 16

/** REFUSED when none of the zones encloses the name. */
export function answerQuestion(zones: Iterable<Zone>, question: LabQuestion): ZoneAnswer {
  const zone = closestZone(zones, question)
  if (!zone) return answer('REFUSED', false)
  const chain: ZoneRecord[] = []
  let name = question.name
  for (let hop = 0; hop < maxAliases; hop++) {
    const cut = findCut(zone, name, question.type)
    if (cut !== undefined) return referral(zone, cut, chain, question)
    const node = zone.findNode(name) ?? synthesise(zone, name)
    if (!node) return { ...answer('NXDOMAIN', true), answers: chain, authorities: negative(zone) }
    // More than one is a mistake that some providers let through: the first is followed.
    const cnames = node.filter((record) => record.type === 'CNAME')
    const [cname] = cnames
    // Beside a CNAME there should be nothing; where there is, what was asked for is given.
    const isHere = node.some(({ type }) => type === question.type)
    if (!cname || isHere || question.type === 'ANY') {
      return ending(zone, name, node, chain, question)
    }
    chain.push(...cnames)
    const isSeen = chain.some((record) => record.name === cname.target)
    if (isSeen || !isWithin(cname.target, zone.name)) break
    name = cname.target
  }
  return { ...answer('NOERROR', true), answers: chain }
}

function answer(rcode: LabRcode, isAuthoritative: boolean): ZoneAnswer {
  return { rcode, isAuthoritative, answers: [], authorities: [], additionals: [] }
}

/** The zone with the most labels; for DS at an apex the parent's, when it is here, too. */
function closestZone(zones: Iterable<Zone>, { name, type }: LabQuestion): Zone | undefined {
  const enclosing = [...zones]
    .filter((zone) => isWithin(name, zone.name))
    .sort((a, b) => b.name.length - a.name.length)
  const above = enclosing.find((zone) => zone.name !== name)
  return type === 'DS' && above ? above : enclosing[0]
}

/** The highest zone cut on the way to the name. DS at the cut itself is this zone's to answer. */
function findCut(zone: Zone, name: string, type: string): string | undefined {
  let highest: string | undefined
  for (let at = name; at !== zone.name; at = parentOf(at) ?? zone.name) {
    const isCut = zone.findNode(at)?.some((record) => record.type === 'NS')
    if (isCut && !(at === name && type === 'DS')) highest = at
  }
  return highest
}

/** What the wildcard of the closest encloser gives the name (RFC 4592, section 3.3.1). */
function synthesise(zone: Zone, name: string): ZoneRecord[] | undefined {
  let encloser = name
  while (!zone.findNode(encloser)) encloser = parentOf(encloser) ?? zone.name
  const wildcard = zone.findNode(encloser === '' ? '*' : `*.${encloser}`)
  return wildcard?.map((record) => ({ ...record, name }))
}

function ending(
  zone: Zone,
  name: string,
  node: ZoneRecord[],
  chain: ZoneRecord[],
  { type }: LabQuestion,
): ZoneAnswer {
  const found = node.filter(
    (record) => record.type !== 'ALIAS' && (record.type === type || type === 'ANY'),
  )
  const alias = node.find((record) => record.type === 'ALIAS')
  if (alias && (type === 'A' || type === 'AAAA') && found.length === 0) {
    return { ...answer('NOERROR', true), answers: chain, authorities: negative(zone), alias }
  }
  if (found.length === 0) {
    return { ...answer('NOERROR', true), answers: chain, authorities: negative(zone) }
  }
  const isApexNs = type === 'NS' && name === zone.name
  return {
    ...answer('NOERROR', true),
    answers: [...chain, ...found],
    additionals: isApexNs ? addressesOf(zone, found) : [],
  }
}

function referral(
  zone: Zone,
  cut: string,
  chain: ZoneRecord[],
  { wantsDnssec }: LabQuestion,
): ZoneAnswer {
  const node = zone.findNode(cut) ?? []
  const servers = node.filter((record) => record.type === 'NS')
  const signers = wantsDnssec ? node.filter((record) => record.type === 'DS') : []
  return {
    // Of a chain, the first name is answered with authority (RFC 1035, section 4.1.1).
    ...answer('NOERROR', chain.length > 0),
    answers: chain,
    authorities: [...servers, ...signers],
    additionals: addressesOf(zone, servers),
  }
}

/** The addresses that this zone knows of name servers, as glue or as data of its own. */
function addressesOf(zone: Zone, servers: ZoneRecord[]): ZoneRecord[] {
  return servers.flatMap((server) =>
    server.type === 'NS'
      ? (zone.findNode(server.target) ?? []).filter(({ type }) => type === 'A' || type === 'AAAA')
      : [],
  )
}

/** The SOA with the time for which a negative answer may be kept (RFC 2308, section 3). */
function negative({ soa }: Zone): ZoneRecord[] {
  return [{ ...soa, ttlSeconds: Math.min(soa.ttlSeconds, soa.minimumSeconds) }]
}
