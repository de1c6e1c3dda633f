// A new place for data, released when the test has finished.
import { onTestFinished } from 'vitest'
import { createTestDatabase, type Engine, type TestDatabase } from './database.ts'

export async function placeForTest(engine: Engine, isMigrated = true): Promise<TestDatabase> {
  const place = await createTestDatabase(engine, isMigrated)
  onTestFinished(() => place.release())
  return place
}

/** Nothing is in its folder, and its database has no schema of the program. */
export const emptyPlace = (engine: Engine): Promise<TestDatabase> => placeForTest(engine, false)
