// The versions of one environment, by which everything that is remembered of it is held.
import type { Awaitable, Database } from '../../platform/database/database.ts'
import { watchRow } from '../../platform/database/watch-row.ts'
import { prepareQuery } from './tables.ts'

export interface Versions {
  content: bigint
  keys: bigint
}

const versionsNow = prepareQuery()((db) =>
  db.selectFrom('store_state').select(['content_version', 'keys_version']),
)

/** Gives the versions as they are now: no commit that was acknowledged before the call is missed. */
export function watchVersions(database: Database): () => Awaitable<Versions> {
  return watchRow(database, versionsNow, ([content, keys]) => ({ content, keys }) as Versions)
}
