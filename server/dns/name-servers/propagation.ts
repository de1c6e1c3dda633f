// The propagation of a change: what each server answers, and when the old answer expires in caches. Pure.
import type { ServerAddress } from '../messages/exchange.ts'
import type { NameFacts } from './name-facts.ts'

export type ServerProgress = ReturnType<typeof propagationOf>['servers'][number]

interface ServerFacts {
  server: ServerAddress
  facts: NameFacts
  /** When it was queried, in milliseconds since the epoch. */
  at: number
}

export function propagationOf(views: ServerFacts[], isExpected: (facts: NameFacts) => boolean) {
  const servers = views.map(({ server, facts }) => ({
    server,
    answer: answerOf(facts, isExpected),
    /** How long a cache keeps what the server answers now; undefined if it did not answer. */
    cachedSeconds: cachedSeconds(facts),
  }))
  const ends = views.flatMap(({ facts, at }) => {
    const seconds = cachedSeconds(facts)
    return isExpected(facts) || seconds === undefined ? [] : [at + seconds * 1000]
  })
  return {
    servers,
    /** Number of servers that answered, and of those with the expected answer. */
    responding: servers.filter(({ answer }) => answer !== 'unknown').length,
    updated: servers.filter(({ answer }) => answer === 'correct').length,
    /** When the last outdated answer expires in caches, in milliseconds since the epoch; undefined if unknown. */
    cachedUntil: ends.length === 0 ? undefined : Math.max(...ends),
  }
}

/** The longest TTL of the records, or the negative TTL. */
function cachedSeconds(facts: NameFacts): number | undefined {
  if (facts.kind === 'failure') return undefined
  if (facts.kind === 'nothing') return facts.negativeTtlSeconds
  const records = [...facts.cname, ...facts.addresses, ...facts.others]
  return Math.max(...records.map(({ ttlSeconds }) => ttlSeconds))
}

function answerOf(
  facts: NameFacts,
  isExpected: (facts: NameFacts) => boolean,
): 'correct' | 'wrong' | 'missing' | 'unknown' {
  if (facts.kind === 'failure') return 'unknown'
  if (isExpected(facts)) return 'correct'
  return facts.kind === 'nothing' ? 'missing' : 'wrong'
}
