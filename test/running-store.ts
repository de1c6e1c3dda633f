// The real program in this process, on a new database and a free port, with a clock that the test sets.
import { type Agent, request as httpRequest } from 'node:http'
import { readConfig } from '#kit/config/config.ts'
import { createLog, type Logger } from '#kit/log.ts'
import { preparePublishing } from '#publishing/prepare-publishing.ts'
import { prepareStore } from '#store/prepare-store.ts'
import { type Running, start, type Wiring } from '../server/main.ts'
import { createTestDatabase, type Engine, type TestDatabase } from './database.ts'
import { toJson } from './raw-connection.ts'

export interface Answer {
  status: number
  /** By lower-case name; repeated headers are joined. */
  headers: Record<string, string>
  text: string
  json: unknown
}

export interface AskOptions {
  method?: string
  /** Default: the environment's first key. With null, no key is sent. */
  key?: string | null
  headers?: Record<string, string | string[]>
  /** Strings and bytes are sent unchanged, other values as JSON. Default Content-Type: application/json. */
  body?: unknown
  /** Keeps connections open; without it, each request uses a new connection. */
  agent?: Agent
  /** The time without any data after which the request is rejected. */
  timeoutMs?: number
}

export interface RunningStore {
  running: Running
  place: TestDatabase
  /** The first keys. */
  keys: { production: string; staging: string }
  /** The token of the set-up link for the first account; undefined once there is an account. */
  setUpToken: string | undefined
  /** Milliseconds since the epoch; assign to set the clock. */
  clock: { now: number }
  baseUrl: { production: string; staging: string }
  /** Sends a request to production: `ask('/pets?limit=1')`. */
  ask(path: string, options?: AskOptions): Promise<Answer>
  askStaging(path: string, options?: AskOptions): Promise<Answer>
  /** A request without a key to a path outside the store's API, such as `/readyz`. */
  askServer(path: string, options?: AskOptions): Promise<Answer>
  /** Stops the store and deletes its data. */
  release(): Promise<void>
}

export interface StartOptions {
  env?: Record<string, string>
  limits?: Wiring['limits']
  outgoing?: Wiring['outgoing']
  streamLimits?: Wiring['streamLimits']
  /** Default: as cheap as possible, because passwords of tests protect nothing. */
  hashing?: Wiring['hashing']
  place?: TestDatabase
  /** Default: nothing is logged. */
  log?: Logger
  /** The start of the clock. Default: the first day of 2027. */
  now?: number
  /** Instead of a clock that the test sets: that of the machine, for stores that commands work on at the same time. */
  clock?: RunningStore['clock']
}

/** Leases of two processes on SQLite compare their clocks. */
export const machineClock = {
  get now() {
    return Date.now()
  },
}

/** Starts it with WORKERS=1 in this process. `env` adds to the configuration. */
export async function startStore(
  engine: Engine,
  options: StartOptions = {},
): Promise<RunningStore> {
  const place = options.place ?? (await createTestDatabase(engine))
  const config = readConfig({
    HTTP_PORT: '0',
    DATA_DIR: place.dataDir,
    DATABASE_URL: place.databaseUrl,
    WORKERS: '1',
    // Few tests need the first project, and rendering it takes a second.
    FIRST_PROJECT: 'off',
    DATABASE_TIMEOUT_MS: String(place.databaseTimeoutMs ?? ''),
    ...options.env,
  })
  const clock = options.clock ?? { now: options.now ?? Date.UTC(2027, 0, 1) }
  const keys = await prepareStore(config, () => clock.now)
  const setUpToken = await preparePublishing(config, () => clock.now)
  const wiring: Wiring = {
    clock: () => clock.now,
    hashing: options.hashing ?? { cost: { memoryKib: 8, passes: 1, lanes: 1 } },
    ...(options.limits ? { limits: options.limits } : {}),
    ...(options.outgoing ? { outgoing: options.outgoing } : {}),
    ...(options.streamLimits ? { streamLimits: options.streamLimits } : {}),
  }
  const running = await start(config, options.log ?? createLog('silent', false), wiring)
  const { baseUrl, dashboardUrl, httpPort, stagingBaseUrl } = running.config
  const firstKeys = { production: keys.production ?? '', staging: keys.staging ?? '' }
  return {
    running,
    place,
    keys: firstKeys,
    setUpToken,
    clock,
    baseUrl: { production: baseUrl.href, staging: stagingBaseUrl.href },
    ask: (path, asked) => ask(httpPort, baseUrl, firstKeys.production, path, asked),
    askStaging: (path, asked) => ask(httpPort, stagingBaseUrl, firstKeys.staging, path, asked),
    askServer: (path, asked) =>
      ask(httpPort, dashboardUrl, '', path.slice(1), { key: null, ...asked }),
    async release() {
      await running.stop()
      if (!options.place) await place.release()
    },
  }
}

/**
 * What an error response has: `expect(response).toMatchObject(refusal(404, 'pet_not_found'))`. `paths` are the fields or
 * parameters of its details.
 */
export const refusal = (status: number, code: string, ...paths: string[]) => ({
  status,
  json: { code, status, ...(paths.length > 0 && { details: paths.map((path) => ({ path })) }) },
})

/** Sends a request with the host of the base URL as Host. */
export function ask(
  port: number,
  base: URL,
  firstKey: string,
  path: string,
  options: AskOptions = {},
): Promise<Answer> {
  const { method = options.body === undefined ? 'GET' : 'POST', key = firstKey } = options
  const body = toBytes(options.body)
  const headers: Record<string, string | string[]> = {
    host: base.host,
    ...(key === null ? {} : { authorization: `Bearer ${key}` }),
    ...(body ? { 'content-type': 'application/json', 'content-length': String(body.length) } : {}),
    ...options.headers,
  }
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      host: '127.0.0.1',
      port,
      method,
      path: base.pathname + path,
      headers,
      agent: options.agent ?? false,
      // So that a request that hangs is named, before the test's own time is over.
      timeout: options.timeoutMs ?? 60_000,
    })
    request.on('error', (error) => {
      const { bytesRead, bytesWritten } = request.socket ?? {}
      error.message += ` (${method} ${path} at ${base.host}: ${bytesWritten} bytes sent, ${bytesRead} received)`
      reject(error)
    })
    request.on('timeout', () => request.destroy(new Error('no response in time')))
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const fields = Object.entries(response.headers).map(([name, value]) => [
          name,
          [value].flat().join(', '),
        ])
        resolve({
          status: response.statusCode ?? 0,
          headers: Object.fromEntries(fields),
          text,
          json: toJson(text),
        })
      })
    })
    request.end(body)
  })
}

function toBytes(body: unknown): Buffer | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}
