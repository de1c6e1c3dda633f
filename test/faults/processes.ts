// What the fault tests do to processes: find the workers of one, signal all of them, look at their memory.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import type { TestDatabase } from '../database.ts'
import { type ServedProcess, serveProcess } from '../served-process.ts'

/** Serves until the test is over; whatever is left then, workers too, is killed. `exited` gives status or signal. */
export async function serveForTest(
  place: TestDatabase,
  env: Record<string, string> = {},
): Promise<ServedProcess & { pid: number; exited: Promise<number | string> }> {
  // Said before there is anything to end, so that a test that is over by then starts nothing.
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

/** The processes that a process has started. */
export function workersOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return children.split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

/** To a process and its workers, as a terminal does. */
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

/** Not gone, and no zombie either. */
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
