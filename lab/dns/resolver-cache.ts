// The resolver's cache of answers, negative answers (RFC 2308) and delegations.
import type { Answer } from 'dns-packet'
import { isWithin } from './zone.ts'

export interface Resolved {
  rcode: 'NOERROR' | 'NXDOMAIN' | 'SERVFAIL'
  answers: Answer[]
  /** The SOA of a negative answer. */
  authorities: Answer[]
  /** A zone on the way has a DS record but no DNSKEY: SERVFAIL unless checking is disabled. */
  isBogus: boolean
}

export interface Delegation {
  zone: string
  servers: string[]
  /** Addresses by server, where the parent gave them. */
  glue: Map<string, string[]>
  /** The parent has a DS record for it. */
  isSigned: boolean
}

export interface ResolverCache {
  /** TTLs are those that remain. */
  findAnswer(name: string, type: string): Resolved | undefined
  cacheAnswer(name: string, type: string, resolved: Resolved, ttlSeconds: number): void
  /** The deepest delegation that encloses the name; for DS, one above it. */
  findDelegation(name: string, type: string): Delegation | undefined
  cacheDelegation(delegation: Delegation, ttlSeconds: number): void
  clear(): void
  readonly size: number
}

const maxEntries = 10_000

/** `maxTtlSeconds` caps every TTL. */
export function createResolverCache(
  now: () => number,
  maxTtlSeconds = Number.POSITIVE_INFINITY,
): ResolverCache {
  const answers = new Map<string, { resolved: Resolved; cachedAt: number; until: number }>()
  const delegations = new Map<string, { delegation: Delegation; until: number }>()

  const expiry = (ttlSeconds: number): number => now() + Math.min(ttlSeconds, maxTtlSeconds) * 1000

  return {
    findAnswer(name, type) {
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
    cacheAnswer(name, type, resolved, ttlSeconds) {
      evictOldest(answers)
      const until = expiry(ttlSeconds)
      answers.set(`${name} ${type}`, { resolved, cachedAt: now(), until })
    },
    findDelegation(name, type) {
      let found: Delegation | undefined
      for (const [zone, { delegation, until }] of delegations) {
        if (until <= now() || !isWithin(name, zone) || (type === 'DS' && zone === name)) continue
        if (!found || zone.length > found.zone.length) found = delegation
      }
      return found
    },
    cacheDelegation(delegation, ttlSeconds) {
      evictOldest(delegations)
      delegations.set(delegation.zone, { delegation, until: expiry(ttlSeconds) })
    },
    clear() {
      answers.clear()
      delegations.clear()
    },
    get size() {
      return answers.size
    },
  }
}

/** Removes the oldest entry when the map is full. */
function evictOldest(map: Map<string, unknown>): void {
  const [oldest] = map.keys()
  if (map.size >= maxEntries && oldest !== undefined) map.delete(oldest)
}
