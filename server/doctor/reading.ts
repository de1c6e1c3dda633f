// Classifies the evidence of a check into the cases that rules and result distinguish; all of them read it through this,
// so that they agree. Where the host points: to us, to us through a proxy, or elsewhere. An address that is not ours but
// responds with our nonce is a working proxy; a known proxy that does not is a failing one. And whether the TXT records
// of ownership and of the challenge exist, and if not, what was found instead.

import { isIP, isIPv6 } from 'node:net'
import { isWithin } from '#dns/messages/dns-name.ts'
import { type DnsRecord, recordsOfType, recordValue } from '#dns/messages/exchange.ts'
import type { NameFacts } from '#dns/name-servers/name-facts.ts'
import type { ChainLink } from '#dns/resolution/look-up.ts'
import { addressList } from '#kit/network/addresses.ts'
import {
  type Evidence,
  noIpv6,
  type PreparationFacts,
  type Probe,
  type ServerView,
} from './evidence.ts'

export interface Reading extends Evidence {
  /** The zone of the host, and the host's name in it as a provider's form expects it: `@` or labels. */
  apex: string
  label: string
  isApex: boolean
  /** The authoritative servers that answered, each with its answer. */
  answers: { view: ServerView; pointer: Pointer }[]
  /** The answers to judge: of the servers that point to us; if none, of all servers; if none, of the resolver. */
  pointers: Pointer[]
  /** The source of `pointers`. */
  from: 'servers' | 'resolver' | 'none'
  state: 'right' | 'partial' | 'wrong' | 'missing' | 'unknown'
  /** What the resolver alone answers; undefined when none was queried, or it did not answer. */
  seen: Pointer | undefined
  /** Whether `pointers` are records of the host itself, which may be deleted, and not of a wildcard. */
  hasOwn: 'yes' | 'no' | 'unknown'
  /** The DNAME record above the host, below which no other records count. */
  dname: Dname | undefined
}

type CnameDestination = 'platform' | 'appended' | 'chain' | 'loop' | 'elsewhere'
export type Pointer =
  /** `wildcard`: without a record of its own, what a wildcard gives it (RFC 4592, section 2.2.1). */
  | {
      kind: 'nothing'
      negativeTtlSeconds: number | undefined
      others: DnsRecord[]
      wildcard?: DnsRecord[]
    }
  /** A CNAME without other records. */
  | { kind: 'cname'; target: string; pointsTo: CnameDestination }
  /** A CNAME beside other records, or several CNAMEs. */
  | { kind: 'crowded'; targets: string[]; beside: DnsRecord[] }
  | { kind: 'cname at apex'; targets: string[] }
  /** `others`: records of other types, as far as they were asked for. */
  | { kind: 'addresses'; addresses: string[]; pointsTo: AddressDestination; others: DnsRecord[] }

export function readEvidence(evidence: Evidence): Reading {
  const { subject, zone } = evidence
  const apex =
    zone.apex !== undefined && isWithin(subject.host, zone.apex)
      ? zone.apex
      : subject.registrableDomain
  const isApex = subject.host === apex
  const label = isApex ? '@' : subject.host.slice(0, -apex.length - 1)
  // A wildcard does not match its own parent name. Only one server is queried for the sibling.
  const siblings = evidence.servers.flatMap(({ sibling, state }) =>
    !isApex && state === 'ok' && hasResponse(sibling) ? [sibling] : [],
  )
  const isWild = (facts: NameFacts) => siblings.some((sibling) => isSameResponse(facts, sibling))
  const answers = evidence.servers.flatMap((view) => {
    const pointer = view.state === 'ok' ? readPointer(view.host, evidence, isApex) : undefined
    if (!pointer) return []
    const { host } = view
    if (host.kind !== 'records' || !isWild(host) || pointsToUs(pointer)) return [{ view, pointer }]
    const wildcard = [...host.cname, ...host.addresses]
    const none: Pointer = { kind: 'nothing', negativeTtlSeconds: undefined, others: [], wildcard }
    return [{ view, pointer: none }]
  })
  const seen = evidence.resolver && readPointer(evidence.resolver.host, evidence, isApex)
  const from = answers.length > 0 ? 'servers' : seen ? 'resolver' : 'none'
  // While no name server of the zone answers, a cache may still have old records: only right ones count.
  const cached = seen && pointsToUs(seen) ? [seen] : []
  const all = answers.length > 0 ? answers.map(({ pointer }) => pointer) : cached
  const right = all.filter(pointsToUs)
  const pointers = right.length > 0 ? right : all
  const state = stateOf(all, right.length)
  const judged =
    answers.length > 0 ? answers.map(({ view }) => view.host) : [evidence.resolver?.host]
  const isByWildcard = judged.some((facts) => facts && isWild(facts))
  const isUnasked = answers.length === 0 || (!isApex && siblings.length === 0)
  const dnames = answers.map(({ view }) => dnameIn([view.host]))
  const dname = dnames.includes(undefined) ? undefined : dnames[0]
  const hasOwn = isByWildcard ? 'no' : isUnasked ? 'unknown' : 'yes'
  return { ...evidence, apex, label, isApex, answers, pointers, from, state, seen, hasOwn, dname }
}

