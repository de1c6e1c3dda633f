// Opens the system status of a process: its routes, its presence and its request counts.
import { hostname } from 'node:os'
import { readProgramVersion } from '../config/program-version.ts'
import { createRecordId } from '../identifiers.ts'
import { bindRoutes } from '../management/route.ts'
import type { RequestCounts } from '../metrics.ts'
import { endPresence, recordPresence } from './processes.ts'
import { addRequests } from './request-history.ts'
import { type SystemParts, systemRoutes } from './routes.ts'

export function openSystem(parts: SystemParts) {
  const { clock, limits, metrics } = parts
  const startedAt = clock()
  const version = readProgramVersion()
  const id = createRecordId('prc', startedAt)
  const presence = { id, node: hostname(), pid: process.pid, startedAt, version }
  let saved = metrics.requestCounts()

  async function saveCounts(): Promise<void> {
    const counted = metrics.requestCounts()
    const added = subtractCounts(counted, saved)
    if (added.size === 0) return
    saved = counted
    try {
      await addRequests(limits, added, clock())
    } catch (error) {
      // Retried at the next call. If the write succeeded after all, these requests are counted twice.
      saved = subtractCounts(saved, added)
      throw error
    }
  }

  return {
    /** Routes for the management API. */
    routes: bindRoutes(systemRoutes, { ...parts, presence }),
    /** Saves the requests counted since the last call, and that this process is running. */
    async maintain() {
      await recordPresence(limits, presence, clock())
      await saveCounts()
    },
    /** Saves the last counts and removes this process from the list. */
    async end() {
      await saveCounts()
      await endPresence(limits, presence)
    },
  }
}

/** The difference by environment; environments without new requests are left out. */
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
