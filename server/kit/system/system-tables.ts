// The system tables, which allowance-migrations.ts creates: the running processes of all nodes, each of which records its
// presence regularly, and requests per minute for the last hours, summed over all processes. Each process regularly adds its
// new counts. If it crashes, up to 30 seconds of counts are lost.
import type { AllowanceTables } from '../allowances/allowance-migrations.ts'
import type { Database } from '../database/database.ts'
import { seenWithinMs } from '../database/engines/migrate.ts'
import { plainRow } from '../database/plain-row.ts'
import { queriesFor, statementsFor, type Value } from '../database/query.ts'
import { unlocked } from '../database/transactions.ts'
import { latencyBounds, type RequestCounts } from '../metrics.ts'

/** Response counts by latency: one for each bound, and one for longer times. */
export const latencyColumns = Array.from(
  { length: latencyBounds.length + 1 },
  (_, i) => `within_${i}` as const,
)

export const prepareQuery = queriesFor<AllowanceTables>()
export const prepare = statementsFor<AllowanceTables>()

const upsert = prepare.upsert(
  'processes',
  { id: 'id' },
  { seen_at: 'now' },
  { node: 'node', pid: 'pid', started_at: 'started', version: 'version' },
)
const forgetStopped = prepare.delete('processes', { seen_at: { '<=': 'until' } })
const remove = prepare.delete('processes', { id: 'id' })
const all = prepare.select(
  'processes',
  ['node', 'pid', 'started_at', 'seen_at', 'version'],
  { seen_at: { '>': 'after' } },
  { orderBy: ['node', 'pid'], limit: 1000 },
)

export interface Presence {
  id: string
  node: string
  pid: number
  startedAt: number
  /** Of the program. */
  version: string
}

/** Records that a process is running, and deletes stopped ones. */
export const recordPresence = unlocked(async (session, presence: Presence, now: number) => {
  const { id, node, pid, startedAt: started, version } = presence
  await session.all(upsert, { id, node, pid, started, version, now })
  await session.all(forgetStopped, { until: now - seenWithinMs })
})

/** Removes a process that stops. */
export const endPresence = unlocked(async (session, { id }: Presence) => {
  await session.all(remove, { id })
})

/** The processes that were seen recently. */
export async function listProcesses({ read }: Database, now: number) {
  return (await read.all(all, { after: now - seenWithinMs })).map(plainRow)
}

export const maxMinutes = 360
const minuteMs = 60_000

function minuteOf(now: number): number {
  return Math.floor(now / minuteMs)
}

type Row = Record<string, Value>

const add = prepareQuery<Row>()((db, param) =>
  db
    .insertInto('request_minutes')
    .values({
      minute: param('minute') as bigint,
      environment: param('environment') as string,
      errors: param('errors') as bigint,
      ...columnsOf((column) => param(column) as bigint),
    })
    .onConflict((conflict) =>
      conflict.columns(['minute', 'environment']).doUpdateSet((eb) => ({
        errors: eb('request_minutes.errors', '+', eb.ref('excluded.errors')),
        ...columnsOf((column) =>
          eb(`request_minutes.${column}`, '+', eb.ref(`excluded.${column}`)),
        ),
      })),
    ),
)
const forgetOld = prepare.delete('request_minutes', { minute: { '<=': 'until' } })
const since = prepare.select(
  'request_minutes',
  ['minute', 'environment', 'errors', ...latencyColumns],
  { minute: { '>': 'after' } },
  { orderBy: ['environment', 'minute'], limit: maxMinutes * 20 },
)

/** Adds counts by environment to the minute of `now`, and deletes old minutes. */
export const addRequests = unlocked(
  async (session, counts: ReadonlyMap<string, RequestCounts>, now: number) => {
    const minute = minuteOf(now)
    // Sorted, so that all processes lock the rows in the same order and cannot deadlock.
    for (const environment of [...counts.keys()].sort()) {
      const { byLatency, errors } = counts.get(environment) as RequestCounts
      const columns = latencyColumns.map((column, i) => [column, byLatency[i] ?? 0])
      await session.all(add, { minute, environment, errors, ...Object.fromEntries(columns) })
    }
    await session.all(forgetOld, { until: minute - maxMinutes })
  },
)

/** The last `minutes` minutes, including the current one, which is incomplete; with a series for each environment. */
export async function readHistory({ read }: Database, minutes: number, now: number) {
  const last = minuteOf(now)
  const first = last - minutes + 1
  const rows = (await read.all(since, { after: first - 1 })) as Row[]
  const byEnvironment = Map.groupBy(rows, ({ environment }) => String(environment))
  return {
    minutes: Array.from({ length: minutes }, (_, i) => (first + i) * minuteMs),
    series: [...byEnvironment].map(([environment, its]) =>
      seriesOf(environment, its, first, minutes),
    ),
  }
}

/** One value per minute, in order. Latencies are null in minutes without requests. */
function seriesOf(environment: string, rows: Row[], first: number, minutes: number) {
  const byMinute = new Map(rows.map((row) => [Number(row.minute) - first, row]))
  const all = Array.from({ length: minutes }, (_, i) => {
    const row = byMinute.get(i)
    const counts = latencyColumns.map((column) => Number(row?.[column] ?? 0))
    return {
      errors: Number(row?.errors ?? 0),
      requests: counts.reduce((sum, count) => sum + count, 0),
      at: (q: number) => latencyQuantile(q, counts, latencyBounds),
    }
  })
  return {
    environment,
    requests: all.map(({ requests }) => requests),
    errors: all.map(({ errors }) => errors),
    p50Ms: all.map(({ at }) => at(0.5)),
    p95Ms: all.map(({ at }) => at(0.95)),
    p99Ms: all.map(({ at }) => at(0.99)),
  }
}

function columnsOf<T>(
  make: (column: (typeof latencyColumns)[number]) => T,
): Record<(typeof latencyColumns)[number], T> {
  const entries = latencyColumns.map((column) => [column, make(column)])
  return Object.fromEntries(entries) as Record<(typeof latencyColumns)[number], T>
}

/**
 * Estimates the latency quantile `q` in milliseconds; null without any counts. `bounds` are in seconds and ascend.
 * `counts` has one more entry, for values above the last bound, which are reported as the last bound.
 */
export function latencyQuantile(
  q: number,
  counts: readonly number[],
  bounds: readonly number[],
): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const rank = q * total
  let before = 0
  for (const [i, count] of counts.entries()) {
    if (before + count < rank || count === 0) {
      before += count
      continue
    }
    const from = i === 0 ? 0 : (bounds[i - 1] as number)
    const to = bounds[i] ?? from
    return round(1000 * (from + ((to - from) * (rank - before)) / count))
  }
  return round(1000 * (bounds.at(-1) ?? 0))
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000
}
