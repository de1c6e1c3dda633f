// The program in processes of its own, in tests that kill them.
import { readFileSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import { folderForTest } from '../folder-for-test.ts'
import { startPostgres } from '../postgres.ts'
import { childrenOf, signal } from '../process-tree.ts'
import { type ServedProcess, serveProcess } from '../served-process.ts'

/** Serves until the test ends, then kills all remaining processes. */
export async function serveForTest(
  ...options: Parameters<typeof serveProcess>
): Promise<ServedProcess> {
  // Registered before the start, so that a test that has already ended leaves no process.
  let starting: Promise<ServedProcess> | undefined
  let workers: number[] = []
  onTestFinished(async () => {
    const { exited, pid } = (await starting?.catch(() => undefined)) ?? {}
    if (pid === undefined) return
    for (const each of new Set([pid, ...childrenOf(pid), ...workers])) {
      if (commandOf(each).includes('serve')) signal(each, 'SIGKILL')
    }
    // Its folder is deleted next.
    await exited
  })
  starting = serveProcess(...options)
  const served = await starting
  workers = childrenOf(served.pid)
  return served
}

/** A PostgreSQL of the test's own, which it may kill, and an empty folder for the data of its store. */
export async function postgresForTest() {
  const postgres = await startPostgres()
  onTestFinished(() => postgres.stop())
  const dataDir = await folderForTest()
  const release = async (): Promise<void> => {}
  const place = { engine: 'postgres', dataDir, databaseUrl: postgres.url, release } as const
  return { postgres, place }
}

/** Sends a signal to a process and its workers, as a terminal does. */
export function signalAll(pid: number, name: NodeJS.Signals): void {
  for (const each of [pid, ...childrenOf(pid)]) signal(each, name)
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
