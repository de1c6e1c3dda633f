// What comes before serving: databases brought up to date, and what a first start does. Loads nothing
// of the application, so that the process that only starts the others stays small and starts fast.
import { allInOrder } from '../platform/all-in-order.ts'
import { allowanceMigrations } from '../platform/allowances/allowance-migrations.ts'
import type { Clock } from '../platform/clock.ts'
import type { Report } from '../platform/database/migrate.ts'
import { migrateDatabase, type Place, withDatabase } from '../platform/database/open.ts'
import { type EnvironmentName, environmentNames } from './database/environment-name.ts'
import { storeMigrations } from './database/migrations/store-migrations.ts'
import { initialise } from './environments/first-start.ts'

/** Gives the keys that were made: one for each environment at the first start, none ever after. */
export async function prepareStore(
  place: Place,
  clock: Clock,
  report?: Report,
): Promise<Partial<Record<EnvironmentName, string>>> {
  const keys: Partial<Record<EnvironmentName, string>> = {}
  const environments = environmentNames.map((name) =>
    withDatabase(place, { name, migrations: storeMigrations, report }, async (database) => {
      const key = await initialise(database, name, clock())
      if (key !== undefined) keys[name] = key
    }),
  )
  await allInOrder([migrateDatabase(place, 'limits', allowanceMigrations, report), ...environments])
  return keys
}
