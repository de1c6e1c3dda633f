// How long caches keep the records by which a host points elsewhere. A lower TTL counts only once the answers that
// were given before it have expired, so what an earlier check saw is carried on.
import type { NameFacts } from '#dns/name-servers/name-facts.ts'
import { pointsToUs, type Reading } from './reading.ts'

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
  const own = [...facts.cname, ...facts.addresses].filter(({ name }) => name === host)
  return own.map(({ ttlSeconds }) => ttlSeconds)
}
