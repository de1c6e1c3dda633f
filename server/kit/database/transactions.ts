// The lock that a transaction takes first. `locked(body)` gives a function that runs `body` with its arguments in a
// transaction of its own. A refusal that `body` returns is thrown after the commit; what it throws rolls back.
//   unlocked  For a statement alone, and for statements that depend on nothing that was read before them.
//   locked    For everything else in the database of accounts and publishing. All of its writes take one lock, the single
//             row of `publishing_state`: with a second one, two processes could deadlock.
// What changes published content also counts its version, see publishing/database/publishing-state.ts. The databases of the
// store have a lock of their own, see store/database/state.ts. A request remembers whether it has committed anything, so that
// no later failure of it says that nothing was changed.

import { AsyncLocalStorage } from 'node:async_hooks'
import { AppError } from '../errors.ts'
import { type Awaitable, type Database, each, type Session, type WriteSession } from './database.ts'
import { queriesFor } from './query.ts'

export function transactionsUnder(lock: (session: WriteSession) => Awaitable<void>) {
  return <Input extends unknown[], Outcome>(
    body: (session: WriteSession, ...input: Input) => Promise<Outcome>,
  ) => {
    const work = each(async (session, input: Input) => {
      await lock(session)
      return await body(session, ...input)
    })
    return async (database: Pick<Database, 'write'>, ...input: Input) => {
      const outcome = await database.write(work, input)
      if (outcome instanceof AppError) throw outcome
      return outcome as Exclude<Outcome, AppError>
    }
  }
}

export const unlocked = transactionsUnder(() => {})

const take = queriesFor<{ publishing_state: { id: bigint } }>()()((db) =>
  db.updateTable('publishing_state').set((eb) => ({ id: eb.ref('id') })),
)

/** Call this first in a write of another kind that reads data and then writes depending on it. */
export async function takeLock(session: Session): Promise<void> {
  await session.all(take, {})
}

export const locked = transactionsUnder(takeLock)

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
