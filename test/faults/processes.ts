// Processes in the fault tests: their workers, signals and memory.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import type { TestDatabase } from '../database.ts'
import { type ServedProcess, serveProcess } from '../served-process.ts'

/** Serves until the test ends, then kills all remaining processes. `exited` resolves with the status or signal. */
export async function serveForTest(
  place: TestDatabase,
  env: Record<string, string> = {},
): Promise<ServedProcess & { pid: number; exited: Promise<number | string> }> {
  // Registered before the start, so that a test that has already ended leaves no process.
  let starting: Promise<ServedProcess> | undefined
  let workers: number[] = []
  onTestFinished(async () => {
    const pid = (await starting?.catch(() => undefined))?.child.pid
    if (pid === undefined) return
    for (const each of new Set([pid, ...workersOf(pid), ...workers])) {
      if (commandOf(each).includes('serve')) signal(each, 'SIGKILL')
    }
  })
  starting = serveProcess(place, env)
  const served = await starting
  const pid = served.child.pid as number
  workers = workersOf(pid)
  const exited = once(served.child, 'exit').then(([status, signal]) => signal ?? status)
  return { ...served, pid, exited }
}

/** The process IDs of a process's children. */
export function workersOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return children.split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

/** Sends a signal to a process and its workers, as a terminal does. */
export function signalAll(pid: number, name: NodeJS.Signals): void {
  for (const each of [pid, ...workersOf(pid)]) signal(each, name)
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** False for a zombie. */
export function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

export function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
