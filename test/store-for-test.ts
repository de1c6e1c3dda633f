// The program in this process, stopped when the test has finished.
import { onTestFinished } from 'vitest'
import type { Engine } from './database.ts'
import { type RunningStore, type StartOptions, startStore } from './running-store.ts'

export async function storeForTest(engine: Engine, options?: StartOptions): Promise<RunningStore> {
  const store = await startStore(engine, options)
  onTestFinished(() => store.release())
  return store
}
