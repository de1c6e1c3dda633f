// This process among those that serve. It notices what is withdrawn, whoever withdrew it, cuts the connections
// that are still open, and says in its row how far it has come: that is what a removal waits for. A request
// that comes meanwhile is refused anyway, because every request looks at its host anew.
import { randomUUID } from 'node:crypto'
import type { Clock } from '../../../platform/clock.ts'
import { type Awaitable, type Database, each } from '../../../platform/database/database.ts'
import type { Connections } from '../../../platform/http/listener/connections.ts'
import { startPollLoop } from '../../../platform/jobs/poll-loop.ts'
import type { Logger } from '../../../platform/log.ts'
import { countCut, listWithdrawn, type WithdrawnHost } from '../../database/withdrawn-hosts.ts'
import { removeNodeTransaction, saveNode } from './nodes.ts'

export interface NodePresence {
  readonly id: string
  /** Cuts what has been withdrawn up to now. Never rejects: what failed is tried again in a while. */
  look(): Promise<void>
  /** It is no longer counted among those that serve. */
  stop(): Promise<void>
}

export interface PresenceOptions {
  database: Database
  clock: Clock
  /** Of what is published (state.ts). */
  versions: () => Awaitable<bigint>
  connections: Connections
  log: Logger
}

const heartbeatMs = 10_000
/** On SQLite looking is reading a number in memory. */
const lookEveryMs = { sqlite: 100, postgres: 500 } as const
const maxAtOnce = 5000

/** Resolves when it is counted. Rejects when the database does not answer. */
export async function startNodePresence(options: PresenceOptions): Promise<NodePresence> {
  const { clock, connections, database, log, versions } = options
  const id = randomUUID()
  // What was withdrawn before has no connections here.
  let seen = await versions()
  let counted: number | undefined
  await database.write(saveNodeTransaction, { id, version: seen, now: clock(), cuts: [] })

  /** Cuts what was withdrawn; false when there is more. */
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
    name: 'looking for withdrawn hosts',
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
    name: 'reporting that this node lives',
    log,
    intervalMs: heartbeatMs,
    startsNow: false,
    async poll() {
      await database.write(saveNodeTransaction, { id, version: seen, now: clock(), cuts: [] })
    },
  })

  return {
    id,
    look: watch.runNow,
    async stop() {
      await Promise.all([watch.stop(), heartbeat.stop()])
      await database.write(removeNodeTransaction, { id }).catch(() => {})
    },
  }
}

interface Entry {
  id: string
  version: bigint
  now: number
  cuts: (WithdrawnHost & { cut: number })[]
}

const saveNodeTransaction = each(async (session, { cuts, ...node }: Entry): Promise<void> => {
  for (const cut of cuts) await countCut(session, cut)
  await saveNode(session, node)
})
