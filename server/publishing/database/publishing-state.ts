// The one row that every write of publishing touches first: the lock that puts writes in order on
// PostgreSQL, and the version by which everything that is remembered of published sites is held.
import { lockAccounts } from '../../platform/accounts/lock-accounts.ts'
import type { Awaitable, Database, Session } from '../../platform/database/database.ts'
import { watchRow } from '../../platform/database/watch-row.ts'
import { prepareQuery } from './tables.ts'

const move = prepareQuery()((db) =>
  db.updateTable('publishing_state').set((eb) => ({ version: eb('version', '+', 1n) })),
)

/** Takes the lock, which accounts have in common with us, for a write that changes nothing published. */
export async function lockPublishing(session: Session): Promise<void> {
  await lockAccounts(session)
}

/** Takes the lock and moves the version: what is published changes with this write. */
export async function changePublished(session: Session): Promise<void> {
  await session.all(move, {})
}

/** The version, for whoever remembers something. */
export const versionNow = prepareQuery()((db) =>
  db.selectFrom('publishing_state').select('version'),
)

/**
 * The version as it is when it is asked for: no commit that was acknowledged before the call is missed. Those
 * who remember things share one, so that they share its questions. `onMoved` is called with each new one that
 * somebody notices.
 */
export function publishedVersions(
  database: Database,
  onMoved: (version: bigint) => void = () => {},
): () => Awaitable<bigint> {
  return watchRow(database, versionNow, ([version]) => {
    onMoved(version as bigint)
    return version as bigint
  })
}
