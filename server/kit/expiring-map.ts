// A cache in memory: each entry expires at its own time, and the oldest are evicted first.
import type { Clock } from './clock.ts'

export type ExpiringMap<Value> = ReturnType<typeof createExpiringMap<Value>>

export function createExpiringMap<Value>(clock: Clock, maxEntries: number) {
  const entries = new Map<string, { value: Value; until: number }>()
  return {
    find(key: string): Value | undefined {
      const entry = entries.get(key)
      return entry && entry.until > clock() ? entry.value : undefined
    },
    keep(key: string, value: Value, forMs: number): void {
      entries.delete(key)
      entries.set(key, { value, until: clock() + forMs })
      const [oldest] = entries.keys()
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest)
    },
    delete(key: string): void {
      entries.delete(key)
    },
  }
}

/** Look-ups whose results are used again for some time. Concurrent callers share one; what fails is not kept. */
export function createSharedLookups<Value>(clock: Clock, maxEntries: number, forMs: number) {
  const lookups = createExpiringMap<Promise<Value>>(clock, maxEntries)
  return (key: string, lookUp: () => Promise<Value>): Promise<Value> => {
    const running = lookups.find(key)
    if (running) return running
    const begun = lookUp()
    lookups.keep(key, begun, forMs)
    begun.catch(() => lookups.delete(key))
    return begun
  }
}
