// The program as a process of its own on a fresh database, with `ask` for each base address: for what
// needs several workers, the command line, or a log.

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
  /** Each request has a connection of its own, so that workers take turns. */
  ask(path: string, options?: AskOptions): Promise<Answer>
  askStaging(path: string, options?: AskOptions): Promise<Answer>
  /** Runs a command on the same data: `command('keys', 'list', …)`. */
  command(...words: string[]): Promise<CommandResult>
  /** Stops and removes everything. */
  release(): Promise<void>
}

/** Serves with WORKERS=1 unless `env` says otherwise. */
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
