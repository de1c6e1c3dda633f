// Starts one server pinned to its cores and waits until it answers.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pinned } from '../cores.ts'
import { type Address, ask } from '../http-client.ts'
import { type RunningProcess, readTreeUse, startProcess } from '../processes.ts'

export interface ServerPlace {
  /** A temporary folder of its own. */
  folder: string
  cores: string | undefined
}

interface StartServerOptions extends ServerPlace {
  label: string
  command: string[]
  env?: Record<string, string | undefined>
  address: Address
  /** A path that answers 200 once the server is ready. */
  readyPath: string
}

export interface StartedServer extends RunningProcess {
  lastWords(): string
}

export async function startServer(options: StartServerOptions): Promise<StartedServer> {
  const logFile = join(options.folder, 'output.log')
  const started = startProcess({
    command: pinned(options.cores, options.command),
    env: { NODE_ENV: 'production', ...options.env },
    logFile,
    cwd: options.folder,
  })
  const lastWords = (): string => readFileSync(logFile, 'utf8').slice(-2000)
  const failed = (why: string): Error => new Error(`${options.label} ${why}:\n${lastWords()}`)
  const deadline = Date.now() + 30_000
  while (true) {
    const answer = await ask(options.address, options.readyPath).catch(() => undefined)
    if (answer?.status === 200) return { ...started, lastWords }
    const ended = started.ended()
    if (ended !== undefined) throw failed(`ended with ${ended} instead of serving`)
    if (Date.now() > deadline) {
      await started.stop()
      throw failed('was not ready after 30 s')
    }
    await delay(50)
  }
}

/** What it does by itself after its start is over: it hardly works for two seconds. Throws after five minutes. */
export async function waitUntilIdle(pid: number): Promise<void> {
  let idleSeconds = 0
  for (let second = 0; second < 300; second++) {
    const before = readTreeUse(pid).cpuSeconds
    await delay(1000)
    idleSeconds = readTreeUse(pid).cpuSeconds - before < 0.1 ? idleSeconds + 1 : 0
    if (idleSeconds === 2) return
  }
  throw new Error('a server did not come to rest')
}

/** Memory at rest: before the first request of a job, once start-up has settled. */
export async function readRestBytes(pid: number): Promise<number> {
  await delay(1500)
  return readTreeUse(pid).residentBytes
}