type Dname = { name: string; target: string }

/** From which the CNAME in an answer was made. */
export function dnameIn(all: readonly NameFacts[]): Dname | undefined {
  const cnames = all.flatMap((facts) => (facts.kind === 'records' ? facts.cname : []))
  return cnames.find(({ dname }) => dname)?.dname
}

/** The CNAME and address records of the host itself; an answer may include those of the CNAME's target. */
export function ownRecords(facts: NameFacts | undefined, host: string): DnsRecord[] {
  if (facts?.kind !== 'records') return []
  return [...facts.cname, ...facts.addresses].filter(({ name }) => name === host)
}

/** Whether both names have the same CNAME and addresses. */
export function isSameResponse(a: NameFacts, b: NameFacts | undefined): boolean {
  if (a.kind !== 'records' || b?.kind !== 'records') return false
  const valuesOf = ({ addresses, cname }: typeof a) =>
    [...cname, ...addresses].map(recordValue).toSorted()
  const [own, others] = [valuesOf(a), valuesOf(b)]
  return own.length > 0 && own.join() === others.join()
}

/** Whether visitors who follow the pointer reach us. */
export function pointsToUs(pointer: Pointer): boolean {
  if (pointer.kind === 'cname') return ['platform', 'chain'].includes(pointer.pointsTo)
  return pointer.kind === 'addresses' && ['platform', 'relayed'].includes(pointer.pointsTo.kind)
}

/** Whether another server responds to requests for the host; null when the check ended before that was known. */
export function hasOtherSite({ isCutShort, probes, state }: Reading): boolean | null {
  if (probes.some(({ outcome }) => outcome.kind === 'other')) return true
  const isKnown = state === 'missing' || (state !== 'unknown' && !isCutShort)
  return isKnown ? false : null
}

function stateOf(all: readonly Pointer[], right: number): Reading['state'] {
  if (all.length === 0) return 'unknown'
  if (right === all.length) return 'right'
  if (right > 0) return 'partial'
  return all.every(({ kind }) => kind === 'nothing') ? 'missing' : 'wrong'
}

/** Undefined when the server did not answer. */
function readPointer(facts: NameFacts, evidence: Evidence, isApex: boolean): Pointer | undefined {
  if (facts.kind === 'failure') return undefined
  if (facts.kind === 'nothing')
    return { kind: 'nothing', negativeTtlSeconds: facts.negativeTtlSeconds, others: [] }
  const { host } = evidence.subject
  // An answer may include the records of the CNAME's target; they are not the host's own.
  const isOwn = (record: DnsRecord) => record.name === host
  const targets = facts.cname.filter(isOwn).map((record) => record.target)
  const addressRecords = facts.addresses.filter(isOwn)
  const others = facts.others.filter((record) => isOwn(record) && !isDnssecRecord(record))
  const addresses = addressRecords.map(({ address }) => address)
  const [target] = targets
  if (target === undefined) {
    if (addresses.length === 0) return { kind: 'nothing', negativeTtlSeconds: undefined, others }
    return { kind: 'addresses', addresses, pointsTo: readAddresses(addresses, evidence), others }
  }
  if (isApex) return { kind: 'cname at apex', targets }
  const beside = [...addressRecords, ...others]
  if (targets.length > 1 || beside.length > 0) return { kind: 'crowded', targets, beside }
  return { kind: 'cname', target, pointsTo: cnameDestination(target, evidence) }
}

/** RRSIG, NSEC, DNSKEY and NSEC3 may stand beside a CNAME (RFC 4034, section 3). */
function isDnssecRecord({ type }: DnsRecord): boolean {
  return ['TYPE46', 'TYPE47', 'TYPE50', 'DNSKEY'].includes(type)
}

