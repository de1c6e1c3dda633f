// Runs a command until it ends and measures the time and memory that it used.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { splitCommand } from './processes.ts'

export interface CommandUsage {
  wallSeconds: number
  /** Of the command and of the child processes it waited for. */
  cpuSeconds: number
  peakBytes: number
}

const pollIntervalMs = 20

/**
 * Run only one at a time: `cpuSeconds` counts all children of this process that end during the call.
 * Throws an Error with the end of the output if the exit status is not 0.
 */
export async function measureCommand(
  command: string[],
  env: Record<string, string | undefined>,
  logFile: string,
): Promise<CommandUsage> {
  const output = openSync(logFile, 'w')
  const before = readEndedChildrenSeconds()
  const startedAt = performance.now()
  const child = spawn(...splitCommand(command), {
    env: { ...process.env, ...env },
    stdio: ['ignore', output, output],
  })
  const kill = (): boolean => child.kill('SIGKILL')
  process.once('exit', kill)
  let peakBytes = 0
  const timer = setInterval(() => {
    peakBytes = Math.max(peakBytes, readPeakBytes(child.pid ?? 0))
  }, pollIntervalMs)
  try {
    const [status] = await once(child, 'exit')
    const wallSeconds = (performance.now() - startedAt) / 1000
    if (status !== 0) {
      const text = readFileSync(logFile, 'utf8').slice(-2000)
      throw new Error(`${command.join(' ')} exited with ${status}:\n${text}`)
    }
    return { wallSeconds, cpuSeconds: readEndedChildrenSeconds() - before, peakBytes }
  } finally {
    clearInterval(timer)
    process.removeListener('exit', kill)
  }
}

/** `cutime` and `cstime` of proc(5): processor time of all children that have ended. */
function readEndedChildrenSeconds(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) / 100
}

/** The highest resident memory of the process so far; 0 if it has ended. */
function readPeakBytes(pid: number): number {
  try {
    const match = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
    return Number(match?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}
