// The running processes of all nodes. Each one records its presence regularly.

import type { Database } from '../database/database.ts'
import { seenWithinMs } from '../database/engines/migrate.ts'
import { plainRow } from '../database/plain-row.ts'
import { unlocked } from '../database/transactions.ts'
import { prepare } from './system-tables.ts'

const upsert = prepare.upsert(
  'processes',
  { id: 'id' },
  { seen_at: 'now' },
  { node: 'node', pid: 'pid', started_at: 'started', version: 'version' },
)
const forget = prepare.delete('processes', { seen_at: { '<=': 'until' } })
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
  await session.all(forget, { until: now - seenWithinMs })
})

/** Removes a process that stops. */
export const endPresence = unlocked(async (session, { id }: Presence) => {
  await session.all(remove, { id })
})

/** The processes that were seen recently. */
export async function listProcesses({ read }: Database, now: number) {
  return (await read.all(all, { after: now - seenWithinMs })).map(plainRow)
}