function cnameDestination(target: string, evidence: Evidence): CnameDestination {
  const platform = evidence.platform.host
  const { host, registrableDomain } = evidence.subject
  if (target === platform) return 'platform'
  const zones = [registrableDomain, evidence.zone.apex ?? registrableDomain]
  if (zones.some((end) => target === `${platform}.${end}`)) return 'appended'
  const names = followChain(evidence.chain, host, target)
  if (new Set(names).size < names.length || names.length > maxChainNames) return 'loop'
  if (names.at(-1) === platform) return 'chain'
  const isOfProject = target.endsWith(`.${platform}`)
  return !isOfProject && endsHere(target, evidence) ? 'chain' : 'elsewhere'
}

/**
 * Whether every address at the end of the chain reaches us, such as those of an ALIAS or a proxy. The resolver may still
 * have the addresses of another CNAME.
 */
function endsHere(target: string, evidence: Evidence): boolean {
  const { probes, resolver } = evidence
  const asked = probes.filter(
    ({ address, isOfHttps = false }) => !isOfHttps && !isUnasked(address, evidence),
  )
  return (
    (resolver === undefined || targetsIn(resolver.host).includes(target)) &&
    asked.length > 0 &&
    asked.every(({ outcome }) => outcome.kind === 'platform')
  )
}

/** Resolvers may give up on longer chains. */
export const maxChainNames = 8

/** The names of the chain, starting with the host. In a loop, ends with the first repeated name. */
export function followChain(chain: readonly ChainLink[], host: string, target: string): string[] {
  const names = [host, target]
  for (let name = target; new Set(names).size === names.length; ) {
    const next = chain.find(({ from }) => from === name)
    if (next === undefined) break
    name = next.to
    names.push(name)
  }
  return names
}

export type AddressDestination =
  | { kind: 'platform' }
  | { kind: 'some elsewhere'; elsewhere: string[] }
  /** IPv4 points to us, IPv6 does not. */
  | { kind: 'ipv6 elsewhere'; elsewhere: string[] }
  | { kind: 'relayed'; by: string; at: string[] }
  | { kind: 'proxy fails'; by: string; at: string[] }
  | { kind: 'elsewhere' }

/** The name of a proxy that does not identify itself. */
export const unknownProxy = 'a proxy'

type Place = 'platform' | 'relay' | 'proxy' | 'elsewhere'

function readAddresses(all: readonly string[], evidence: Evidence): AddressDestination {
  // Beside a proxy that reaches us, what this machine cannot ask says nothing.
  const hasRelay = all.some((address) => placeOf(address, evidence) === 'relay')
  const addresses = hasRelay ? all.filter((address) => !isUnasked(address, evidence)) : all
  const at = (wanted: Place) => addresses.filter((address) => placeOf(address, evidence) === wanted)
  const [platform, relays] = [at('platform'), at('relay')]
  const [proxies, elsewhere] = [at('proxy'), at('elsewhere')]
  if (platform.length === addresses.length) return { kind: 'platform' }
  if (elsewhere.length > 0) {
    if (elsewhere.length === addresses.length) return { kind: 'elsewhere' }
    const isIpv6Alone =
      elsewhere.every(isIPv6) && [...platform, ...relays].some((address) => !isIPv6(address))
    return { kind: isIpv6Alone ? 'ipv6 elsewhere' : 'some elsewhere', elsewhere }
  }
  if (proxies.length > 0)
    return { kind: 'proxy fails', by: proxyName(proxies, evidence), at: proxies }
  return { kind: 'relayed', by: proxyName(relays, evidence), at: relays }
}

function isUnasked(address: string, evidence: Evidence): boolean {
  const outcome = probeOf(address, evidence)?.outcome
  return outcome?.kind === 'not asked' && outcome.reason === noIpv6
}

function placeOf(address: string, evidence: Evidence): Place {
  if (evidence.platform.addresses.includes(address)) return 'platform'
  const probe = probeOf(address, evidence)
  if (probe?.outcome.kind === 'platform') return 'relay'
  return nameOf(address, probe) === undefined ? 'elsewhere' : 'proxy'
}

function proxyName(addresses: readonly string[], evidence: Evidence): string {
  const names = addresses.map((address) => nameOf(address, probeOf(address, evidence)))
  return names.find((name) => name !== undefined) ?? unknownProxy
}

/** The name of a known proxy, by its address or its Server header. */
function nameOf(address: string, probe: Probe | undefined): string | undefined {
  if (isIP(address) !== 0 && cloudflare.has(address)) return 'Cloudflare'
  const { server } = { server: undefined, ...probe?.outcome }
  return signatures.find(([form]) => form.test(server ?? ''))?.[1]
}

function probeOf(address: string, evidence: Evidence): Probe | undefined {
  return evidence.probes.find((probe) => probe.address === address)
}

