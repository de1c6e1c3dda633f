// Writes to accounts take the same lock as all writes to the publishing database: the single row of
// `publishing_state`. With a separate lock, two processes could deadlock.
import { type Session, transactionsUnder } from '#kit/database/database.ts'
import { queriesFor } from '#kit/database/query.ts'

const prepareQuery = queriesFor<{ publishing_state: { id: bigint } }>()

const take = prepareQuery()((db) =>
  db.updateTable('publishing_state').set((eb) => ({ id: eb.ref('id') })),
)

/** Call this first in a transaction that reads data and then writes depending on it. */
export async function lockAccounts(session: Session): Promise<void> {
  await session.all(take, {})
}

/** Transactions that hold the lock. */
export const transaction = transactionsUnder(lockAccounts)
