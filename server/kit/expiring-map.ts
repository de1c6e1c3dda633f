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
