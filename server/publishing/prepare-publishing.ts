// Before serving: migrates the database of publishing and creates the link with which the first operator creates an
// account.
import { prepareAccounts } from '../platform/accounts/accounts.ts'
import type { Clock } from '../platform/clock.ts'
import type { Report } from '../platform/database/migrate.ts'
import { migrateDatabase, openDatabase, type Place } from '../platform/database/open.ts'
import { publishingMigrations } from './database/migrations/publishing-migrations.ts'

/** Returns a new token for the set-up link if there is no account yet. */
export async function preparePublishing(
  place: Place,
  clock: Clock,
  report?: Report,
): Promise<string | undefined> {
  await migrateDatabase(place, 'publishing', publishingMigrations, report)
  const database = openDatabase(place, 'publishing', { onError: () => {} })
  try {
    return await prepareAccounts(database, clock())
  } finally {
    await database.close()
  }
}
