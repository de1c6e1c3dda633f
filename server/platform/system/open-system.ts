// The program about itself, in one process: the operations on it, and what is written down for them.
import { hostname } from 'node:os'
import type { Route } from '../management/route.ts'
import type { RequestCounts } from '../metrics.ts'
import { createRecordId } from '../record-id.ts'
import { endPresence, notePresence } from './processes.ts'
import { addRequests } from './request-history.ts'
import { type SystemParts, systemRoutes } from './routes.ts'

export interface SystemInProcess {
  /** Part of the management API. */
  routes: Route[]
  /** Writes down what was counted since the last time, and that this process is there. */
  keepUp(): Promise<void>
  /** The same, once more; then this process is no longer there. */
  end(): Promise<void>
}

export function openSystem(parts: SystemParts): SystemInProcess {
  const { clock, limits, metrics } = parts
  const startedAt = clock()
  const id = createRecordId('prc', startedAt)
  const presence = { id, node: hostname(), pid: process.pid, startedAt }
  let written = metrics.requestCounts()

  async function writeCounts(): Promise<void> {
    const counted = metrics.requestCounts()
    const fresh = subtractCounts(counted, written)
    if (fresh.size === 0) return
    written = counted
    try {
      await addRequests(limits, fresh, clock())
    } catch (error) {
      // They are added the next time; those of a write that came through after all, once more.
      written = subtractCounts(written, fresh)
      throw error
    }
  }

  return {
    routes: systemRoutes({ ...parts, presence }),
    async keepUp() {
      await notePresence(limits, presence, clock())
      await writeCounts()
    },
    async end() {
      await writeCounts()
      await endPresence(limits, presence)
    },
  }
}

/** By environment: `later` without `earlier`, where anything is left. */
function subtractCounts(
  later: ReadonlyMap<string, RequestCounts>,
  earlier: ReadonlyMap<string, RequestCounts>,
): Map<string, RequestCounts> {
  const left = new Map<string, RequestCounts>()
  for (const [environment, { byLatency, errors }] of later) {
    const before = earlier.get(environment)
    const counts = {
      errors: errors - (before?.errors ?? 0),
      byLatency: byLatency.map((count, i) => count - (before?.byLatency[i] ?? 0)),
    }
    if (counts.errors > 0 || counts.byLatency.some((count) => count > 0))
      left.set(environment, counts)
  }
  return left
}
