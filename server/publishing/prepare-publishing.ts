// Before serving: migrates the database of publishing and creates the link with which the first operator creates an
// account.
import { prepareAccounts } from '#accounts/people/accounts.ts'
import type { Clock } from '#kit/clock.ts'
import type { Report } from '#kit/database/engines/migrate.ts'
import { type Place, withDatabase } from '#kit/database/engines/open.ts'
import { publishingMigrations } from './database/migrations/publishing-migrations.ts'

/** Returns a new token for the set-up link if there is no account yet. */
export function preparePublishing(
  place: Place,
  clock: Clock,
  report?: Report,
): Promise<string | undefined> {
  const publishing = { name: 'publishing', migrations: publishingMigrations, report }
  return withDatabase(place, publishing, (database) => prepareAccounts(database, clock()))
}
