// Waits for PostgreSQL at the start: after a power failure both machines start at once. An error that waiting does not
// solve, such as a wrong password, is reported by the first use.
import { ConfigError } from '../config/config.ts'
import { parseDatabaseUrl } from '../config/database-url.ts'
import type { Place } from '../database/engines/open.ts'
import { connectClient } from '../database/engines/postgres-servers.ts'
import { describeFullDisk, isDatabaseOutage, unavailable } from '../errors.ts'
import type { Logger } from '../log.ts'
import { startPollLoop } from './poll-loop.ts'

const retryAfterMs = 1000

/** Resolves when a server can be used, or `signal` aborts. Logs which servers it waits for, and why. */
export async function waitForDatabase(
  { databaseUrl }: Pick<Place, 'databaseUrl'>,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  if (databaseUrl === undefined) return
  const names = parseDatabaseUrl(databaseUrl)?.names.join(', ')
  const connect = async () => await (await connectClient(databaseUrl, 'start', {})).end()
  await repeatWhile(
    isTemporary,
    `connecting to PostgreSQL at ${names}`,
    log,
    connect,
    signal,
  ).catch(() => {})
}

/** What a start does on the database, repeated as long as it is away: it may go away again after it was waited for. */
export function repeatWhileAway<T>(
  name: string,
  log: Logger,
  run: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  return repeatWhile(isAway, name, log, run, signal)
}

/** Rejects with what is not temporary, and when `signal` aborts. */
async function repeatWhile<T>(
  isExpected: (error: unknown) => boolean,
  name: string,
  log: Logger,
  run: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const { promise, reject, resolve } = Promise.withResolvers<T>()
  signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  const loop = startPollLoop({
    name,
    log,
    intervalMs: retryAfterMs,
    async poll() {
      try {
        resolve(await run())
      } catch (error) {
        if (isExpected(error)) throw describeFullDisk(error) ? unavailable(error) : error
        reject(error)
      }
      return Number.POSITIVE_INFINITY
    },
  })
  // The loop's timers do not keep the process alive.
  const alive = setInterval(() => {}, retryAfterMs)
  try {
    return await promise
  } finally {
    clearInterval(alive)
    void loop.stop()
  }
}

const temporaryCodes = [
  ...['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'EPIPE'],
  ...['ENOTFOUND', 'EAI_AGAIN', 'READ_ONLY'],
  // SQLSTATE: a standby; too many connections; shutting down, crashed, starting.
  ...['25006', '53300', '57P01', '57P02', '57P03'],
]

/** Migrations have connections of their own, whose errors say that the database cannot be used. */
function isAway(error: unknown): boolean {
  if (isDatabaseOutage(error) || describeFullDisk(error) !== undefined) return true
  return error instanceof ConfigError && isTemporary(error.cause)
}

function isTemporary(error: unknown): boolean {
  const { code, message = '' } = (error ?? {}) as { code?: unknown; message?: string }
  if (typeof code === 'string') return temporaryCodes.includes(code) || code.startsWith('08')
  return /timeout|terminated|not queryable/.test(message)
}
