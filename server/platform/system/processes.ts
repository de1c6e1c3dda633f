// The processes that serve, on all nodes: each says now and then that it is there.
import { type Database, each } from '../database/database.ts'
import { prepareQuery } from './system-tables.ts'

export interface ServingProcess {
  /** The machine's name. */
  node: string
  pid: number
  /** Milliseconds since the epoch. */
  startedAt: number
  seenAt: number
}

/** Who was not seen for so long is gone. */
export const seenWithinMs = 90_000

const upsert = prepareQuery<{
  id: string
  node: string
  pid: number
  started: number
  now: number
}>()((db, param) =>
  db
    .insertInto('processes')
    .values({
      id: param('id'),
      node: param('node'),
      pid: param('pid'),
      started_at: param('started'),
      seen_at: param('now'),
    })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: param('now') })),
)
const forget = prepareQuery<{ until: number }>()((db, param) =>
  db.deleteFrom('processes').where('seen_at', '<=', param('until')),
)
const remove = prepareQuery<{ id: string }>()((db, param) =>
  db.deleteFrom('processes').where('id', '=', param('id')),
)
const all = prepareQuery<{ after: number }>()((db, param) =>
  db
    .selectFrom('processes')
    .select(['node', 'pid', 'started_at', 'seen_at'])
    .where('seen_at', '>', param('after'))
    .orderBy('node')
    .orderBy('pid')
    .limit(1000),
)

export interface Presence {
  id: string
  node: string
  pid: number
  startedAt: number
}

/** Says that a process is there, and forgets those that are gone. */
export async function notePresence(
  database: Database,
  presence: Presence,
  now: number,
): Promise<void> {
  await database.write(noting, { presence, now })
}

/** A process that ends says so. */
export async function endPresence(database: Database, { id }: Presence): Promise<void> {
  await database.write(ending, id)
}

const noting = each(async (session, { now, presence }: { now: number; presence: Presence }) => {
  const { id, node, pid, startedAt: started } = presence
  await session.all(upsert, { id, node, pid, started, now })
  await session.all(forget, { until: now - seenWithinMs })
})
const ending = each(async (session, id: string) => {
  await session.all(remove, { id })
})

/** Those that were seen lately. */
export async function listProcesses({ read }: Database, now: number): Promise<ServingProcess[]> {
  const rows = await read.all(all, { after: now - seenWithinMs })
  return rows.map((row) => ({
    node: row.node,
    pid: Number(row.pid),
    startedAt: Number(row.started_at),
    seenAt: Number(row.seen_at),
  }))
}
