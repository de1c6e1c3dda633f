// A new place for data, released when the test has finished.
import { onTestFinished } from 'vitest'
import { createTestDatabase, type Engine, type TestDatabase } from './database.ts'

export async function useTestDatabase(engine: Engine): Promise<TestDatabase> {
  const place = await createTestDatabase(engine)
  onTestFinished(() => place.release())
  return place
}
