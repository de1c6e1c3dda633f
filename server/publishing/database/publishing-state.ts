// The row that every write of publishing changes or locks first: it puts writes in order on PostgreSQL, and has the
// version that caches of published sites depend on.
import type { Awaitable, Database, Session } from '#kit/database/database.ts'
import { epochsOf } from '#kit/database/epoch.ts'
import { transactionsUnder } from '#kit/database/transactions.ts'
import { watchRow } from '#kit/database/watch-row.ts'
import { prepare } from './tables.ts'

const move = prepare.update('publishing_state', { version: { add: 1n } }, {})

/** Takes the lock (transactions.ts) and changes the version, for a write that changes what is published. */
export async function changePublished(session: Session): Promise<void> {
  await session.all(move, {})
}

/** Transactions that change what is published. */
export const publishingTransaction = transactionsUnder(changePublished)

export const versionNow = prepare.select('publishing_state', ['version'], {})

/** For a database whose state is not what it was: all processes drop what they remember. */
export const startPublishingEpoch = epochsOf('publishing_state', ['version'])

/** Returns the current version, see watchRow. All caches share one, and so its queries. `onMoved` gets each new one. */
export function publishedVersions(
  database: Database,
  onMoved: (version: bigint) => void = () => {},
): () => Awaitable<bigint> {
  return watchRow(
    database,
    versionNow,
    ([version]) => {
      onMoved(version as bigint)
      return version as bigint
    },
    () => startPublishingEpoch(database),
  )
}
