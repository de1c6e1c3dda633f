// Starts and stops child processes, and reads from /proc what a process and its descendants use.
// When the harness exits for any reason, it kills all child processes that are still running.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readdirSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'

export interface RunningProcess {
  pid: number
  /** Sends the signal, and after ten seconds SIGKILL to the group. Resolves when the process has ended. */
  stop(signal?: NodeJS.Signals): Promise<void>
  /** The exit status or signal; undefined while the process runs. */
  exitStatus(): number | NodeJS.Signals | undefined
}

const running = new Set<ChildProcess>()

process.once('exit', () => {
  for (const child of running) killGroup(child, 'SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => process.exit(1))
}

export interface ProcessOptions {
  command: string[]
  env?: Record<string, string | undefined>
  /** Receives stdout and stderr. */
  logFile: string
  cwd?: string
}

/** The child becomes the leader of a new process group. */
export function startProcess({ command, env, logFile, cwd }: ProcessOptions): RunningProcess {
  const output = openSync(logFile, 'a')
  const child: ChildProcess = spawn(...splitCommand(command), {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', output, output],
    detached: true,
  })
  running.add(child)
  let isStopping = false
  const exit = once(child, 'exit').then(() => {
    running.delete(child)
    if (!isStopping) reportUnexpectedExit(child, command, logFile)
  })
  child.once('error', () => running.delete(child))
  return {
    pid: child.pid ?? 0,
    exitStatus: () => child.exitCode ?? child.signalCode ?? undefined,
    async stop(signal = 'SIGTERM') {
      isStopping = true
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill(signal)
      const timer = setTimeout(() => killGroup(child, 'SIGKILL'), 10_000)
      await exit
      clearTimeout(timer)
      killGroup(child, 'SIGKILL')
    },
  }
}

/** Elsewhere an unexpected exit shows up only as a broken connection; this prints the reason. */
function reportUnexpectedExit(child: ChildProcess, command: string[], logFile: string): void {
  const text = readFileSync(logFile, 'utf8').slice(-2000)
  const status = child.signalCode ?? child.exitCode
  console.error(`bench: exited unexpectedly with ${status}: ${command.join(' ')}\n${text}`)
}

/** Resolves with what it has printed once it has ended; `child` is the process. */
export const runCommand = (command: string[], env: ProcessOptions['env'] = {}) =>
  promisify(execFile)(...splitCommand(command), {
    env: { ...process.env, ...env },
    maxBuffer: 1e8,
  })

/** The program and its arguments, as the functions of node:child_process take them. */
function splitCommand([program, ...args]: string[]): [string, string[]] {
  if (program === undefined) throw new Error('the command is empty')
  return [program, args]
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (child.pid) process.kill(-child.pid, signal)
  } catch {
    // the group is already empty
  }
}

interface ProcessUsage {
  cpuSeconds: number
  residentBytes: number
}

/** The sum over the process and all its descendants. Shared pages are counted once per process. */
export function readTreeUsage(root: number): ProcessUsage {
  const processes = new Map<number, { parent: number; ticks: number; pages: number }>()
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    try {
      const fields = readStat(entry)
      processes.set(Number(entry), {
        parent: Number(fields[1]),
        // utime and stime, and those of its children that have ended
        ticks: fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0),
        pages: Number(fields[21]),
      })
    } catch {
      // the process has ended in the meantime
    }
  }
  const isInTree = (pid: number): boolean => {
    for (let at = pid; at > 1; at = processes.get(at)?.parent ?? 0) if (at === root) return true
    return false
  }
  const usage = { cpuSeconds: 0, residentBytes: 0 }
  for (const [pid, { ticks, pages }] of processes) {
    if (!isInTree(pid)) continue
    usage.cpuSeconds += ticks / 100
    usage.residentBytes += pages * 4096
  }
  return usage
}

/** The processor time of all children of this process that have ended. */
export function readEndedChildrenSeconds(): number {
  const [userTicks, systemTicks] = readStat('self').slice(13)
  return (Number(userTicks) + Number(systemTicks)) / 100
}

/** The fields of proc_pid_stat(5) from the third on, the state. */
function readStat(pid: string): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}
