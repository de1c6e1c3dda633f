// Ready responses by request target. All are dropped when the version of the animals moves.
import type { ReadyResponse } from '#kit/http/response/ready-response.ts'
import type { Scope } from '../keys/scopes.ts'

/** An answer to a GET that may be given again while the animals have not changed. */
export interface ReadyPage {
  answer: ReadyResponse
  operation: string
  scope: Scope
  deprecated: boolean
  /** Milliseconds since the epoch at which it ends, whatever the animals do. */
  until: number
}

/** Remembers that many requests for pages that are not kept, by their hashes. */
const maxSeen = 2 ** 14

export type PageCache = ReturnType<typeof createPageCache>

export function createPageCache(maxBytes = 32 * 1024 * 1024) {
  const pages = new Map<string, ReadyPage>()
  // Numbers: strings that live for a while would be copied by the garbage collector.
  const seen = new Uint32Array(maxSeen)
  let bytes = 0
  let current = -1n
  let generation = 0

  function clear(): void {
    pages.clear()
    bytes = 0
  }

  return {
    find(url: string, version: bigint) {
      if (version !== current) {
        // Never backwards: a slow answer about an older version must not bring old pages back.
        if (version < current) return undefined
        clear()
        current = version
        generation++
      }
      return pages.get(url)
    },
    /**
     * Keeps a page that was read when `version` was already known, from its second request on: pages that are
     * read once, as a walk reads them, would only evict those that are read often.
     */
    keep(url: string, version: bigint, page: ReadyPage) {
      if (version !== current) return
      const hash = hashOf(url, generation)
      if (seen[hash % maxSeen] !== hash) {
        seen[hash % maxSeen] = hash
        return
      }
      // Bytes of the body, its encodings and the bookkeeping, roughly.
      const size = 2 * page.answer.bytes + 2 * url.length + 1000
      if (bytes + size > maxBytes) clear()
      pages.set(url, page)
      bytes += size
    },
  }
}

/** FNV-1a, 32 bits. Two URLs with the same hash only mean that a page is kept earlier. */
function hashOf(url: string, seed: number): number {
  let hash = 0x811c9dc5 ^ seed
  for (let i = 0; i < url.length; i++) hash = Math.imul(hash ^ url.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
