// Runs a command with data on standard input, which runCommand leaves empty.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { TestDatabase } from '../database.ts'
import { nodeEnvironment, program } from '../program.ts'
import type { CommandResult } from '../served-process.ts'

/** Starts the command; write its input to `child.stdin`. */
export function startCommand(
  place: TestDatabase,
  words: string[],
  env: Record<string, string> = {},
): ChildProcess {
  return spawn(process.execPath, [program, ...words], {
    env: {
      ...nodeEnvironment,
      DATA_DIR: place.dataDir,
      ...(place.databaseUrl ? { DATABASE_URL: place.databaseUrl } : {}),
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

/** Runs the command until it ends, with `input` piece by piece. */
export async function runWithInput(
  place: TestDatabase,
  words: string[],
  input: Iterable<string | Buffer>,
  env: Record<string, string> = {},
): Promise<CommandResult> {
  const child = startCommand(place, words, env)
  let [stdout, stderr] = ['', '']
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const closed = once(child, 'close')
  // The command may end before it has read all of its input.
  if (child.stdin) await pipeline(Readable.from(input), child.stdin).catch(() => {})
  const [status] = await closed
  return { status, stdout, stderr }
}
