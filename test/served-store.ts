// The program in a separate process on a new database, for tests that need several workers, the command line or the log.

import { createTestDatabase, type Engine, type TestDatabase } from './database.ts'
import { type Answer, type AskOptions, ask } from './running-store.ts'
import {
  type CommandResult,
  runCommand,
  type ServedProcess,
  serveProcess,
} from './served-process.ts'

export interface ServedStore {
  place: TestDatabase
  process: ServedProcess
  keys: { production: string; staging: string }
  /** Each request uses a new connection, so that all workers get requests. */
  ask(path: string, options?: AskOptions): Promise<Answer>
  askStaging(path: string, options?: AskOptions): Promise<Answer>
  /** Runs a command on the same data: `command('keys', 'list', …)`. */
  command(...words: string[]): Promise<CommandResult>
  /** Stops the store and deletes its data. */
  release(): Promise<void>
}

/** Serves with WORKERS=1 by default. */
export async function serveStore(
  engine: Engine,
  env: Record<string, string> = {},
): Promise<ServedStore> {
  const place = await createTestDatabase(engine)
  const process = await serveProcess(place, env).catch(async (error) => {
    await place.release()
    throw error
  })
  const { port } = process
  const { production = '', staging = '' } = process.keys
  const base = new URL(`http://localhost:${port}/v1`)
  const stagingBase = new URL(`http://staging.localhost:${port}/v1`)
  return {
    place,
    process,
    keys: { production, staging },
    ask: (path, options) => ask(port, base, production, path, options),
    askStaging: (path, options) => ask(port, stagingBase, staging, path, options),
    command: (...words) => runCommand(place, words),
    async release() {
      await process.end('SIGKILL')
      await place.release()
    },
  }
}
