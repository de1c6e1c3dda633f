// Prepares the store before serving: migrates its databases, and does what a first start does. Loads nothing of the
// application, so that the process that only starts the others stays small and starts fast.

import { allowanceMigrations } from '#kit/allowances/allowance-migrations.ts'
import type { Clock } from '#kit/clock.ts'
import type { Report } from '#kit/database/engines/migrate.ts'
import { migrateDatabase, type Place, withDatabase } from '#kit/database/engines/open.ts'
import { allInOrder } from '#kit/promises.ts'
import { type EnvironmentName, environmentNames } from './database/environment-name.ts'
import { storeMigrations } from './database/migrations/store-migrations.ts'
import { createFirstKeys, initialise } from './environments/first-start.ts'

/**
 * Gives the texts of those of `first` that were created: one for each environment at the first start, none ever after.
 * What is repeated passes the same ones: an attempt that failed may have created them.
 */
export async function prepareStore(
  place: Place,
  clock: Clock,
  report?: Report,
  first = createFirstKeys(),
): Promise<Partial<Record<EnvironmentName, string>>> {
  const keys: Partial<Record<EnvironmentName, string>> = {}
  const environments = environmentNames.map((name) =>
    withDatabase(place, { name, migrations: storeMigrations, report }, async (database) => {
      if (await initialise(database, name, clock(), first[name])) keys[name] = first[name].text
    }),
  )
  await allInOrder([migrateDatabase(place, 'limits', allowanceMigrations, report), ...environments])
  return keys
}
