// Starts and stops child processes, and reads from /proc what their whole trees use.
// Whatever is still running when the harness ends, for whatever reason, is killed.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readdirSync, readFileSync } from 'node:fs'

export interface RunningProcess {
  pid: number
  /** SIGTERM, then SIGKILL to the group after ten seconds. Resolves when it is gone. */
  stop(signal?: NodeJS.Signals): Promise<void>
  /** The exit status once it has ended, to notice a server that did not come up. */
  ended(): number | NodeJS.Signals | undefined
}

const running = new Set<ChildProcess>()

process.once('exit', () => {
  for (const child of running) killGroup(child, 'SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => process.exit(1))
}

export interface StartOptions {
  command: string[]
  env?: Record<string, string | undefined>
  logFile: string
  cwd?: string
}

/** The child leads a process group of its own; its output goes to `logFile`. */
export function startProcess({ command, env, logFile, cwd }: StartOptions): RunningProcess {
  const log = openSync(logFile, 'a')
  const child: ChildProcess = spawn(...splitCommand(command), {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', log, log],
    detached: true,
  })
  running.add(child)
  let stopping = false
  const exit = once(child, 'exit').then(() => {
    running.delete(child)
    if (!stopping) sayEnded(child, command, logFile)
  })
  child.once('error', () => running.delete(child))
  return {
    pid: child.pid ?? 0,
    ended: () => child.exitCode ?? child.signalCode ?? undefined,
    async stop(signal = 'SIGTERM') {
      stopping = true
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill(signal)
      const timer = setTimeout(() => killGroup(child, 'SIGKILL'), 10_000)
      await exit
      clearTimeout(timer)
      killGroup(child, 'SIGKILL')
    },
  }
}

/** A server that ends by itself shows up elsewhere as a broken connection; here is why. */
function sayEnded(child: ChildProcess, command: string[], logFile: string): void {
  const words = readFileSync(logFile, 'utf8').slice(-2000)
  const how = child.signalCode ?? child.exitCode
  console.error(`bench: ended by itself with ${how}: ${command.join(' ')}\n${words}`)
}

/** A command as node:child_process wants it: the program, and its arguments. */
export function splitCommand([program, ...args]: string[]): [string, string[]] {
  if (program === undefined) throw new Error('an empty command')
  return [program, args]
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (child.pid) process.kill(-child.pid, signal)
  } catch {
    // the group is already empty
  }
}

interface ProcessUse {
  cpuSeconds: number
  residentBytes: number
}

/** What the process and all its descendants hold and have used. Shared pages count each time. */
export function readTreeUse(root: number): ProcessUse {
  const processes = new Map<number, { parent: number; ticks: number; pages: number }>()
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      processes.set(Number(entry), {
        parent: Number(fields[1]),
        // Its own, and that of its children that have ended.
        ticks: fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0),
        pages: Number(fields[21]),
      })
    } catch {
      // it ended while we were reading
    }
  }
  const inTree = (pid: number): boolean => {
    for (let at = pid; at > 1; at = processes.get(at)?.parent ?? 0) if (at === root) return true
    return false
  }
  const use = { cpuSeconds: 0, residentBytes: 0 }
  for (const [pid, { ticks, pages }] of processes) {
    if (!inTree(pid)) continue
    use.cpuSeconds += ticks / 100
    use.residentBytes += pages * 4096
  }
  return use
}
