// What the resolver remembers, and until when: answers, negative ones too (RFC 2308), and delegations.
import type { Answer } from 'dns-packet'
import { isWithin } from './zone.ts'

export interface Resolved {
  rcode: 'NOERROR' | 'NXDOMAIN' | 'SERVFAIL'
  answers: Answer[]
  /** The SOA of a negative answer. */
  authorities: Answer[]
  /** A zone on the way claims to be signed, and is not: SERVFAIL for all who let it check. */
  isBogus: boolean
}

export interface Delegation {
  zone: string
  servers: string[]
  /** Addresses by server, as far as the parent gave them. */
  glue: Map<string, string[]>
  /** The parent has a DS for it. */
  isSigned: boolean
}

export interface ResolverCache {
  /** With the time to live that is left. */
  findAnswer(name: string, type: string): Resolved | undefined
  keepAnswer(name: string, type: string, resolved: Resolved, ttlSeconds: number): void
  /** The deepest one that encloses the name; for DS, one above it. */
  findDelegation(name: string, type: string): Delegation | undefined
  keepDelegation(delegation: Delegation, ttlSeconds: number): void
  clear(): void
  readonly size: number
}

const maxEntries = 10_000

export function createResolverCache(now: () => number): ResolverCache {
  const answers = new Map<string, { resolved: Resolved; keptAt: number; until: number }>()
  const delegations = new Map<string, { delegation: Delegation; until: number }>()

  return {
    findAnswer(name, type) {
      const entry = answers.get(`${name} ${type}`)
      if (!entry || entry.until <= now()) return undefined
      const age = Math.floor((now() - entry.keptAt) / 1000)
      const aged = (record: Answer): Answer =>
        record.type === 'OPT' ? record : { ...record, ttl: Math.max(0, (record.ttl ?? 0) - age) }
      const { resolved } = entry
      return {
        ...resolved,
        answers: resolved.answers.map(aged),
        authorities: resolved.authorities.map(aged),
      }
    },
    keepAnswer(name, type, resolved, ttlSeconds) {
      makeRoom(answers)
      const until = now() + ttlSeconds * 1000
      answers.set(`${name} ${type}`, { resolved, keptAt: now(), until })
    },
    findDelegation(name, type) {
      let found: Delegation | undefined
      for (const [zone, { delegation, until }] of delegations) {
        if (until <= now() || !isWithin(name, zone) || (type === 'DS' && zone === name)) continue
        if (!found || zone.length > found.zone.length) found = delegation
      }
      return found
    },
    keepDelegation(delegation, ttlSeconds) {
      makeRoom(delegations)
      delegations.set(delegation.zone, { delegation, until: now() + ttlSeconds * 1000 })
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

/** The oldest goes. */
function makeRoom(map: Map<string, unknown>): void {
  const [oldest] = map.keys()
  if (map.size >= maxEntries && oldest !== undefined) map.delete(oldest)
}
