// What the servers say of the host, brought to the few cases that the rules and the result tell apart.
// Every rule reads the evidence through this, so that no two of them can see it differently.
import type { DnsRecord } from '../../dns/messages/exchange.ts'
import type { NameFacts } from '../../dns/name-servers/name-facts.ts'
import type { ChainLink } from '../../dns/resolution/resolution.ts'
import type { Evidence, ServerView } from '../evidence/evidence.ts'
import { type AddressLead, readAddresses } from './read-addresses.ts'

export interface Reading {
  /** The zone that holds the host, where a provider's form expects the name: `@` or labels. */
  zone: string
  label: string
  isApex: boolean
  /** Servers that answered with authority, each with what it says. */
  heard: { view: ServerView; pointer: Pointer }[]
  /** What to judge: of the servers that have it right if any has, else of all; else of the resolver. */
  pointers: Pointer[]
  /** Who the pointers are from. */
  from: 'servers' | 'resolver' | 'nobody'
  state: 'right' | 'partial' | 'wrong' | 'missing' | 'unknown'
}

export type Pointer =
  | { kind: 'nothing'; negativeTtlSeconds: number | undefined; others: DnsRecord[] }
  /** A CNAME that stands alone. */
  | { kind: 'cname'; target: string; leads: 'here' | 'appended' | 'chain' | 'loop' | 'elsewhere' }
  /** A CNAME with other data, or several. */
  | { kind: 'crowded'; targets: string[]; beside: DnsRecord[] }
  | { kind: 'cname at apex'; targets: string[] }
  | { kind: 'addresses'; addresses: string[]; lead: AddressLead }

export function readEvidence(evidence: Evidence): Reading {
  const { subject, zone } = evidence
  const apex =
    zone.apex !== undefined && isBelow(subject.host, zone.apex)
      ? zone.apex
      : subject.registrableDomain
  const isApex = subject.host === apex
  const place = {
    zone: apex,
    isApex,
    label: isApex ? '@' : subject.host.slice(0, -apex.length - 1),
  }
  const heard = evidence.servers.flatMap((view) => {
    const pointer = view.state === 'ok' ? readPointer(view.host, evidence, isApex) : undefined
    return pointer ? [{ view, pointer }] : []
  })
  const seen = evidence.resolver && readPointer(evidence.resolver.host, evidence, isApex)
  const from = heard.length > 0 ? 'servers' : seen ? 'resolver' : 'nobody'
  const all = heard.length > 0 ? heard.map(({ pointer }) => pointer) : seen ? [seen] : []
  const right = all.filter(pointsToUs)
  const pointers = right.length > 0 ? right : all
  return { ...place, heard, pointers, from, state: stateOf(all, right.length) }
}

/** Whether visitors who follow the pointer arrive here. */
export function pointsToUs(pointer: Pointer): boolean {
  if (pointer.kind === 'cname') return pointer.leads === 'here' || pointer.leads === 'chain'
  return (
    pointer.kind === 'addresses' &&
    (pointer.lead.kind === 'platform' || pointer.lead.kind === 'relayed')
  )
}

/** True for the name itself, too. */
export function isBelow(name: string, zone: string): boolean {
  return name === zone || name.endsWith(`.${zone}`)
}

function stateOf(all: readonly Pointer[], right: number): Reading['state'] {
  if (all.length === 0) return 'unknown'
  if (right === all.length) return 'right'
  if (right > 0) return 'partial'
  return all.every(({ kind }) => kind === 'nothing') ? 'missing' : 'wrong'
}

/** Undefined where the server did not say. */
function readPointer(facts: NameFacts, evidence: Evidence, isApex: boolean): Pointer | undefined {
  if (facts.kind === 'failure') return undefined
  if (facts.kind === 'nothing') {
    return { kind: 'nothing', negativeTtlSeconds: facts.negativeTtlSeconds, others: [] }
  }
  const { host } = evidence.subject
  // An answer may go on to where the CNAME leads; that is not the host's own data.
  const isOwn = (record: DnsRecord) => record.name === host
  const targets = facts.cname.filter(isOwn).flatMap((r) => (r.type === 'CNAME' ? [r.target] : []))
  const addressRecords = facts.addresses.filter(isOwn)
  const others = facts.others.filter((record) => isOwn(record) && !isOfSigning(record))
  const addresses = addressRecords.flatMap((r) => ('address' in r ? [r.address] : []))
  const [target] = targets
  if (target === undefined) {
    if (addresses.length === 0) return { kind: 'nothing', negativeTtlSeconds: undefined, others }
    return { kind: 'addresses', addresses, lead: readAddresses(addresses, evidence) }
  }
  if (isApex) return { kind: 'cname at apex', targets }
  const beside = [...addressRecords, ...others]
  if (targets.length > 1 || beside.length > 0) return { kind: 'crowded', targets, beside }
  return { kind: 'cname', target, leads: whereTo(target, evidence) }
}

/** RRSIG, NSEC, DNSKEY and NSEC3 may stand beside a CNAME (RFC 4034, section 3). */
function isOfSigning({ type }: DnsRecord): boolean {
  return ['TYPE46', 'TYPE47', 'TYPE50', 'DNSKEY'].includes(type)
}

function whereTo(
  target: string,
  evidence: Evidence,
): 'here' | 'appended' | 'chain' | 'loop' | 'elsewhere' {
  const platform = evidence.platform.host
  const { host, registrableDomain } = evidence.subject
  if (target === platform) return 'here'
  const zones = [registrableDomain, evidence.zone.apex ?? registrableDomain]
  if (zones.some((end) => target === `${platform}.${end}`)) return 'appended'
  const names = followChain(evidence.chain, host, target)
  if (new Set(names).size < names.length || names.length > maxChainNames) return 'loop'
  return names.at(-1) === platform ? 'chain' : 'elsewhere'
}

const maxChainNames = 8

/** The names from the host on; a name that comes twice is the last one. */
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
