// Propagation: what each name server answers, what the resolver has cached, and when caches expire. Pure; uses
// the same Reading as the rules.
import type { ServerAddress } from '#dns/messages/exchange.ts'
import type { NameFacts } from '#dns/name-servers/name-facts.ts'
import { propagationOf, type ServerProgress } from '#dns/name-servers/propagation.ts'
import type { ServerView } from '../evidence/evidence.ts'
import { pointsToUs, type Reading } from './reading.ts'

export type PropagationClock = ReturnType<typeof readPropagation>

export interface NameServerStatus {
  server: ServerAddress
  /** Whether and how it responds; always `ok` for the resolver. */
  state: ServerView['state']
  answer: ServerProgress['answer']
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
  const facts = reading.servers.map(({ host, server, state }) => {
    const said: NameFacts = state === 'ok' ? host : { kind: 'failure', reason: 'lame' }
    return { server, facts: said, at }
  })
  const found = propagationOf(facts, (each) => right.has(each))
  const servers = found.servers.map(({ answer, cachedSeconds, server }, i): NameServerStatus => {
    const records = recordsIn(facts[i]?.facts, reading.subject.host)
    const { state = 'error' } = reading.servers[i] ?? {}
    return { server, state, answer, records, cachedUntil: after(at, cachedSeconds) }
  })
  const resolver = resolverStatus(reading)
  const isLate = resolver !== undefined && resolver.answer !== 'correct' && right.size > 0
  const times = [found.cachedUntil, isLate ? resolver.cachedUntil : undefined]
  const known = times.filter((time) => time !== undefined)
  return {
    servers,
    /** What the resolver answers now; undefined when none was queried, or it did not answer. */
    resolver,
    /** Servers that answered, and those of them that point to us. */
    responding: found.responding,
    updated: found.updated,
    /** When the last cached record that points elsewhere expires: milliseconds since the epoch. */
    cachedUntil: known.length > 0 ? Math.max(...known) : undefined,
  }
}

function resolverStatus(reading: Reading): NameServerStatus | undefined {
  const { at, resolver, seen } = reading
  if (resolver === undefined || seen === undefined) return undefined
  const isNothing = seen.kind === 'nothing'
  return {
    server: resolver.server,
    state: 'ok',
    answer: pointsToUs(seen) ? 'correct' : isNothing ? 'missing' : 'wrong',
    records: recordsIn(resolver.host, reading.subject.host),
    cachedUntil: after(at, resolver.ttlSeconds),
  }
}

function after(at: number, seconds: number | undefined): number | undefined {
  return seconds !== undefined && Number.isFinite(seconds) ? at + seconds * 1000 : undefined
}

/** CNAME and address records of the host; other types do not matter here. */
function recordsIn(facts: NameFacts | undefined, host: string): string[] {
  if (facts?.kind !== 'records') return []
  return [...facts.cname, ...facts.addresses].flatMap((record) => {
    if (record.name !== host) return []
    if (record.type === 'CNAME') return [`CNAME ${record.target}`]
    return 'address' in record ? [`${record.type} ${record.address}`] : []
  })
}
