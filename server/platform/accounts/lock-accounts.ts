// Writes on accounts take the lock that all writes of their database take: the one row of publishing. Had
// accounts a lock of their own, two processes could each wait for the one that the other has.
import type { Session } from '../database/database.ts'
import { queriesFor } from '../database/query.ts'

const prepareQuery = queriesFor<{ publishing_state: { id: bigint } }>()

const take = prepareQuery()((db) =>
  db.updateTable('publishing_state').set((eb) => ({ id: eb.ref('id') })),
)

/** To be called first in a write that reads something and acts on it. */
export async function lockAccounts(session: Session): Promise<void> {
  await session.all(take, {})
}
