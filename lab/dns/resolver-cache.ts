// The resolver's cache of answers, negative answers (RFC 2308) and delegations.
import type { Answer } from 'dns-packet'
import { isWithin } from '../../server/publishing/dns/messages/dns-name.ts'

export interface Resolved {
  rcode: 'NOERROR' | 'NXDOMAIN' | 'SERVFAIL'
  answers: Answer[]
  /** The SOA of a negative answer. */
  authorities: Answer[]
  /** A zone above has a DS record but no DNSKEY: SERVFAIL unless checking is disabled. */
  isBogus: boolean
}

export interface Delegation {
  zone: string
  servers: string[]
  /** The addresses of servers that the parent has. */
  glue: Map<string, string[]>
  /** The parent has a DS record for it. */
  isSigned: boolean
}

const maxEntries = 10_000

/** `maxTtlSeconds` caps every TTL. */
export function createResolverCache(now: () => number, maxTtlSeconds = Number.POSITIVE_INFINITY) {
  const answers = new Map<string, { resolved: Resolved; cachedAt: number; until: number }>()
  const delegations = new Map<string, { delegation: Delegation; until: number }>()

  const expiry = (ttlSeconds: number): number => now() + Math.min(ttlSeconds, maxTtlSeconds) * 1000

  return {
    /** Its TTLs are the remaining ones. */
    findAnswer(name: string, type: string): Resolved | undefined {
      const entry = answers.get(`${name} ${type}`)
      if (!entry || entry.until <= now()) return undefined
      const age = Math.floor((now() - entry.cachedAt) / 1000)
      const aged = (record: Answer): Answer =>
        record.type === 'OPT' ? record : { ...record, ttl: Math.max(0, (record.ttl ?? 0) - age) }
      const { resolved } = entry
      return {
        ...resolved,
        answers: resolved.answers.map(aged),
        authorities: resolved.authorities.map(aged),
      }
    },
    cacheAnswer(name: string, type: string, resolved: Resolved, ttlSeconds: number): void {
      evictOldest(answers)
      const until = expiry(ttlSeconds)
      answers.set(`${name} ${type}`, { resolved, cachedAt: now(), until })
    },
    /** The deepest delegation that encloses the name; for DS, one above it. */
    findDelegation(name: string, type: string): Delegation | undefined {
      return [...delegations.values()]
        .filter(({ until }) => until > now())
        .map(({ delegation }) => delegation)
        .filter(({ zone }) => isWithin(name, zone) && !(type === 'DS' && zone === name))
        .sort((a, b) => b.zone.length - a.zone.length)[0]
    },
    cacheDelegation(delegation: Delegation, ttlSeconds: number): void {
      evictOldest(delegations)
      delegations.set(delegation.zone, { delegation, until: expiry(ttlSeconds) })
    },
    clear(): void {
      answers.clear()
      delegations.clear()
    },
  }
}

/** Removes the oldest entry when the map is full. */
function evictOldest(map: Map<string, unknown>): void {
  const [oldest] = map.keys()
  if (map.size >= maxEntries && oldest !== undefined) map.delete(oldest)
}
