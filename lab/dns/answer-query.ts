// The answer of a name server from its zones: the algorithm of RFC 1034, section 4.3.2, with wildcards (RFC 4592),
// negative answers (RFC 2308) and DS (RFC 4035, section 3.1.4.1). Pure.
import { isWithin, parentOf } from '#dns/messages/dns-name.ts'
import type { RecordType } from '#dns/messages/exchange.ts'
import { renamed } from '#dns/name-servers/name-facts.ts'
import type { Zone, ZoneRecord } from './zone.ts'

interface LabQuestion {
  /** In lower case. */
  name: string
  type: RecordType
  /** The DO bit (RFC 3225): referrals include DS records only if it is set. */
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

export interface ZoneResponse {
  rcode: LabRcode
  isAuthoritative: boolean
  answers: ZoneRecord[]
  authorities: ZoneRecord[]
  additionals: ZoneRecord[]
  /** The last owner is this ALIAS: the caller adds the addresses of its target. */
  alias?: Extract<ZoneRecord, { type: 'ALIAS' }>
}

/** ANY: all types. */
const anyType: RecordType = 'TYPE255'
const maxAliases = 16

/** REFUSED when none of the zones encloses the name. */
export function answerQuestion(zones: Iterable<Zone>, question: LabQuestion): ZoneResponse {
  const zone = closestZone(zones, question)
  if (!zone) return response('REFUSED', false)
  const chain: ZoneRecord[] = []
  let name = question.name
  for (let hop = 0; hop < maxAliases; hop++) {
    const cut = findCut(zone, name, question.type)
    if (cut !== undefined) return referral(zone, cut, chain, question)
    const dname = findDname(zone, name)
    const node = dname ?? zone.findNode(name) ?? synthesize(zone, name)
    if (!node) return { ...response('NXDOMAIN', true), answers: chain, authorities: negative(zone) }
    // Some providers accept several, which is invalid: the first is followed.
    const cnames = node.filter(
      (record): record is ZoneRecord & { type: 'CNAME' } => record.type === 'CNAME',
    )
    const [cname] = cnames
    // Other records beside a CNAME are invalid, too: they are answered if they were requested.
    const isRequested = node.some(({ type }) => type === question.type)
    if (!cname || isRequested || question.type === anyType)
      return finalResponse(zone, name, node, chain, question)
    chain.push(...(dname ?? cnames))
    const isSeen = chain.some((record) => record.name === cname.target)
    if (isSeen || !isWithin(cname.target, zone.name)) break
    name = cname.target
  }
  return { ...response('NOERROR', true), answers: chain }
}

function response(rcode: LabRcode, isAuthoritative: boolean): ZoneResponse {
  return { rcode, isAuthoritative, answers: [], authorities: [], additionals: [] }
}

/** The zone with the most labels; for DS at an apex its parent zone, if this server has it. */
function closestZone(zones: Iterable<Zone>, { name, type }: LabQuestion): Zone | undefined {
  const enclosing = [...zones]
    .filter((zone) => isWithin(name, zone.name))
    .sort((a, b) => b.name.length - a.name.length)
  const above = enclosing.find((zone) => zone.name !== name)
  return type === 'DS' && above ? above : enclosing[0]
}

/** The highest zone cut on the way to the name. This zone answers DS at the cut itself. */
function findCut(zone: Zone, name: string, type: RecordType): string | undefined {
  let highest: string | undefined
  for (let at = name; at !== zone.name; at = parentOf(at) ?? zone.name) {
    const isCut = zone.findNode(at)?.some((record) => record.type === 'NS')
    if (isCut && !(at === name && type === 'DS')) highest = at
  }
  return highest
}

/** A DNAME record above the name, and the CNAME record that it makes of it (RFC 6672, section 3.2). */
function findDname(zone: Zone, name: string): ZoneRecord[] | undefined {
  for (let at = parentOf(name); at !== undefined && isWithin(at, zone.name); at = parentOf(at)) {
    const dname = zone.findNode(at)?.find((record) => record.type === 'DNAME')
    if (dname?.type !== 'DNAME') continue
    return [dname, { ...dname, name, type: 'CNAME', target: renamed(name, dname) }]
  }
  return undefined
}

/** The records of the closest encloser's wildcard for the name (RFC 4592, section 3.3.1). */
function synthesize(zone: Zone, name: string): ZoneRecord[] | undefined {
  let encloser = name
  while (!zone.findNode(encloser)) encloser = parentOf(encloser) ?? zone.name
  const wildcard = zone.findNode(encloser === '' ? '*' : `*.${encloser}`)
  return wildcard?.map((record) => ({ ...record, name }))
}

function finalResponse(
  zone: Zone,
  name: string,
  node: ZoneRecord[],
  chain: ZoneRecord[],
  { type }: LabQuestion,
): ZoneResponse {
  const records = node.filter(
    (record) => record.type !== 'ALIAS' && (record.type === type || type === anyType),
  )
  if (records.length === 0) {
    const isAddress = type === 'A' || type === 'AAAA'
    const alias = isAddress && node.find((record) => record.type === 'ALIAS')
    const none = { ...response('NOERROR', true), answers: chain, authorities: negative(zone) }
    return alias ? { ...none, alias } : none
  }
  const isApexNs = type === 'NS' && name === zone.name
  return {
    ...response('NOERROR', true),
    answers: [...chain, ...records],
    additionals: isApexNs ? addressesOf(zone, records) : [],
  }
}

function referral(
  zone: Zone,
  cut: string,
  chain: ZoneRecord[],
  { wantsDnssec }: LabQuestion,
): ZoneResponse {
  const node = zone.findNode(cut) ?? []
  const servers = node.filter((record) => record.type === 'NS')
  return {
    // The flag is about the first name of a chain (RFC 1035, section 4.1.1).
    ...response('NOERROR', chain.length > 0),
    answers: chain,
    authorities: node.filter(({ type }) => type === 'NS' || (type === 'DS' && wantsDnssec)),
    additionals: addressesOf(zone, servers),
  }
}

/** The addresses of name servers in this zone: glue, or its own records. */
function addressesOf(zone: Zone, servers: ZoneRecord[]): ZoneRecord[] {
  return servers.flatMap((server) =>
    server.type === 'NS'
      ? (zone.findNode(server.target) ?? []).filter(({ type }) => type === 'A' || type === 'AAAA')
      : [],
  )
}

/** The SOA, whose TTL limits how long a negative answer is cached (RFC 2308, section 3). */
function negative({ soa }: Zone): ZoneRecord[] {
  return [{ ...soa, ttlSeconds: Math.min(soa.ttlSeconds, soa.minimumSeconds) }]
}
