// The presence of this process among the serving nodes. It detects withdrawn hosts, closes their open connections, and
// stores the version it has processed in its row, which a removal waits for. New requests are refused anyway, because
// every request looks up its host again.
import { randomUUID } from 'node:crypto'
import type { Clock } from '../../../platform/clock.ts'
import type { Awaitable, Database } from '../../../platform/database/database.ts'
import type { Connections } from '../../../platform/http/listener/connections.ts'
import { startPollLoop } from '../../../platform/jobs/poll-loop.ts'
import type { Logger } from '../../../platform/log.ts'
import { listWithdrawn } from '../../database/withdrawn-hosts.ts'
import { removeNodeTransaction, saveNodeTransaction } from './nodes.ts'

export type NodePresence = Awaited<ReturnType<typeof startNodePresence>>

export interface PresenceOptions {
  database: Database
  clock: Clock
  /** The version of published content (publishing-state.ts). */
  versions: () => Awaitable<bigint>
  connections: Connections
  log: Logger
}

const heartbeatMs = 10_000
/** On SQLite, polling reads a number in memory. */
const lookEveryMs = { sqlite: 100, postgres: 500 } as const
const maxAtOnce = 5000

/** Resolves when the node is registered. Rejects when the database is unavailable. */
export async function startNodePresence(options: PresenceOptions) {
  const { clock, connections, database, log, versions } = options
  const id = randomUUID()
  // Hosts withdrawn earlier have no connections here.
  let seen = await versions()
  let counted: number | undefined
  await database.write(saveNodeTransaction, { id, version: seen, now: clock(), cuts: [] })

  /** Closes the connections of withdrawn hosts. Returns false when there are more. */
  async function cutWithdrawn(): Promise<boolean> {
    const now = await versions()
    if (now <= seen) return true
    const found = await listWithdrawn(database.read, seen, maxAtOnce)
    // Those of one version belong together; the last one may not be whole.
    const isAll = found.length < maxAtOnce
    const upTo = isAll ? now : (found.at(-1)?.version ?? now) - 1n
    const cuts = found
      .filter(({ version }) => version <= upTo)
      .map((withdrawn) => ({ ...withdrawn, cut: connections.cut(withdrawn.host) }))
    if (cuts.length > 0) {
      await database.write(saveNodeTransaction, { id, version: upTo, now: clock(), cuts })
    }
    seen = upTo
    return isAll
  }

  const watch = startPollLoop({
    name: 'checking for withdrawn hosts',
    log,
    intervalMs: lookEveryMs[database.engine],
    async poll() {
      const counter = database.changeCounter()
      if (counter !== undefined && counter === counted) return
      while (!(await cutWithdrawn()));
      counted = counter
    },
  })
  const heartbeat = startPollLoop({
    name: 'sending the node heartbeat',
    log,
    intervalMs: heartbeatMs,
    startsNow: false,
    async poll() {
      await database.write(saveNodeTransaction, { id, version: seen, now: clock(), cuts: [] })
    },
  })

  return {
    id,
    /** Closes connections of hosts withdrawn so far. Never rejects: failures are retried. */
    look: watch.runNow,
    /** Removes this process from the serving nodes. */
    async stop(): Promise<void> {
      await Promise.all([watch.stop(), heartbeat.stop()])
      await database.write(removeNodeTransaction, { id }).catch(() => {})
    },
  }
}
