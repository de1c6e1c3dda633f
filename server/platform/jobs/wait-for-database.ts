// Waits for PostgreSQL at the start: after a power failure both machines start at once. What waiting does not solve,
// such as a wrong password, is left to the first use, which says so.
import { parseDatabaseUrl } from '../config/database-url.ts'
import type { Place } from '../database/open.ts'
import { connectClient, createPostgresServers } from '../database/postgres-servers.ts'
import type { Logger } from '../log.ts'
import { startPollLoop } from './poll-loop.ts'

const connectWithinMs = 5000
const retryAfterMs = 1000

/** Resolves when a server can be used, or `signal` aborts. Logs which servers it waits for, and why. */
export async function waitForDatabase(
  { databaseUrl }: Pick<Place, 'databaseUrl'>,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  if (databaseUrl === undefined) return
  const servers = createPostgresServers(databaseUrl, connectWithinMs)
  const names = parseDatabaseUrl(databaseUrl)?.names.join(', ')
  const config = { connectionTimeoutMillis: connectWithinMs }
  const { promise, resolve } = Promise.withResolvers<void>()
  signal.addEventListener('abort', () => resolve(), { once: true })
  const loop = startPollLoop({
    name: `connecting to PostgreSQL at ${names}`,
    log,
    intervalMs: retryAfterMs,
    async poll() {
      try {
        await (await connectClient(servers, config, {}, () => {})).end()
      } catch (error) {
        if (isTemporary(error)) throw error
      }
      resolve()
    },
  })
  // The loop's timers do not keep the process alive.
  const alive = setInterval(() => {}, retryAfterMs)
  await promise
  clearInterval(alive)
  await loop.stop()
}

const temporaryCodes = [
  ...['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'EPIPE'],
  ...['ENOTFOUND', 'EAI_AGAIN', 'READ_ONLY'],
  // SQLSTATE: too many connections; shutting down, crashed, starting.
  ...['53300', '57P01', '57P02', '57P03'],
]

function isTemporary(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message: string }
  if (typeof code === 'string') return temporaryCodes.includes(code) || code.startsWith('08')
  return /timeout|terminated/.test(message)
}
