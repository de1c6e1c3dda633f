// A folder for processes of the tests, of which nothing remains after the process that created it, however that ends:
// the processes named in it are killed, and it is deleted.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createDataFolder } from './data-folder.ts'

export interface GuardedFolder {
  path: string
  /** Kills what still runs, and deletes the folder. */
  remove(): Promise<void>
}

/** Process IDs are in files named `*.pid`; a PostgreSQL server writes its own to its data folder. */
export async function createGuardedFolder(prefix: string, parent?: string): Promise<GuardedFolder> {
  const path = await createDataFolder(prefix, parent)
  const guard = startGuard(path)
  return {
    path,
    async remove() {
      guard.stdin?.end()
      await once(guard, 'exit')
    },
  }
}

/** A shell that waits for the end of its standard input, which comes when this process closes it or ends for any reason. */
function startGuard(folder: string): ChildProcess {
  const script = `
    cat >/dev/null
    for file in "$1"/*.pid; do
      pid=$(head -n 1 "$file") && [ -n "$pid" ] && kill -KILL "$pid"
    done 2>/dev/null
    for file in "$1"/*/postmaster.pid; do
      pid=$(head -n 1 "$file") && [ -n "$pid" ] || continue
      kill -QUIT "$pid"; kill -CONT "$pid"
      for backend in $(cat "/proc/$pid/task/$pid/children"); do kill -CONT "$backend"; done
      for try in 1 2 3 4 5; do [ -d "/proc/$pid" ] && sleep 1; done
      kill -KILL "$pid"
    done 2>/dev/null
    rm -rf "$1"`
  return spawn('sh', ['-c', script, 'guard', folder], {
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
}
