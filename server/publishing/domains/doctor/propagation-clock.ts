// The propagation clock: what each name server answers, what the resolver still remembers, and when caches have
// forgotten it. Pure, by the same reading as the rules.
import type { ServerAddress } from '../../dns/messages/exchange.ts'
import type { NameFacts } from '../../dns/name-servers/name-facts.ts'
import { propagationOf, type ServerProgress } from '../../dns/name-servers/propagation.ts'
import type { Evidence, ServerView } from '../evidence/evidence.ts'
import { pointsToUs, readEvidence } from './reading.ts'

export interface PropagationClock {
  servers: NameServerStatus[]
  /** What caches give at present; undefined when no resolver was asked, or it did not say. */
  resolver: NameServerStatus | undefined
  /** Servers that answered, and those of them that point to us. */
  responding: number
  updated: number
  /** When the last cache has forgotten what points elsewhere: milliseconds since the epoch. */
  cachedUntil: number | undefined
}

export interface NameServerStatus {
  server: ServerAddress
  /** Whether and how it answers; of the resolver always `ok`. */
  state: ServerView['state']
  answer: ServerProgress['answer']
  /** Such as `CNAME docs.example.net`; empty where there is nothing, or no answer. */
  records: string[]
  /** How long a cache that asks now keeps it: milliseconds since the epoch. */
  cachedUntil: number | undefined
}

export function readPropagation(evidence: Evidence): PropagationClock {
  const { at } = evidence
  const right = new Set<NameFacts>(
    readEvidence(evidence).heard.flatMap(({ pointer, view }) =>
      pointsToUs(pointer) ? [view.host] : [],
    ),
  )
  const facts = evidence.servers.map(({ host, server, state }) => {
    const said: NameFacts = state === 'ok' ? host : { kind: 'failure', reason: 'lame' }
    return { server, facts: said, at }
  })
  const found = propagationOf(facts, (each) => right.has(each))
  const servers = found.servers.map(({ answer, cachedSeconds, server }, i): NameServerStatus => {
    const records = recordsIn(facts[i]?.facts, evidence.subject.host)
    const { state = 'error' } = evidence.servers[i] ?? {}
    return { server, state, answer, records, cachedUntil: after(at, cachedSeconds) }
  })
  const resolver = resolverStatus(evidence)
  const isLate = resolver !== undefined && resolver.answer !== 'correct' && right.size > 0
  const times = [found.cachedUntil, isLate ? resolver.cachedUntil : undefined]
  const known = times.filter((time) => time !== undefined)
  return {
    servers,
    resolver,
    responding: found.responding,
    updated: found.updated,
    cachedUntil: known.length > 0 ? Math.max(...known) : undefined,
  }
}

function resolverStatus(evidence: Evidence): NameServerStatus | undefined {
  const { at, resolver } = evidence
  const seen = readEvidence({ ...evidence, servers: [] })
  if (resolver === undefined || seen.from !== 'resolver') return undefined
  const isNothing = seen.pointers.every(({ kind }) => kind === 'nothing')
  return {
    server: resolver.server,
    state: 'ok',
    answer: seen.pointers.some(pointsToUs) ? 'correct' : isNothing ? 'missing' : 'wrong',
    records: recordsIn(resolver.host, evidence.subject.host),
    cachedUntil: after(at, resolver.ttlSeconds),
  }
}

function after(at: number, seconds: number | undefined): number | undefined {
  return seconds !== undefined && Number.isFinite(seconds) ? at + seconds * 1000 : undefined
}

/** What says where the host leads; other types do not. */
function recordsIn(facts: NameFacts | undefined, host: string): string[] {
  if (facts?.kind !== 'records') return []
  return [...facts.cname, ...facts.addresses].flatMap((record) => {
    if (record.name !== host) return []
    if (record.type === 'CNAME') return [`CNAME ${record.target}`]
    return 'address' in record ? [`${record.type} ${record.address}`] : []
  })
}
