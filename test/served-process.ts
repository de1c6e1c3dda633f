// The real program in a separate process, as `npm start` runs it.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { TestDatabase } from './database.ts'
import { nodeEnvironment, program } from './program.ts'
import type { Answer, AskOptions } from './running-store.ts'

type CommandPlace = Pick<TestDatabase, 'dataDir' | 'databaseUrl' | 'databaseTimeoutMs'>
/** A place that need not be released. */
type Place = Omit<TestDatabase, 'release'> & Partial<TestDatabase>

export interface ServedProcess {
  child: ChildProcess
  pid: number
  port: number
  httpsPort: number
  /** The first keys; empty after a second start. */
  keys: { production?: string; staging?: string }
  /** The token of the set-up link; empty once there is an account. */
  setUpToken: string
  /** Sends a request to production, with its first key: `ask('/pets?limit=1')`. Each uses a new connection. */
  ask(path: string, options?: AskOptions): Promise<Answer>
  askStaging(path: string, options?: AskOptions): Promise<Answer>
  /** A request without a key to a path outside the store's API, such as `/readyz`. */
  askServer(path: string, options?: AskOptions): Promise<Answer>
  /** Its standard error so far. */
  log(): string
  /** The exit status, or the signal that ended the process. */
  exited: Promise<number | string>
  /** Sends the signal, and resolves with the same. */
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
  // It loads the whole program, which the tests of commands do not need.
  const { ask } = await import('./running-store.ts')
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
  const exited = once(child, 'exit').then(([status, signal]): number | string => signal ?? status)
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout?.setEncoding('utf8').once('data', resolve)
    exited.then((status) => reject(new Error(`serve ended with ${status}: ${log}`)))
  })
  const { port, httpsPort, credentialsFile } = JSON.parse(line)
  const { keys, setUpLink = '' } = takeCredentials(credentialsFile)
  const askAt = (host: string, key: string, path: string, options?: AskOptions) =>
    ask(port, new URL(`http://${host}:${port}/v1`), key, path, options)
  return {
    child,
    pid: child.pid as number,
    port,
    httpsPort,
    keys,
    setUpToken: setUpLink.split('#')[1] ?? '',
    ask: (path, options) => askAt('localhost', keys.production ?? '', path, options),
    askStaging: (path, options) => askAt('staging.localhost', keys.staging ?? '', path, options),
    askServer: (path, options) =>
      ask(port, new URL(`http://localhost:${port}`), '', path.slice(1), { key: null, ...options }),
    log: () => log,
    exited,
    end(signal = 'SIGTERM') {
      child.kill(signal)
      return exited
    },
  }
}

/** Runs a command on a pseudo-terminal, where both streams are one. */
export async function runOnTerminal(
  place: CommandPlace,
  words: string[],
  env: Record<string, string>,
): Promise<string> {
  const command = [process.execPath, program, ...words].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['-qec', `stty cols 80; ${command}`, '/dev/null'], {
    env: { ...environmentOf(place, env), TERM: 'xterm' },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  return (await text(child.stdout)).replaceAll('\r\n', '\n')
}

export interface CommandResult {
  status: number
  stdout: string
  stderr: string
}

/** Starts a command: `startCommand(place, ['keys', 'list', …])`. */
export const startCommand = (
  place: CommandPlace,
  words: string[],
  env: Record<string, string> = {},
) =>
  spawn(process.execPath, [program, ...words], {
    env: environmentOf(place, env),
    stdio: ['pipe', 'pipe', 'pipe'],
  })

/** Runs a command until it ends. `input` is its standard input, or the pieces of it. */
export async function runCommand(
  place: CommandPlace,
  words: string[],
  env: Record<string, string> = {},
  input: string | Iterable<string> = '',
): Promise<CommandResult> {
  const child = startCommand(place, words, env)
  const outputs = Promise.all([text(child.stdout), text(child.stderr)])
  const closed = once(child, 'close')
  // The command may end before it has read all of its input.
  await pipeline(Readable.from(input), child.stdin).catch(() => {})
  const [status] = await closed
  const [stdout, stderr] = await outputs
  return { status, stdout, stderr }
}

/** Reads the first keys and the set-up link and deletes the file, as the program says. */
function takeCredentials(file?: string): { keys: ServedProcess['keys']; setUpLink?: string } {
  if (file === undefined) return { keys: {} }
  const credentials = JSON.parse(readFileSync(file, 'utf8'))
  rmSync(file)
  return credentials
}

export function environmentOf(
  place: CommandPlace,
  env: Record<string, string>,
): Record<string, string> {
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
