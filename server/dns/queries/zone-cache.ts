// Caches the upper zones and addresses of name servers between checks for their TTL, at most ten minutes; the oldest
// entries are evicted. Checks of many names then query the registries once.
import type { Clock } from '#kit/clock.ts'
import type { ZoneCut } from './zone-cut.ts'

const maxSeconds = 600

export type ZoneCache = ReturnType<typeof createZoneCache>

export function createZoneCache({
  clock,
  maxEntries = 5000,
}: {
  clock: Clock
  maxEntries?: number
}) {
  function createEntries<Value>() {
    const entries = new Map<string, { value: Value; until: number }>()
    return {
      find(key: string): Value | undefined {
        const entry = entries.get(key)
        if (!entry || entry.until > clock()) return entry?.value
        entries.delete(key)
        return undefined
      },
      keep(key: string, value: Value, ttlSeconds: number): void {
        entries.delete(key)
        entries.set(key, { value, until: clock() + Math.min(ttlSeconds, maxSeconds) * 1000 })
        const [oldest] = entries.keys()
        if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest)
      },
    }
  }
  /** Zones by apex, addresses by the name of the server. */
  return { zones: createEntries<ZoneCut>(), addresses: createEntries<string[]>() }
}