/** Published by Cloudflare as the addresses that its proxy answers at; changed once in ten years. */
const cloudflare = addressList(
  `
  103.21.244.0/22 103.22.200.0/22 103.31.4.0/22 104.16.0.0/13 104.24.0.0/14 108.162.192.0/18
  131.0.72.0/22 141.101.64.0/18 162.158.0.0/15 172.64.0.0/13 173.245.48.0/20 188.114.96.0/20
  190.93.240.0/20 197.234.240.0/22 198.41.128.0/17 2400:cb00::/32 2405:8100::/32 2405:b500::/32
  2606:4700::/32 2803:f800::/32 2a06:98c0::/29 2c0f:f248::/32
  `
    .trim()
    .split(/\s+/),
)

/** The Server header of proxies that set it. */
const signatures: readonly [RegExp, string][] = [
  [/^cloudflare\b/i, 'Cloudflare'],
  [/^cloudfront\b/i, 'Amazon CloudFront'],
  [/^akamai/i, 'Akamai'],
  [/^bunnycdn/i, 'bunny.net'],
  [/^sucuri/i, 'Sucuri'],
  [/^ddos-guard/i, 'DDoS-Guard'],
  [/^imperva|^incapsula/i, 'Imperva'],
  [/^keycdn/i, 'KeyCDN'],
  [/^qrator/i, 'Qrator'],
]

export type VerificationCheck =
  | { kind: 'proven' }
  /** A check without a claim: no TXT record is expected. */
  | { kind: 'not asked' }
  /** No server answered for the name. */
  | { kind: 'unknown' }
  | { kind: 'absent' }
  | { kind: 'partial' }
  | ({ kind: 'wrong' } & TxtFault)

/** A record that is wanted. */
export interface Txt {
  name: string
  value: string
}

/** What there is instead of it, and at which name. */
export interface TxtFault {
  how: VerificationFault
  found: string[]
  at: string
}

/** What is wrong about a TXT record, for its owner. */
export const txtFaults = {
  'other value': 'It has another value.',
  'quoted twice': 'The quotes became part of the value: enter it without them.',
  space: 'There is a space at its beginning or end.',
  'letter case': 'Upper and lower case differ; the value is case-sensitive.',
  'with its name': 'The name was entered as part of the value.',
  alias: 'The name has a CNAME. A TXT record of its own is needed there.',
  'at the host': 'The value is right, the name is not.',
  'zone appended': 'The provider added the zone to the name once more.',
  'subdomain missing': 'The value is right; the name lacks the subdomain.',
}
type VerificationFault = keyof typeof txtFaults

/** Proven when every server that answers has the record at the name itself, not through an alias. */
export function readVerification(evidence: Evidence): VerificationCheck {
  const { verification } = evidence.platform
  if (verification === undefined) return { kind: 'not asked' }
  const views = evidence.servers.filter(
    ({ state, verification }) => state === 'ok' && hasResponse(verification),
  )
  if (views.length === 0) return { kind: 'unknown' }
  const having = views.filter((view) =>
    textsAt(view.verification, verification.name).includes(verification.value),
  )
  if (having.length === views.length) return { kind: 'proven' }
  if (having.length > 0) return { kind: 'partial' }
  const [fault] = views.flatMap((view) => faultAt(view, evidence.servers, verification) ?? [])
  return fault ? { kind: 'wrong', ...fault } : { kind: 'absent' }
}

/** Whether the server answered. */
export function hasResponse(facts: NameFacts | undefined): facts is NameFacts {
  return facts !== undefined && facts.kind !== 'failure'
}

/** TXT values at the name itself. Behind an alias, the owner of the alias's target controls them. */
function textsAt(facts: NameFacts | undefined, name: string): string[] {
  if (facts?.kind !== 'records') return []
  if (facts.cname.some((record) => record.name === name)) return []
  return anyTextsAt(facts, name)
}

/** TXT values, also beside an alias, where DNS forbids them. */
function anyTextsAt(facts: NameFacts | undefined, name: string): string[] {
  if (facts?.kind !== 'records') return []
  return facts.others.flatMap((r) =>
    r.type === 'TXT' && r.name === name ? [r.strings.join('')] : [],
  )
}

/** A CNAME from a wildcard is not at the name itself. Only one server is queried for the sibling. */
function faultAt(
  { apexVerification, doubledVerification, host, verification }: ServerView,
  servers: readonly ServerView[],
  wanted: Txt,
): TxtFault | undefined {
  const { name } = wanted
  const targets = targetsIn(verification, name)
  const wild = servers.flatMap(({ sibling }) => targetsIn(sibling))
  if (targets.length > 0 && !targets.some((target) => wild.includes(target)))
    return { how: 'alias', found: targets, at: name }
  const texts = textsAt(verification, name)
  return (
    nearMiss(texts, wanted) ??
    otherValue(texts, name) ??
    misplaced(host, [doubledVerification, apexVerification], wanted)
  )
}

