// The serving nodes in the database: when each was last seen, and up to which version it has closed connections of
// withdrawn hosts.
import { each, type Session } from '../../../platform/database/database.ts'
import { oldRowsOf } from '../../../platform/jobs/delete-old-rows.ts'
import { lockPublishing } from '../../database/publishing-state.ts'
import { type PublishingTables, prepareQuery } from '../../database/tables.ts'
import { addCutConnections } from '../../database/withdrawn-hosts.ts'

/** A node not seen for this long is considered dead. */
export const nodeTimeoutMs = 30_000

/** Rows of dead nodes are kept this long. */
const nodeRetentionMs = 10 * 60_000
const maxNodes = 1000

const enter = prepareQuery<{ id: string; now: number; version: bigint }>()((db, param) =>
  db
    .insertInto('nodes')
    .values({ id: param('id'), seen_at: param('now'), version: param('version') })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({ seen_at: param('now'), version: param('version') }),
    ),
)
const leave = prepareQuery<{ id: string }>()((db, param) =>
  db.deleteFrom('nodes').where('id', '=', param('id')),
)
const all = prepareQuery<{ since: number; max: number }>()((db, param) =>
  db
    .selectFrom('nodes')
    .select(['id', 'version'])
    .where('seen_at', '>', param('since'))
    .limit(param('max')),
)

interface Heartbeat {
  id: string
  /** Connections of hosts withdrawn up to this version are closed. */
  version: bigint
  now: number
  /** How many connections were closed since the last heartbeat. */
  cuts: { host: string; version: bigint; cut: number }[]
}

export const saveNodeTransaction = each(
  async (session, { cuts, ...node }: Heartbeat): Promise<void> => {
    for (const cut of cuts) await addCutConnections(session, cut)
    await session.all(enter, node)
  },
)

export const removeNodeTransaction = each(async (session, node: { id: string }): Promise<void> => {
  await session.all(leave, node)
})

export async function listLivingNodes(session: Session, now: number) {
  return await session.all(all, { since: now - nodeTimeoutMs, max: maxNodes })
}

export const deleteDeadNodes = oldRowsOf<PublishingTables>()({
  table: 'nodes',
  key: ['id'],
  time: 'seen_at',
  keptMs: nodeRetentionMs,
  lock: lockPublishing,
})
