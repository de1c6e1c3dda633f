// Starts one server on its cores and waits until it responds.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../../test/lab/free-addresses.ts'
import type { ServerPlace } from '../harness/context.ts'
import { pinToCores } from '../harness/cores.ts'
import { sendRequest } from '../harness/http-client.ts'
import { readTreeUsage, startProcess } from '../harness/processes.ts'
import type { SeedTarget } from '../seed/seed-animals.ts'
import type { Engine, Server, StoreApi } from './server.ts'

interface StartOptions extends ServerPlace {
  label: string
  engine?: Engine
  command: string[]
  env?: Record<string, string | undefined>
  port: number
  headers?: Record<string, string>
  /** A path that responds with 200 when the server is ready. */
  readyPath: string
  /** Default: no store, only pages. */
  api?: StoreApi | undefined
}

const noStoreApi: StoreApi = { listPath: '/', maxPetId: 0, parseList: () => [] }

/**
 * Waits until it is ready and its background work after the start is done. Throws an Error with the server's output if
 * it is not ready after 30 seconds.
 */
export async function startServer(options: StartOptions): Promise<Server> {
  const { api = noStoreApi, engine = '', headers = {}, label, port } = options
  const logFile = join(options.folder, 'output.log')
  const startedAt = performance.now()
  const { exitStatus, pid, stop } = startProcess({
    command: pinToCores(options.cores, options.command),
    env: { NODE_ENV: 'production', ...options.env },
    logFile,
    cwd: options.folder,
  })
  const readLog = (): string => readFileSync(logFile, 'utf8').slice(-2000)
  const createError = (problem: string): Error => new Error(`${label} ${problem}:\n${readLog()}`)
  const isReady = async (): Promise<boolean> =>
    (await sendRequest({ port, headers }, options.readyPath).catch(() => undefined))?.status === 200
  while (!(await isReady())) {
    const status = exitStatus()
    if (status !== undefined) throw createError(`exited with ${status} during its start`)
    if (performance.now() - startedAt > 30_000) {
      await stop()
      throw createError('was not ready after 30 s')
    }
    await delay(5)
  }
  const startMs = performance.now() - startedAt
  await waitUntilIdle(pid)
  const restingBytes = readTreeUsage(pid).residentBytes
  return { label, engine, port, headers, pid, startMs, api, restingBytes, readLog, stop }
}

export interface ProgramOptions extends ServerPlace {
  label: string
  /** Without its subcommand. */
  command: string[]
  databaseUrl?: string | undefined
  env?: Record<string, string | undefined>
}

/**
 * Starts the program once, so that it creates its database, calls `seed` while it is stopped, and starts it again.
 * The program must have the command line and the environment variables of the Animal Store.
 */
export async function startSeededProgram(
  { command, cores, databaseUrl, env, folder, label }: ProgramOptions,
  seed: (target: SeedTarget, env: Record<string, string | undefined>) => Promise<void>,
): Promise<Server & { httpsPort: number }> {
  const [port, httpsPort] = [await freePort(), await freePort()]
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
      ...{ label, engine: databaseUrl ? 'PostgreSQL' : 'SQLite', folder, cores, port },
      command: [...command, 'serve'],
      env: allEnv,
      headers: { Host: `localhost:${port}` },
      readyPath: '/readyz',
    })
  await (await start()).stop()
  await seed(databaseUrl ? { databaseUrl } : { folder }, allEnv)
  return { ...(await start()), httpsPort }
}

/** Starts a file of peers/, which reads `settings` and its port from the file in RESPONSES. */
export async function startPeer(
  place: ServerPlace,
  label: string,
  file: string,
  settings: object,
  api?: StoreApi,
): Promise<Server> {
  const port = await freePort()
  const responses = join(place.folder, 'responses.json')
  writeFileSync(responses, JSON.stringify({ ...settings, port }))
  return await startServer({
    ...{ ...place, label, port, api, readyPath: '/', command: peerCommand(file) },
    env: { RESPONSES: responses },
  })
}

/** Two seconds of little processor time. */
async function waitUntilIdle(pid: number): Promise<void> {
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
