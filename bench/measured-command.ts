// Runs a command to its end, and says what it took.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { splitCommand } from './processes.ts'

export interface CommandUse {
  wallSeconds: number
  /** Of the command and the processes it waited for. */
  cpuSeconds: number
  /** The most memory that it held at once. */
  peakBytes: number
}

const everyMs = 20

/** One at a time: the processor time is that of all children of ours which end meanwhile. */
export async function measureCommand(
  command: string[],
  env: Record<string, string | undefined>,
  logFile: string,
): Promise<CommandUse> {
  const log = openSync(logFile, 'w')
  const before = endedChildrenSeconds()
  const started = performance.now()
  const child = spawn(...splitCommand(command), {
    env: { ...process.env, ...env },
    stdio: ['ignore', log, log],
  })
  const killIt = (): boolean => child.kill('SIGKILL')
  process.once('exit', killIt)
  let peakBytes = 0
  const timer = setInterval(() => {
    peakBytes = Math.max(peakBytes, peakSoFar(child.pid ?? 0))
  }, everyMs)
  try {
    const [status] = await once(child, 'exit')
    const wallSeconds = (performance.now() - started) / 1000
    if (status !== 0) {
      const words = readFileSync(logFile, 'utf8').slice(-2000)
      throw new Error(`${command.join(' ')} ended with ${status}:\n${words}`)
    }
    return { wallSeconds, cpuSeconds: endedChildrenSeconds() - before, peakBytes }
  } finally {
    clearInterval(timer)
    process.removeListener('exit', killIt)
  }
}

function endedChildrenSeconds(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) / 100
}

/** 0 once it has ended. */
function peakSoFar(pid: number): number {
  try {
    const match = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
    return Number(match?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}
