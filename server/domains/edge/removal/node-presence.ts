// Proves that a removed host is offline on every node. Each serving process has a row in `nodes`, written at its start
// and every ten seconds, and deleted when it stops; without a heartbeat for 30 s it counts as dead. It closes the open
// connections of withdrawn hosts, and stores the version of published content up to which it has done so. New requests
// are refused anyway, because each looks up its host again.
// A removal waits until all living nodes have its version, then tests with real connections to the server's own ports
// that new clients are refused.

import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '#kit/clock.ts'
import type { Config } from '#kit/config/config.ts'
import type { Awaitable, Database, Session } from '#kit/database/database.ts'
import { takeLock, unlocked } from '#kit/database/transactions.ts'
import type { Connections } from '#kit/http/listener/connections.ts'
import { oldRowsOf } from '#kit/jobs/delete-old-rows.ts'
import { startPollLoop } from '#kit/jobs/poll-loop.ts'
import type { Logger } from '#kit/log.ts'
import { sendRequest, shakeHands, urlOfAddress } from '#kit/network/http-client.ts'
import { addCutConnections, findCut, listWithdrawn } from '#publishing/database/publishing-state.ts'
import { type PublishingTables, prepare } from '#publishing/database/tables.ts'

type NodePresence = Awaited<ReturnType<typeof startNodePresence>>

interface PresenceOptions {
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
  let savedAt = 0
  const save = async (version: bigint, cuts: Heartbeat['cuts']): Promise<void> => {
    await saveNode(database, { id, version, seenAt: clock(), cuts })
    savedAt = performance.now()
  }
  await save(seen, [])

  /** Closes the connections of withdrawn hosts. Returns false when there are more. */
  async function cutWithdrawn(): Promise<boolean> {
    const now = await versions()
    if (now < seen) {
      // The database lost commits, or was restored: what was claimed of later versions is not true of its next ones.
      await save(now, [])
      seen = now
    }
    if (now === seen) return true
    const removals = await listWithdrawn(database.read, seen, maxAtOnce)
    // Those of one version belong together; the last one may not be whole.
    const isAll = removals.length < maxAtOnce
    const upTo = isAll ? now : (removals.at(-1)?.version ?? now) - 1n
    const cuts = removals
      .filter(({ version }) => version <= upTo)
      .map((withdrawn) => ({ ...withdrawn, cut: connections.cut(withdrawn.host) }))
    if (cuts.length > 0) await save(upTo, cuts)
    seen = upTo
    return isAll
  }

  const watch = startPollLoop({
    name: 'checking for withdrawn hosts',
    log,
    intervalMs: lookEveryMs[database.engine],
    async poll() {
      const counter = database.changeCounter()
      if (counter === undefined || counter !== counted) while (!(await cutWithdrawn()));
      counted = counter
      if (performance.now() - savedAt >= heartbeatMs) await save(seen, [])
    },
  })

  return {
    id,
    /** Closes connections of hosts withdrawn so far. Never rejects: failures are retried. */
    look: watch.runNow,
    /** Removes this process from the serving nodes. */
    async stop(): Promise<void> {
      await watch.stop()
      await removeNode(database, { id }).catch(() => {})
    },
  }
}

/** A node not seen for this long is considered dead. */
const nodeTimeoutMs = 30_000

/** Rows of dead nodes are kept this long. */
const nodeRetentionMs = 10 * 60_000
const maxNodes = 1000

const enter = prepare.upsert('nodes', { id: 'id' }, { seen_at: 'seenAt', version: 'version' })
const leave = prepare.delete('nodes', { id: 'id' })
const all = prepare.select(
  'nodes',
  ['id', 'version'],
  { seen_at: { '>': 'since' } },
  { limit: maxNodes },
)

interface Heartbeat {
  id: string
  /** Connections of hosts withdrawn up to this version are closed. */
  version: bigint
  seenAt: number
  /** How many connections were closed since the last heartbeat. */
  cuts: { host: string; version: bigint; cut: number }[]
}

const saveNode = unlocked(async (session, { cuts, ...node }: Heartbeat) => {
  for (const cut of cuts) await addCutConnections(session, cut)
  await session.all(enter, node)
})

const removeNode = unlocked(async (session, node: { id: string }) => {
  await session.all(leave, node)
})

export async function listLivingNodes(session: Session, now: number) {
  return await session.all(all, { since: now - nodeTimeoutMs })
}

export const deleteDeadNodes = oldRowsOf<PublishingTables>()({
  table: 'nodes',
  key: ['id'],
  time: 'seen_at',
  keptMs: nodeRetentionMs,
  lock: takeLock,
})

interface RemovalContext {
  config: Pick<Config, 'httpPort' | 'httpsPort' | 'listenAddress'>
  database: Database
  clock: Clock
  /** Undefined for a process that does not serve. */
  node: (() => NodePresence | undefined) | undefined
}

const waitMs = 5000
const probeMs = 2000
const askEveryMs = { sqlite: 10, postgres: 25 } as const

export type VerifyRemoval = ReturnType<typeof createRemovalVerifier>

/** Takes less than ten seconds; throws where the database does. `since`: when the removal began, by `performance.now()`. */
export function createRemovalVerifier({ clock, config, database, node }: RemovalContext) {
  const { httpPort, httpsPort, listenAddress } = config
  const address = ['::', '0.0.0.0'].includes(listenAddress) ? '127.0.0.1' : listenAddress

  async function untilAcknowledged(version: bigint, since: number) {
    for (;;) {
      const nodes = await listLivingNodes(database.read, clock())
      const acknowledged = nodes.filter((row) => row.version >= version).length
      const isLate = performance.now() - since > waitMs
      if (isLate || acknowledged === nodes.length) return { acknowledged, living: nodes.length }
      await delay(askEveryMs[database.engine])
    }
  }

  return async ({ host, version }: { host: string; version: bigint }, since: number) => {
    await node?.()?.look()
    const nodes = await untilAcknowledged(version, since)
    const seconds = Math.round(performance.now() - since) / 1000
    const isServing = nodes.living > 0
    const [tls, http, connectionsCut] = await Promise.all([
      isServing && httpsPort ? probeTls(host, address, httpsPort) : null,
      isServing && httpPort ? probeHttp(host, address, httpPort) : null,
      findCut(database.read, { host, version }),
    ])
    return { seconds, nodes, connectionsCut, tls, http }
  }
}

/** The identity does not matter: any completed handshake counts as an answer. */
async function probeTls(host: string, address: string, port: number) {
  const shown = await shakeHands(host, address, port, probeMs)
  if ('certificate' in shown) return 'answered'
  return /UNRECOGNIZED_NAME/.test(shown.code) ? 'refused' : 'no_answer'
}

async function probeHttp(host: string, address: string, port: number): Promise<number | null> {
  try {
    const { status } = await sendRequest(urlOfAddress(address, port, '/'), {
      method: 'HEAD',
      headers: { host },
      timeoutMs: probeMs,
      maxBytes: 0,
      oversize: 'truncate',
    })
    return status
  } catch {
    return null
  }
}
