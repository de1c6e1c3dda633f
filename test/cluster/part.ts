// A part of the cluster: a process with everything below it, which a fault kills, stops and starts again.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isAlive, signal, treeOf } from '../process-tree.ts'

export interface Part {
  name: string
  start(): Promise<void>
  /** SIGKILL, as a power failure; `alone`: only the process itself. Without effect if it does not run. */
  kill(options?: { alone: boolean }): Promise<void>
  pause(): void
  resume(): void
  /** Undefined while it does not run. */
  pid(): number | undefined
  /** Its output of all starts. */
  log(): string
  /** Unexpected exits, with the end of the output. The part was restarted, as by systemd. */
  endings(): readonly string[]
}

export interface PartOptions {
  name: string
  /** Has the output, and the process IDs for the guard of the folder. */
  folder: string
  command: [string, ...string[]]
  env?: Record<string, string>
  user?: { uid: number; gid: number } | undefined
  /** More processes that belong to it, but are not below it. */
  alsoRuns?: () => number[]
  /** Resolves when it serves. It is called again until it does. */
  isReady(): Promise<boolean>
}

/** Also while what it needs is away, in a mixed run. */
const startsWithinMs = 120_000
const restartAfterMs = 1000

export function createPart(options: PartOptions): Part {
  const { alsoRuns = () => [], command, env, folder, isReady, name, user } = options
  const logFile = join(folder, `${name}.log`)
  const endings: string[] = []
  let child: ChildProcess | undefined
  let isWanted = false

  const pid = (): number | undefined =>
    child?.exitCode === null && child.signalCode === null ? child.pid : undefined
  const everything = (): number[] => {
    const own = pid()
    return [...(own === undefined ? [] : treeOf(own)), ...alsoRuns().flatMap(treeOf)]
  }

  async function launch(): Promise<void> {
    const output = openSync(logFile, 'a')
    const launched = spawn(command[0], command.slice(1), {
      cwd: folder,
      env: { PATH: `${process.env.PATH}:/usr/sbin`, HOME: folder, LC_ALL: 'C', ...env },
      stdio: ['ignore', output, output],
      ...user,
    })
    closeSync(output)
    child = launched
    launched.once('exit', (status, signal) => {
      if (!isWanted || child !== launched) return
      endings.push(`${name} exited unexpectedly with ${signal ?? status}: ${readEnd()}`)
      void restart()
    })
    await once(launched, 'spawn')
    writeFileSync(join(folder, `${name}.pid`), String(launched.pid))
  }

  async function restart(): Promise<void> {
    await delay(restartAfterMs)
    if (isWanted && pid() === undefined) await launch()
  }

  const readEnd = (): string => readFileSync(logFile, 'utf8').trim().slice(-1000)

  return {
    name,
    pid,
    log: () => readFileSync(logFile, 'utf8'),
    endings: () => endings,
    async start() {
      isWanted = true
      await launch()
      const until = performance.now() + startsWithinMs
      while (!(await isReady().catch(() => false))) {
        if (performance.now() > until) throw new Error(`${name} is not ready:\n${readEnd()}`)
        await delay(100)
      }
    },
    async kill({ alone } = { alone: false }) {
      isWanted = false
      const own = pid()
      const all = alone && own !== undefined ? [own] : everything()
      const exited = own === undefined ? undefined : once(child as ChildProcess, 'exit')
      for (const each of all) signal(each, 'SIGKILL')
      await exited
      while (all.some(isAlive)) await delay(5)
    },
    pause() {
      // The first one first, so that it starts no more.
      for (const each of everything()) signal(each, 'SIGSTOP')
    },
    resume() {
      for (const each of everything().reverse()) signal(each, 'SIGCONT')
    },
  }
}
