// Classifies the answers of the name servers for a host into the cases that rules and result distinguish.
// Every rule reads the evidence through this, so that all rules agree.
import { type DnsRecord, recordsOfType } from '#dns/messages/exchange.ts'
import type { NameFacts } from '#dns/name-servers/name-facts.ts'
import type { ChainLink } from '#dns/resolution/resolution.ts'
import type { Evidence, ServerView } from '../evidence/evidence.ts'
import { type AddressDestination, readAddresses } from './read-addresses.ts'
import { hasAnswer } from './read-verification.ts'

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
  | { kind: 'addresses'; addresses: string[]; pointsTo: AddressDestination }

export function readEvidence(evidence: Evidence): Reading {
  const { subject, zone } = evidence
  const apex =
    zone.apex !== undefined && isBelow(subject.host, zone.apex)
      ? zone.apex
      : subject.registrableDomain
  const isApex = subject.host === apex
  const label = isApex ? '@' : subject.host.slice(0, -apex.length - 1)
  // A wildcard does not match its own parent name. Only one server is queried for the sibling.
  const siblings = evidence.servers.flatMap(({ sibling }) =>
    !isApex && hasAnswer(sibling) ? [sibling] : [],
  )
  const isWild = (facts: NameFacts) => siblings.some((sibling) => isSameAnswer(facts, sibling))
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
  const all = answers.length > 0 ? answers.map(({ pointer }) => pointer) : seen ? [seen] : []
  const right = all.filter(pointsToUs)
  const pointers = right.length > 0 ? right : all
  const state = stateOf(all, right.length)
  const isByWildcard = answers.some(({ view }) => isWild(view.host))
  const isUnasked = !isApex && siblings.length === 0
  const hasOwn = isByWildcard ? 'no' : isUnasked ? 'unknown' : 'yes'
  return { ...evidence, apex, label, isApex, answers, pointers, from, state, seen, hasOwn }
}

/** Whether both names have the same CNAME and addresses. */
export function isSameAnswer(a: NameFacts, b: NameFacts | undefined): boolean {
  if (a.kind !== 'records' || b?.kind !== 'records') return false
  const valuesOf = ({ addresses, cname }: typeof a) =>
    [
      ...cname.flatMap((record) => (record.type === 'CNAME' ? [record.target] : [])),
      ...recordsOfType(addresses, 'A', 'AAAA').map(({ address }) => address),
    ].toSorted()
  const [own, others] = [valuesOf(a), valuesOf(b)]
  return own.length > 0 && own.join() === others.join()
}

/** Whether visitors who follow the pointer reach us. */
export function pointsToUs(pointer: Pointer): boolean {
  if (pointer.kind === 'cname') return ['platform', 'chain'].includes(pointer.pointsTo)
  return pointer.kind === 'addresses' && ['platform', 'relayed'].includes(pointer.pointsTo.kind)
}

/** Also true for the zone's own name. */
function isBelow(name: string, zone: string): boolean {
  return name === zone || name.endsWith(`.${zone}`)
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
  if (facts.kind === 'nothing') {
    return { kind: 'nothing', negativeTtlSeconds: facts.negativeTtlSeconds, others: [] }
  }
  const { host } = evidence.subject
  // An answer may include the records of the CNAME's target; they are not the host's own.
  const isOwn = (record: DnsRecord) => record.name === host
  const targets = facts.cname.filter(isOwn).flatMap((r) => (r.type === 'CNAME' ? [r.target] : []))
  const addressRecords = facts.addresses.filter(isOwn)
  const others = facts.others.filter((record) => isOwn(record) && !isDnssecRecord(record))
  const addresses = addressRecords.flatMap((r) => ('address' in r ? [r.address] : []))
  const [target] = targets
  if (target === undefined) {
    if (addresses.length === 0) return { kind: 'nothing', negativeTtlSeconds: undefined, others }
    return { kind: 'addresses', addresses, pointsTo: readAddresses(addresses, evidence) }
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
  return names.at(-1) === platform ? 'chain' : 'elsewhere'
}

const maxChainNames = 8

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
