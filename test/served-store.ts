// The program in a separate process on a new database, for tests that need several workers, the command line or the log.

import { createTestDatabase, type Engine, type TestDatabase } from './database.ts'
import {
  type CommandResult,
  runCommand,
  type ServedProcess,
  serveProcess,
} from './served-process.ts'

export interface ServedStore extends ServedProcess {
  place: TestDatabase
  keys: { production: string; staging: string }
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
  const { production = '', staging = '' } = process.keys
  return {
    ...process,
    place,
    keys: { production, staging },
    command: (...words) => runCommand(place, words),
    async release() {
      await process.end('SIGKILL')
      await place.release()
    },
  }
}
