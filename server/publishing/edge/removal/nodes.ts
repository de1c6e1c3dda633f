// The processes that serve, as the database knows them: that each one lives, and up to which version it has cut
// what is no longer served.
import { type Database, each, type Session } from '../../../platform/database/database.ts'
import { prepareQuery } from '../../database/tables.ts'

/** A node that has not been heard of for so long is dead. */
export const nodeTimeoutMs = 30_000

/** Rows of the dead are kept for so long. */
const nodeRetentionMs = 10 * 60_000
const maxNodes = 1000

const enter = prepareQuery<{ id: string; now: number; version: bigint }>()((db, param) =>
  db
    .insertInto('nodes')
    .values({ id: param('id'), seen_at: param('now'), version: param('version') })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({
        seen_at: param('now'),
        version: param('version'),
      }),
    ),
)
const leave = prepareQuery<{ id: string }>()((db, param) =>
  db.deleteFrom('nodes').where('id', '=', param('id')),
)
const all = prepareQuery<{ since: number; most: number }>()((db, param) =>
  db
    .selectFrom('nodes')
    .select(['id', 'version'])
    .where('seen_at', '>', param('since'))
    .limit(param('most')),
)
const forget = prepareQuery<{ before: number }>()((db, param) =>
  db.deleteFrom('nodes').where('seen_at', '<', param('before')),
)

export interface NodeRow {
  id: string
  /** Everything that was withdrawn up to it has been cut there. */
  version: bigint
}

/** Says that a node lives, and how far it is; inside a write. */
export async function saveNode(session: Session, node: NodeRow & { now: number }): Promise<void> {
  await session.all(enter, { ...node })
}

/** For a group commit. */
export const removeNodeTransaction = each(
  async (session, { id }: { id: string }): Promise<void> => {
    await session.all(leave, { id })
  },
)

export async function listLivingNodes(session: Session, now: number): Promise<NodeRow[]> {
  return await session.all(all, { since: now - nodeTimeoutMs, most: maxNodes })
}

export async function deleteDeadNodes(database: Database, now: number): Promise<void> {
  await database.write(deleteTransaction, { before: now - nodeRetentionMs })
}

const deleteTransaction = each(async (session, { before }: { before: number }): Promise<void> => {
  await session.all(forget, { before })
})
