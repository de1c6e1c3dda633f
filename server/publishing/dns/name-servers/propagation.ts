// How far a change has come: what each server has, and when the last cache may forget what was there before.
// Pure: facts in, counts and times out.
import type { ServerAddress } from '../messages/exchange.ts'
import type { NameFacts } from './name-facts.ts'

export interface ServerProgress {
  server: ServerAddress
  answer: 'correct' | 'wrong' | 'missing' | 'unknown'
  /** How long a cache that asked this server just now keeps what it got; undefined when it got nothing. */
  cachedSeconds: number | undefined
}

export interface Propagation {
  servers: ServerProgress[]
  /** Servers that answered, and those of them that have what is expected. */
  responding: number
  updated: number
  /**
   * When caches have forgotten what the servers that lag behind say now, in milliseconds since the epoch:
   * the latest of them. Undefined when all that answer are up to date, or none says how long.
   */
  cachedUntil: number | undefined
}

export interface ServerFacts {
  server: ServerAddress
  facts: NameFacts
  /** When it was asked, in milliseconds since the epoch. */
  at: number
}

export function propagationOf(
  views: ServerFacts[],
  isExpected: (facts: NameFacts) => boolean,
): Propagation {
  const servers = views.map(({ server, facts }) => ({
    server,
    answer: hasOf(facts, isExpected),
    cachedSeconds: cachedSeconds(facts),
  }))
  const behind = views.flatMap(({ facts, at }) => {
    const seconds = cachedSeconds(facts)
    return isExpected(facts) || seconds === undefined ? [] : [at + seconds * 1000]
  })
  return {
    servers,
    responding: servers.filter(({ answer }) => answer !== 'unknown').length,
    updated: servers.filter(({ answer }) => answer === 'correct').length,
    cachedUntil: behind.length === 0 ? undefined : Math.max(...behind),
  }
}

/** The longest TTL of the records, or the negative TTL. */
export function cachedSeconds(facts: NameFacts): number | undefined {
  if (facts.kind === 'failure') return undefined
  if (facts.kind === 'nothing') return facts.negativeTtlSeconds
  const records = [...facts.cname, ...facts.addresses, ...facts.others]
  return Math.max(...records.map(({ ttlSeconds }) => ttlSeconds))
}

function hasOf(
  facts: NameFacts,
  isExpected: (facts: NameFacts) => boolean,
): ServerProgress['answer'] {
  if (facts.kind === 'failure') return 'unknown'
  if (isExpected(facts)) return 'correct'
  return facts.kind === 'nothing' ? 'missing' : 'wrong'
}
