// Waits for new domain events, written by any process. Polls the database only while a caller waits; all callers
// share one poll. On SQLite a poll takes a microsecond while nothing was committed.
import { type Database, getOne } from '#kit/database/database.ts'
import { startPollLoop } from '#kit/jobs/poll-loop.ts'
import type { Logger } from '#kit/log.ts'
import { lastPosition } from './list-events.ts'

export type EventWatch = ReturnType<typeof createEventWatch>

const lookEveryMs = { sqlite: 200, postgres: 500 }

export function createEventWatch({ database, log }: { database: Database; log: Logger }) {
  const everyMs = lookEveryMs[database.engine]
  const waiting = new Set<{ position: bigint; wake: () => void }>()
  let counted: number | undefined

  /** The position of the last event. */
  async function now(): Promise<bigint> {
    return (await getOne(database.read, lastPosition, {})).last_event
  }

  const loop = startPollLoop({
    name: 'looking for events of domains',
    log,
    intervalMs: everyMs,
    async poll() {
      if (waiting.size === 0) return Number.POSITIVE_INFINITY
      const counter = database.changeCounter()
      if (counter === undefined || counter !== counted) {
        const last = await now()
        counted = counter
        for (const one of waiting) if (one.position < last) one.wake()
      }
      return everyMs
    },
  })
  database.onAnnouncement(loop.wake)

  return {
    now,
    /** Resolves when there is an event after a position, or when it is aborted. Never rejects. */
    async beyond(position: bigint, signal: AbortSignal): Promise<void> {
      if (signal.aborted) return
      const { promise, resolve } = Promise.withResolvers<void>()
      const wake = () => resolve()
      const one = { position, wake }
      waiting.add(one)
      signal.addEventListener('abort', wake)
      // Forces a read: the change counter does not report commits from before the wait.
      counted = undefined
      loop.wake()
      await promise
      waiting.delete(one)
      signal.removeEventListener('abort', wake)
    },
  }
}
