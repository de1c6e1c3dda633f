// Says when something has happened to domains, whichever process wrote it down. Nobody is asked while nobody
// waits; all who wait share one look. On SQLite a look costs a microsecond as long as nothing was committed.
import { type Database, getOne } from '../../../platform/database/database.ts'
import { lastPosition } from './list-events.ts'

export interface EventWatch {
  /** The position of the last event by now. */
  now(): Promise<bigint>
  /** Resolves when there is an event after a position, or when it is aborted. Never rejects. */
  beyond(position: bigint, signal: AbortSignal): Promise<void>
}

const lookEveryMs = { sqlite: 200, postgres: 500 }

export function createEventWatch(
  database: Database,
  everyMs: number = lookEveryMs[database.engine],
): EventWatch {
  const waiting = new Set<{ position: bigint; wake: () => void }>()
  let timer: NodeJS.Timeout | undefined
  let looking = false
  let lookAgain = false
  let counted: number | undefined

  async function now(): Promise<bigint> {
    return (await getOne(database.read, lastPosition, {})).last_event
  }

  function look(): void {
    if (looking) {
      lookAgain = true
      return
    }
    clearTimeout(timer)
    timer = undefined
    if (waiting.size === 0) return
    looking = true
    see()
      // The database is away: it will be asked again.
      .catch(() => {
        counted = undefined
      })
      .finally(() => {
        looking = false
        if (lookAgain) {
          lookAgain = false
          look()
        } else if (waiting.size > 0) timer = setTimeout(look, everyMs).unref()
      })
  }

  async function see(): Promise<void> {
    const counter = database.changeCounter()
    if (counter !== undefined && counter === counted) return
    const last = await now()
    counted = counter
    for (const one of waiting) if (one.position < last) one.wake()
  }

  database.onAnnouncement(look)

  return {
    now,
    beyond(position, signal) {
      if (signal.aborted) return Promise.resolve()
      return new Promise((resolve) => {
        const one = {
          position,
          wake: () => {
            waiting.delete(one)
            signal.removeEventListener('abort', one.wake)
            resolve()
          },
        }
        waiting.add(one)
        signal.addEventListener('abort', one.wake)
        // Whatever was committed before it waited is not seen again by itself.
        counted = undefined
        look()
      })
    },
  }
}
