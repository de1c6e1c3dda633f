// The operations on the system status, with the presence of this process and its request counts. Values that cannot be read
// are null.

import { hostname } from 'node:os'
import { sql } from 'kysely'
import type { BackupStatus } from '../backups/open-backups.ts'
import { type Clock, timeOrNull, toTimestamp } from '../clock.ts'
import { type Config, readProgramVersion } from '../config/config.ts'
import { type Database, getOne } from '../database/database.ts'
import { queriesFor } from '../database/query.ts'
import { createRecordId } from '../identifiers.ts'
import { bindRoutes, routesOf } from '../management/route.ts'
import type { Metrics, RequestCounts } from '../metrics.ts'
import { toWire } from '../schema/described-schema.ts'
import { System, SystemHistory, SystemHistoryQuery } from './schema.ts'
import {
  addRequests,
  endPresence,
  listProcesses,
  type Presence,
  readHistory,
  recordPresence,
} from './system-tables.ts'

export interface SystemParts {
  config: Config
  clock: Clock
  metrics: Metrics
  /** The database for data that may be lost in a crash. */
  limits: Database
  /** All databases, by name. */
  databases: Record<string, Database>
  /** Pending webhook deliveries, by environment. */
  queues: Record<string, () => Promise<{ length: number; oldestSeconds: number }>>
  countDeploysUnderWay(): Promise<number>
  /** Undefined if no node has scheduled backups. */
  readBackups(): Promise<BackupStatus | undefined>
  /** Certificates in use, those that expire within a week, and hosts whose last request failed. */
  countCertificates(): Promise<{ inUse: number; endWithinWeek: number; failing: number }>
}

type SystemContext = SystemParts & { presence: Presence }

const route = routesOf<SystemContext>({ tag: 'system', access: 'operator' })

export const systemRoutes = [
  route('GET /system', 'getSystem', {
    summary: 'Get system status',
    returns: System,
    async handle(_, context) {
      const { clock, config, databases, limits, presence } = context
      const now = clock()
      const names = Object.entries(databases)
      const checked = await Promise.all(names.map(([name, one]) => checkDatabase(name, one)))
      const processes = (await orUndefined(() => listProcesses(limits, now))) ?? []
      const { node, pid, startedAt, version } = presence
      const others = processes.filter((one) => one.node !== node || one.pid !== pid)
      return {
        version,
        nodeVersion: process.versions.node,
        engine: limits.engine,
        isReady: checked.every(({ isReady }) => isReady),
        startedAt: toTimestamp(startedAt),
        uptimeSeconds: Math.max(0, Math.floor((now - startedAt) / 1000)),
        workers: config.workers,
        processes: [{ node, pid, version, startedAt, seenAt: now }, ...others].map((one) =>
          toWire(System.properties.processes.items, { ...one, version: String(one.version) }),
        ),
        databases: checked,
        queues: await readQueues(context),
        deploysUnderWay: (await orUndefined(context.countDeploysUnderWay)) ?? null,
        certificates: (await orUndefined(context.countCertificates)) ?? null,
        backups: await orUndefined(context.readBackups).then((status) =>
          status ? backupsOf(status) : null,
        ),
        addresses: {
          listen: config.listenAddress,
          httpPort: config.httpPort,
          httpsPort: config.httpsPort ?? null,
          production: config.baseUrl.href,
          staging: config.stagingBaseUrl.href,
          dashboard: config.dashboardUrl.href,
          platformHost: config.platformHost,
        },
      }
    },
  }),
  route('GET /system/history', 'getSystemHistory', {
    summary: 'Get request counts and latencies',
    description:
      'Per minute for the last six hours, summed over all processes. Each process saves its counts every 30 seconds; requests are counted in the minute of the save. If a process crashes, its unsaved counts are lost. If PostgreSQL crashes, the whole history is lost.',
    query: SystemHistoryQuery,
    returns: SystemHistory,
    async handle({ query: { minutes } }, { clock, limits }) {
      const history = await readHistory(limits, minutes, clock())
      return { minutes: history.minutes.map(toTimestamp), series: history.series }
    },
  }),
] as const

async function readQueues({ queues }: SystemContext) {
  return await Promise.all(
    Object.entries(queues).map(async ([environment, read]) => {
      const queue = await orUndefined(read)
      return {
        environment,
        length: queue?.length ?? null,
        oldestSeconds: queue?.oldestSeconds ?? null,
      }
    }),
  )
}

const prepareQuery = queriesFor<Record<never, never>>()
type Size = { bytes: bigint }

/** The size of the database file, without its write-ahead log. */
const sizeOnSqlite = prepareQuery()(
  () => sql<Size>`select (select page_count from pragma_page_count())
    * (select page_size from pragma_page_size()) as bytes`,
)
/** The size of all tables and indexes in the schema. */
const sizeOnPostgres = prepareQuery()(
  () => sql<Size>`select coalesce(sum(pg_total_relation_size(oid)), 0)::bigint as bytes
    from pg_class where relkind in ('r', 'm') and relnamespace = current_schema()::regnamespace`,
)

/** Whether a database responds, how fast, and its size. Never throws: database calls have their own time-outs. */
async function checkDatabase(name: string, database: Database) {
  const start = performance.now()
  const query = database.engine === 'sqlite' ? sizeOnSqlite : sizeOnPostgres
  const count = await Promise.resolve()
    .then(() => getOne(database.read, query, {}))
    .catch(() => undefined)
  return {
    name,
    isReady: count !== undefined,
    milliseconds: Math.round((performance.now() - start) * 1000) / 1000,
    sizeBytes: count ? Number(count.bytes) : null,
  }
}

function backupsOf({ isOld, last, lastFailure, nextAt }: BackupStatus) {
  return {
    last: last
      ? {
          createdAt: toTimestamp(last.at),
          node: last.node,
          file: last.file,
          sizeBytes: last.bytes,
          seconds: last.ms / 1000,
        }
      : null,
    nextAt: toTimestamp(nextAt),
    lastFailureAt: timeOrNull(lastFailure?.at),
    lastFailure: lastFailure?.message ?? null,
    isOld,
  }
}

async function orUndefined<T>(ask: () => Promise<T>): Promise<T | undefined> {
  return await ask().catch(() => undefined)
}

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
