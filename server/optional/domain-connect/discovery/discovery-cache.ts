// Remembers what zones and providers said, so that an open page does not ask them again: a provider that was found as
// long as the record may be cached, at most an hour; anything else for five minutes.
import type { Discovered, TemplateAnswer } from './discover-provider.ts'

export interface Remembered {
  discovered: Discovered
  template: TemplateAnswer | undefined
}

const maxHitMs = 3_600_000
const missMs = 5 * 60_000
const maxHosts = 1000

export type DiscoveryCache = ReturnType<typeof createDiscoveryCache>

export function createDiscoveryCache(clock: () => number) {
  const kept = new Map<string, Remembered & { until: number }>()
  return {
    find(host: string): Remembered | undefined {
      const found = kept.get(host)
      return found && found.until > clock() ? found : undefined
    },
    keep(host: string, remembered: Remembered, ttlSeconds: number): void {
      const isHit = remembered.discovered.kind === 'found' && remembered.template === 'known'
      const forMs = isHit ? Math.min(maxHitMs, ttlSeconds * 1000) : missMs
      kept.delete(host)
      kept.set(host, { ...remembered, until: clock() + forMs })
      // The first is the oldest.
      for (const oldest of kept.keys()) {
        if (kept.size <= maxHosts) break
        kept.delete(oldest)
      }
    },
  }
}