/** The targets of the CNAME records, of all of them or at a name; without those of a DNAME record. */
function targetsIn(facts: NameFacts | undefined, name?: string): string[] {
  if (facts?.kind !== 'records') return []
  return facts.cname.flatMap((record) =>
    !record.dname && (name === undefined || record.name === name) ? [record.target] : [],
  )
}

function nearMiss(texts: readonly string[], wanted: Txt): TxtFault | undefined {
  const near = texts.find((text) => likeness(text, wanted) !== 'other value')
  return near === undefined
    ? undefined
    : { how: likeness(near, wanted), found: [near], at: wanted.name }
}

function otherValue([first]: readonly string[], at: string): TxtFault | undefined {
  return first === undefined ? undefined : { how: 'other value', found: [first], at }
}

/** The right value at the host, at the name with the zone once more, or at the name without the subdomain. */
function misplaced(
  atHost: NameFacts | undefined,
  elsewhere: (NameFacts | undefined)[],
  { name, value }: Txt,
): TxtFault | undefined {
  const host = name.slice(name.indexOf('.') + 1)
  if (anyTextsAt(atHost, host).some((text) => text.includes(value)))
    return { how: 'at the host', found: [value], at: host }
  const all = elsewhere.flatMap((facts) => (facts?.kind === 'records' ? facts.others : []))
  const record = recordsOfType(all, 'TXT').find(({ strings }) => strings.join('').includes(value))
  if (record === undefined) return undefined
  const how = record.name.startsWith(name) ? 'zone appended' : 'subdomain missing'
  return { how, found: [value], at: record.name }
}

/** How a value differs from the wanted one. */
function likeness(text: string, { name, value }: Txt): VerificationFault {
  if (text.replace(/^["'“”„\\]+|["'“”\\]+$/gu, '') === value) return 'quoted twice'
  if (text.trim() === value) return 'space'
  if (text.toLowerCase() === value.toLowerCase()) return 'letter case'
  if (text.includes(value) && text.includes(name.split('.')[0] ?? name)) return 'with its name'
  return 'other value'
}

export interface ChallengeProgress {
  /** Name servers that answered, those of them that have the value, and those that did not answer. */
  responding: number
  updated: number
  failing: number
  /** The first fault, at a server that does not have the value. */
  fault: TxtFault | undefined
}

/** Whether the certificate is requested before DNS points to us, and it does not yet. */
export function isPreparing(
  reading: Reading,
): reading is Reading & { preparation: PreparationFacts } {
  return reading.preparation !== undefined && reading.state !== 'right'
}

/** Undefined until the value is known. */
export function readChallenge(evidence: Evidence): ChallengeProgress | undefined {
  const { preparation } = evidence
  const { name, value } = preparation?.challenge ?? {}
  if (!preparation || name === undefined || value === undefined) return undefined
  const answered = preparation.servers.filter(({ facts }) => facts.kind !== 'failure')
  const wanted = { name, value }
  const missing = answered.filter(({ facts }) => !textsAt(facts, name).includes(value))
  const faults = missing.flatMap(({ facts }) => faultIn(facts, preparation, wanted) ?? [])
  return {
    responding: answered.length,
    updated: answered.length - missing.length,
    failing: preparation.servers.length - answered.length,
    fault: faults[0],
  }
}

/** Whether every name server that answers has the value. */
export function isChallengeComplete(progress: ChallengeProgress | undefined): boolean {
  return progress !== undefined && progress.updated > 0 && progress.updated === progress.responding
}

/**
 * The targets of a CNAME at the name of the record. One that a wildcard answers is none: a TXT record of its own can
 * be added there.
 */
export function aliasesOfChallenge({ challenge, servers, wildcard }: PreparationFacts): string[] {
  const wild = targetsIn(wildcard)
  const targets = servers.flatMap(({ facts }) => targetsIn(facts, challenge.name))
  return [...new Set(targets)].filter((target) => !wild.includes(target))
}

function faultIn(
  facts: NameFacts,
  { atApex, atHost, challenge, doubled }: PreparationFacts,
  wanted: Txt,
): TxtFault | undefined {
  const texts = textsAt(facts, wanted.name)
  // The value of before has words of its own.
  const others = texts.filter((text) => text !== challenge.former?.value)
  return (
    nearMiss(texts, wanted) ??
    misplaced(atHost, [doubled, atApex], wanted) ??
    otherValue(others, wanted.name)
  )
}
