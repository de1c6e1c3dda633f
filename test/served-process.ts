// The real program in a separate process, as `npm start` runs it.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import type { TestDatabase } from './database.ts'
import { nodeEnvironment, program } from './program.ts'

/** A place that need not be released. */
type Place = Omit<TestDatabase, 'release'> & Partial<TestDatabase>

export interface ServedProcess {
  child: ChildProcess
  port: number
  httpsPort: number
  /** The first keys; empty after a second start. */
  keys: { production?: string; staging?: string }
  /** As long as there is no account. */
  setUpLink: string | undefined
  /** Its standard error so far. */
  log(): string
  /** Sends the signal and resolves with the exit status, or with the signal that ended the process. */
  end(signal?: NodeJS.Signals): Promise<number | string>
}

/**
 * Runs `animal-store serve --json` and resolves when it serves. Throws an Error with its log if it exits before.
 * `wrapper` is a command that becomes the one that follows it.
 * `onLog` gets its standard error so far, whenever there is more. `file` is the program, such as that of a release.
 */
export async function serveProcess(
  place: Place,
  env: Record<string, string> = {},
  wrapper: string[] = [],
  onLog: (log: string) => void = () => {},
  file = program,
): Promise<ServedProcess> {
  const words = [...wrapper, process.execPath, file, 'serve', '--json']
  const child = spawn(words[0] as string, words.slice(1), {
    env: environmentOf(place, {
      HTTP_PORT: '0',
      HTTPS_PORT: '0',
      WORKERS: '1',
      // Few tests need the first project, and rendering it takes a second.
      FIRST_PROJECT: 'off',
      ...env,
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    log += text
    onLog(log)
  })
  const exited = once(child, 'exit')
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout?.setEncoding('utf8').once('data', resolve)
    exited.then(([status, signal]) =>
      reject(new Error(`serve ended with ${signal ?? status}: ${log}`)),
    )
  })
  const { port, httpsPort, credentialsFile } = JSON.parse(line)
  const { keys, setUpLink } = takeCredentials(credentialsFile)
  return {
    child,
    port,
    httpsPort,
    keys,
    setUpLink,
    log: () => log,
    async end(signal = 'SIGTERM') {
      child.kill(signal)
      const [status, killedBy] = await exited
      return killedBy ?? status
    },
  }
}

export interface CommandResult {
  status: number
  stdout: string
  stderr: string
}

/** Runs a command until it ends: `runCommand(place, ['keys', 'list', …])`. `input` is its standard input. */
export async function runCommand(
  place: TestDatabase,
  words: string[],
  env: Record<string, string> = {},
  input = '',
): Promise<CommandResult> {
  const child = spawn(process.execPath, [program, ...words], {
    env: environmentOf(place, env),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.on('error', () => {}).end(input)
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const [status] = await once(child, 'close')
  return { status, stdout, stderr }
}

/** Reads the first keys and the set-up link and deletes the file, as the program says. */
function takeCredentials(file?: string): Pick<ServedProcess, 'keys' | 'setUpLink'> {
  if (file === undefined) return { keys: {}, setUpLink: undefined }
  const credentials = JSON.parse(readFileSync(file, 'utf8'))
  rmSync(file)
  return credentials
}

export function environmentOf(place: Place, env: Record<string, string>): Record<string, string> {
  return {
    ...nodeEnvironment,
    DATA_DIR: place.dataDir,
    ...(place.databaseUrl ? { DATABASE_URL: place.databaseUrl } : {}),
    LOG_LEVEL: 'warn',
    DATABASE_TIMEOUT_MS: String(place.databaseTimeoutMs ?? ''),
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
    ...env,
  }
}
