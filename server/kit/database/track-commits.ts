// Remembers whether a request has committed anything, so that no later failure of it says that nothing was changed.
import { AsyncLocalStorage } from 'node:async_hooks'

export interface Commits {
  hasCommitted: boolean
}

const current = new AsyncLocalStorage<Commits>()

/** Calls `run`; what it writes is marked in `commits`. */
export function trackCommits<T>(commits: Commits, run: () => T): T {
  return current.run(commits, run)
}

/** Passes on the outcome of a write. */
export function markCommit<T>(write: Promise<T>): Promise<T> {
  const commits = current.getStore()
  if (commits) {
    const mark = (): void => {
      commits.hasCommitted = true
    }
    write.then(mark, () => {})
  }
  return write
}
