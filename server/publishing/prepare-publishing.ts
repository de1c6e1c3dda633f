// What comes before serving: the database of publishing brought up to date, and the link by which the
// first operator makes an account.
import { prepareAccounts } from '../platform/accounts/prepare-accounts.ts'
import type { Clock } from '../platform/clock.ts'
import { migrateDatabase, openDatabase, type Place } from '../platform/database/open.ts'
import { publishingMigrations } from './database/migrations/publishing-migrations.ts'

/** Gives the token of the set-up link as long as there is no account: a new one each time. */
export async function preparePublishing(place: Place, clock: Clock): Promise<string | undefined> {
  await migrateDatabase(place, 'publishing', publishingMigrations)
  const database = openDatabase(place, 'publishing', { onError: () => {} })
  try {
    return await prepareAccounts(database, clock())
  } finally {
    await database.close()
  }
}
