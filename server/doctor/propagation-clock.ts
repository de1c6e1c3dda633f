// Propagation: what each name server answers, what the resolver has cached, and when caches expire. Pure, from the same
// Reading as the rules.
import type { ServerAddress } from '#dns/messages/exchange.ts'
import type { NameFacts } from '#dns/name-servers/name-facts.ts'
import type { ServerView } from './evidence.ts'
import { ownRecords, pointsToUs, type Reading } from './reading.ts'
import { written } from './wording.ts'

export type PropagationClock = ReturnType<typeof readPropagation>

export interface NameServerStatus {
  server: ServerAddress
  /** Whether and how it responds; always `ok` for the resolver. */
  state: ServerView['state']
  answer: 'correct' | 'wrong' | 'missing' | 'unknown'
  /** Such as `CNAME docs.example.net`; empty without records or without an answer. */
  records: string[]
  /** Until when a cache that queries now keeps the answer: milliseconds since the epoch. */
  cachedUntil: number | undefined
}

export function readPropagation(reading: Reading) {
  const { at } = reading
  const right = new Set<NameFacts>(
    reading.answers.flatMap(({ pointer, view }) => (pointsToUs(pointer) ? [view.host] : [])),
  )
  const servers = reading.servers.map(({ host, server, state }): NameServerStatus => {
    if (state !== 'ok' || host.kind === 'failure')
      return { server, state, answer: 'unknown', records: [], cachedUntil: undefined }
    return {
      ...{ server, state, answer: right.has(host) ? 'correct' : answerOf(host) },
      records: ownRecords(host, reading.subject.host).map(written),
      cachedUntil: after(at, cachedSeconds(host)),
    }
  })
  const countOf = (is: (status: NameServerStatus) => boolean) => servers.filter(is).length
  const resolver = resolverStatus(reading)
  const isLate = resolver !== undefined && resolver.answer !== 'correct' && right.size > 0
  const late = servers.filter(({ answer }) => answer !== 'correct')
  const times = [...(isLate ? [resolver] : []), ...late].map((status) => status.cachedUntil)
  const present = times.filter((time) => time !== undefined)
  return {
    servers,
    /** What the resolver answers now; undefined when none was queried, or it did not answer. */
    resolver,
    /** Servers that answered, and those of them that point to us. */
    responding: countOf(({ answer }) => answer !== 'unknown'),
    updated: countOf(({ answer }) => answer === 'correct'),
    /** When the last cached record that points elsewhere expires: milliseconds since the epoch. */
    cachedUntil: present.length > 0 ? Math.max(...present) : undefined,
  }
}

function resolverStatus(reading: Reading): NameServerStatus | undefined {
  const { at, resolver, seen } = reading
  if (resolver === undefined || seen === undefined) return undefined
  const { ttlSeconds = Number.NaN } = resolver
  return {
    server: resolver.server,
    state: 'ok',
    answer: pointsToUs(seen) ? 'correct' : answerOf(seen),
    records: ownRecords(resolver.host, reading.subject.host).map(written),
    // Until the delegation has expired, too, the old name servers are asked again.
    cachedUntil: after(at, Math.max(cachedDelegation(reading)?.ttlSeconds ?? 0, ttlSeconds)),
  }
}

/** The name servers that the resolver still asks, if neither the delegation nor the zone lists one of them. */
export function cachedDelegation({ resolver, zone }: Reading) {
  const { nameServers, ownNames = [], parentNames = [] } = zone
  const current = [...nameServers, ...ownNames, ...parentNames]
  const cached = resolver?.nameServers
  return cached?.names.some((name) => !current.includes(name)) ? cached : undefined
}

/** Of what does not point to us. */
const answerOf = ({ kind }: { kind: string }) => (kind === 'nothing' ? 'missing' : 'wrong')

/** The longest TTL of the records, or the negative TTL. */
function cachedSeconds(facts: Exclude<NameFacts, { kind: 'failure' }>): number | undefined {
  if (facts.kind === 'nothing') return facts.negativeTtlSeconds
  const records = [...facts.cname, ...facts.addresses, ...facts.others]
  return Math.max(...records.map(({ ttlSeconds }) => ttlSeconds))
}

function after(at: number, seconds: number | undefined): number | undefined {
  return seconds !== undefined && Number.isFinite(seconds) ? at + seconds * 1000 : undefined
}

/**
 * How long caches keep the records by which a host points elsewhere. A lower TTL counts only once the answers that were
 * given before it have expired, so what an earlier check saw is carried on.
 */
export interface CachedElsewhere {
  /** Of the records at the name servers, the longest; of a name without records, that of the negative answer. */
  ttlSeconds: number
  /** When the last cache that asked until the check forgets them: milliseconds since the epoch. */
  cachedUntil: number
}

/** `before`: of the check before. Unchanged once every name server points to us, and while none answers. */
export function readElsewhere(
  reading: Reading,
  before: CachedElsewhere | undefined,
): CachedElsewhere | undefined {
  const { host } = reading.subject
  const ttls = reading.answers.flatMap(({ pointer, view }) =>
    pointsToUs(pointer) ? [] : ttlsOf(view.host, host),
  )
  if (ttls.length === 0) return before
  const ttlSeconds = Math.max(...ttls)
  // The TTL may have been lowered at any time since the check before.
  const keptSeconds = Math.max(ttlSeconds, before?.ttlSeconds ?? 0)
  const cachedUntil = Math.max(reading.at + keptSeconds * 1000, before?.cachedUntil ?? 0)
  return { ttlSeconds, cachedUntil }
}

function ttlsOf(facts: NameFacts, host: string): number[] {
  if (facts.kind === 'failure') return []
  if (facts.kind === 'nothing') return [facts.negativeTtlSeconds ?? 0]
  return ownRecords(facts, host).map(({ ttlSeconds }) => ttlSeconds)
}
