// Caches the upper zones and addresses of name servers between checks for their TTL, at most ten minutes; the oldest
// entries are evicted. Checks of many names then query the registries once.
import type { Clock } from '../../../platform/clock.ts'
import type { ZoneCut } from './zone-cut.ts'

const longestSeconds = 600

export interface ZoneCache {
  findZone(apex: string): ZoneCut | undefined
  keepZone(cut: ZoneCut): void
  findAddresses(serverName: string): string[] | undefined
  keepAddresses(serverName: string, addresses: string[], ttlSeconds: number): void
}

export function createZoneCache({
  clock,
  maxEntries = 5000,
}: {
  clock: Clock
  maxEntries?: number
}): ZoneCache {
  const zones = new Map<string, { value: ZoneCut; until: number }>()
  const addresses = new Map<string, { value: string[]; until: number }>()
  const find = <Value>(map: Map<string, { value: Value; until: number }>, key: string) => {
    const entry = map.get(key)
    if (!entry || entry.until > clock()) return entry?.value
    map.delete(key)
    return undefined
  }
  const keep = <Value>(
    map: Map<string, { value: Value; until: number }>,
    key: string,
    value: Value,
    ttlSeconds: number,
  ) => {
    map.delete(key)
    map.set(key, { value, until: clock() + Math.min(ttlSeconds, longestSeconds) * 1000 })
    for (const oldest of map.keys()) {
      if (map.size <= maxEntries) break
      map.delete(oldest)
    }
  }
  return {
    findZone: (apex) => find(zones, apex),
    keepZone: (cut) => keep(zones, cut.apex, cut, cut.ttlSeconds),
    findAddresses: (name) => find(addresses, name),
    keepAddresses: (name, value, ttlSeconds) => keep(addresses, name, value, ttlSeconds),
  }
}
