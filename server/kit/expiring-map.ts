// What was found out lately, by its key, each for a time of its own. The oldest entries are evicted first.
import type { Clock } from './clock.ts'

export interface ExpiringMap<Value> {
  find(key: string): Value | undefined
  keep(key: string, value: Value, forMs: number): void
  delete(key: string): void
}

export function createExpiringMap<Value>(clock: Clock, maxEntries: number): ExpiringMap<Value> {
  const entries = new Map<string, { value: Value; until: number }>()
  return {
    find(key) {
      const entry = entries.get(key)
      return entry && entry.until > clock() ? entry.value : undefined
    },
    keep(key, value, forMs) {
      entries.delete(key)
      entries.set(key, { value, until: clock() + forMs })
      const [oldest] = entries.keys()
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest)
    },
    delete(key) {
      entries.delete(key)
    },
  }
}
