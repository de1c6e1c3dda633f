// Starts one server on its cores and waits until it responds.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ServerPlace } from '../harness/context.ts'
import { pinToCores } from '../harness/cores.ts'
import { findFreePort, type ServerAddress, sendRequest } from '../harness/http-client.ts'
import { type RunningProcess, readTreeUsage, startProcess } from '../harness/processes.ts'
import type { SeedTarget } from '../seed/seed-animals.ts'
import type { Engine, Server, StoreApi } from './server.ts'

interface StartOptions extends ServerPlace {
  label: string
  command: string[]
  env?: Record<string, string | undefined>
  address: ServerAddress
  /** A path that responds with 200 when the server is ready. */
  readyPath: string
}

export interface StartedServer extends RunningProcess {
  /** From the start of the process to its first answer. */
  startMs: number
  /** The end of its output. */
  readLog(): string
}

/** Throws an Error with the server's output if it is not ready after 30 seconds. */
export async function startServer(options: StartOptions): Promise<StartedServer> {
  const logFile = join(options.folder, 'output.log')
  const startedAt = performance.now()
  const started = startProcess({
    command: pinToCores(options.cores, options.command),
    env: { NODE_ENV: 'production', ...options.env },
    logFile,
    cwd: options.folder,
  })
  const readLog = (): string => readFileSync(logFile, 'utf8').slice(-2000)
  const createError = (problem: string): Error =>
    new Error(`${options.label} ${problem}:\n${readLog()}`)
  const deadline = Date.now() + 30_000
  while (true) {
    const response = await sendRequest(options.address, options.readyPath).catch(() => undefined)
    if (response?.status === 200) {
      return { ...started, readLog, startMs: performance.now() - startedAt }
    }
    const exitStatus = started.exitStatus()
    if (exitStatus !== undefined) throw createError(`exited with ${exitStatus} during its start`)
    if (Date.now() > deadline) {
      await started.stop()
      throw createError('was not ready after 30 s')
    }
    await delay(5)
  }
}

export interface ProgramOptions extends ServerPlace {
  label: string
  /** Without its subcommand. */
  command: string[]
  databaseUrl?: string | undefined
  env?: Record<string, string | undefined>
}

export interface StartedProgram {
  started: StartedServer
  engine: Engine
  port: number
  httpsPort: number
}

/**
 * Starts the program once, so that it creates its database, calls `seed` while it is stopped, and starts it again.
 * The program must have the command line and the environment variables of the Animal Store.
 */
export async function startSeededProgram(
  { command, cores, databaseUrl, env, folder, label }: ProgramOptions,
  seed: (target: SeedTarget, env: Record<string, string | undefined>) => Promise<void>,
): Promise<StartedProgram> {
  const [port, httpsPort] = [await findFreePort(), await findFreePort()]
  const allEnv = {
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
    HTTP_PORT: String(port),
    HTTPS_PORT: String(httpsPort),
    DATA_DIR: folder,
    DATABASE_URL: databaseUrl,
    WORKERS: '1',
    ...env,
  }
  const start = () =>
    startServer({
      label,
      command: [...command, 'serve'],
      env: allEnv,
      folder,
      cores,
      address: { port, headers: { Host: `localhost:${port}` } },
      readyPath: '/readyz',
    })
  const first = await start()
  // It builds the first project, which takes memory that is not used at rest.
  await waitUntilIdle(first.pid)
  await first.stop()
  await seed(databaseUrl ? { databaseUrl } : { folder }, allEnv)
  const engine = databaseUrl ? 'PostgreSQL' : 'SQLite'
  return { started: await start(), engine, port, httpsPort }
}

interface ServerDescription {
  label: string
  engine?: Engine
  port: number
  headers?: Record<string, string>
  /** Default: no store, only pages. */
  api?: StoreApi
}

/** Waits until the server's memory use has settled. */
export async function describeServer(
  { pid, readLog, startMs, stop }: StartedServer,
  { api = noStoreApi, engine = '', headers = {}, label, port }: ServerDescription,
): Promise<Server> {
  await delay(1500)
  const restingBytes = readTreeUsage(pid).residentBytes
  return {
    label,
    engine,
    port,
    headers,
    pid,
    startMs,
    api,
    restingBytes,
    stop: () => stop(),
    readLog,
  }
}

const noStoreApi: StoreApi = { listPath: '/', maxPetId: 0, parseList: () => [] }

/** Starts a peer that needs no headers on its requests. */
export async function startPeer(
  options: Omit<StartOptions, 'address'> & { port: number; api?: StoreApi },
): Promise<Server> {
  const { api, label, port } = options
  const started = await startServer({ ...options, address: { port, headers: {} } })
  return await describeServer(started, { label, port, ...(api && { api }) })
}

/** Waits until background work after the start is done: two seconds of little processor time. */
export async function waitUntilIdle(pid: number): Promise<void> {
  let idleSeconds = 0
  for (let second = 0; second < 300; second++) {
    const before = readTreeUsage(pid).cpuSeconds
    await delay(1000)
    idleSeconds = readTreeUsage(pid).cpuSeconds - before < 0.1 ? idleSeconds + 1 : 0
    if (idleSeconds === 2) return
  }
  throw new Error('the server was not idle after five minutes')
}

/** Runs a file in peers/ on the Node.js of this process. */
export function peerCommand(file: string): string[] {
  return [process.execPath, join(import.meta.dirname, '../peers', file)]
}
